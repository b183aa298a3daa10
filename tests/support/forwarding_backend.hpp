#pragma once

#include <memory>
#include <utility>

#include "store/port.hpp"

namespace flowfabric::test {

// Another backend, for a test to change one call of.
class ForwardingBackend : public Backend {
  public:
    explicit ForwardingBackend(std::shared_ptr<Backend> inner) : inner_(std::move(inner)) {}

    StoreTraits traits() const override { return inner_->traits(); }
    StoreResult<std::vector<std::string>> migrate() override { return inner_->migrate(); }
    StoreResult<void> check() override { return inner_->check(); }
    StoreResult<std::vector<Finding>> examine() override { return inner_->examine(); }
    StoreResult<std::unique_ptr<StoreWriter>> open_writer() override { return inner_->open_writer(); }
    StoreResult<std::unique_ptr<StoreReader>> open_reader(StoreDeadline until) override {
        return inner_->open_reader(until);
    }
    StoreResult<std::unique_ptr<WakeSource>> open_wake_source(WakeTopic topic) override {
        return inner_->open_wake_source(topic);
    }

  private:
    std::shared_ptr<Backend> inner_;
};

}  // namespace flowfabric::test
