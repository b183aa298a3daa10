#include "store/memory/backend.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "store/memory/database.hpp"

namespace flowfabric::memory {
namespace {

// Nobody else can write to a store in this process's memory.
class Silence final : public WakeSource {
  public:
    StoreResult<bool> wait(std::chrono::milliseconds timeout) override {
        std::unique_lock lock(mutex_);
        interrupted_changed_.wait_for(lock, timeout, [&] { return interrupted_; });
        interrupted_ = false;
        return false;
    }
    void interrupt() override {
        const std::lock_guard lock(mutex_);
        interrupted_ = true;
        interrupted_changed_.notify_all();
    }

  private:
    std::mutex mutex_;  // guards interrupted_
    std::condition_variable interrupted_changed_;
    bool interrupted_ = false;
};

class MemoryBackend final : public Backend {
  public:
    explicit MemoryBackend(Options options) : database_(std::make_shared<Database>()) {
        database_->options = std::move(options);
    }
    StoreTraits traits() const override {
        return {.tag = BackendTag::memory, .name = "memory", .claim_floors = false, .max_writers = 2};
    }
    StoreResult<std::vector<std::string>> migrate() override { return std::vector<std::string>{}; }
    StoreResult<void> check() override { return {}; }
    StoreResult<std::vector<Finding>> examine() override {
        return std::vector<Finding>{{.level = Finding::Level::advice,
                                     .check = "durability",
                                     .detail = "everything is in this process's memory and ends with it",
                                     .remedy = "use sqlite: or postgres: for work that must survive"}};
    }
    StoreResult<std::unique_ptr<StoreWriter>> open_writer() override { return make_writer(database_); }
    StoreResult<std::unique_ptr<StoreReader>> open_reader(StoreDeadline) override { return make_reader(database_); }
    StoreResult<std::unique_ptr<WakeSource>> open_wake_source(WakeTopic) override {
        return std::unique_ptr<WakeSource>(std::make_unique<Silence>());
    }

  private:
    std::shared_ptr<Database> database_;
};

}  // namespace

std::shared_ptr<Backend> make_backend(Options options) {
    return std::make_shared<MemoryBackend>(std::move(options));
}

}  // namespace flowfabric::memory
