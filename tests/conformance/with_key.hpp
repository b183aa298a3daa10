#pragma once

#include "conformance/api_test.hpp"

namespace flowfabric::test {

// On a store whose keystore holds the key `k1`.
template <class Base>
class WithKey : public Base {
  protected:
    void SetUp() override {
        Base::SetUp();
        if (this->IsSkipped() || this->HasFatalFailure()) return;
        value_of(this->run(SeedWaitpointHmacSecret{"k1", std::string(64, 'a')}));
    }
};

}  // namespace flowfabric::test
