#pragma once

#include <memory>
#include <utility>

#include "runtime/engine_impl.hpp"
#include "support/fixture.hpp"

namespace flowfabric::test {

// What callers read, through the real engine with its threads, next to the deterministic one that writes.
class ApiTest : public StoreTest {
  protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        EngineOptions options;
        options.run_reconcilers = false;
        options.default_retry_policy = plain({}).overrides.default_retry_policy;
        api_ = value_of(open_engine(shared_backend(), std::move(options)));
    }
    void TearDown() override {
        api_.reset();
        StoreTest::TearDown();
    }

    Engine& api() { return *api_; }
    void close_api() { api_.reset(); }

  private:
    std::unique_ptr<Engine> api_;
};

}  // namespace flowfabric::test
