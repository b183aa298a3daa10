#include "store/sqlite/backend.hpp"

#include "store/sqlite/database.hpp"
#include "store/sqlite/instance.hpp"
#include "store/sqlite/location.hpp"

namespace flowfabric::sqlite {
namespace {

class SqliteBackend final : public Backend {
  public:
    explicit SqliteBackend(Options options) : instance_(std::make_shared<Instance>()) {
        instance_->path = canonical_path(options.path);
        instance_->clock = std::move(options.clock);
        instance_->damage = damage();
        instance_->migrations = options.migrations;
    }

    StoreTraits traits() const override {
        return {.tag = BackendTag::sqlite, .name = "sqlite", .claim_floors = true, .max_writers = 1};
    }

    StoreResult<std::vector<std::string>> migrate() override {
        return guarded([&] { return sqlite::migrate(*instance_); });
    }

    StoreResult<void> check() override {
        return guarded([&] { sqlite::check(*instance_); });
    }

    StoreResult<std::vector<Finding>> examine() override {
        return guarded([&] { return sqlite::examine(*instance_); });
    }

    StoreResult<std::unique_ptr<StoreWriter>> open_writer() override {
        return guarded([&] {
            auto writer = sqlite::open_writer(instance_);
            remember_file(*instance_);
            return writer;
        });
    }

    StoreResult<std::unique_ptr<StoreReader>> open_reader(StoreDeadline until) override {
        return guarded([&] {
            auto reader = sqlite::open_reader(instance_);
            remember_file(*instance_);
            reader->end_by(until);
            return reader;
        });
    }

    StoreResult<std::unique_ptr<WakeSource>> open_wake_source(WakeTopic) override {
        return guarded([&] { return sqlite::open_wake_source(instance_); });
    }

    StoreResult<void> look() override {
        return guarded([&] { sqlite::look(*instance_); });
    }

    void interrupt() override { ++instance_->interrupts; }

  private:
    std::shared_ptr<Instance> instance_;
};

}  // namespace

std::shared_ptr<Backend> make_backend(Options options) {
    return std::make_shared<SqliteBackend>(std::move(options));
}

}  // namespace flowfabric::sqlite
