#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "store/sqlite/database.hpp"
#include "store/sqlite/instance.hpp"
#include "store/sqlite/location.hpp"
#include "store/sqlite/query.hpp"
#include "store/sqlite/statements.hpp"

namespace flowfabric::sqlite {
namespace {

constexpr std::chrono::milliseconds poll_interval{2};

// Asks SQLite every two milliseconds whether the file has changed, while a thread waits. One thread waits; any
// thread interrupts. An interrupt that comes while none waits ends the next wait.
class SqliteWakeSource final : public WakeSource {
  public:
    explicit SqliteWakeSource(std::shared_ptr<Instance> instance)
        : instance_(std::move(instance)),
          database_(instance_->path, OpenMode::read_only),
          poll_(database_.prepare(statements::poll_version())),
          read_version_(database_.prepare(statements::read_version())) {
        foreign_change();
    }

    StoreResult<bool> wait(std::chrono::milliseconds timeout) override {
        return guarded([&] {
            const auto deadline = std::chrono::steady_clock::now() + timeout;
            for (;;) {
                if (foreign_change()) return true;
                const auto next = std::min(deadline, std::chrono::steady_clock::now() + poll_interval);
                std::unique_lock lock(mutex_);
                if (interrupt_.wait_until(lock, next, [&] { return interrupted_; })) {
                    interrupted_ = false;
                    return false;
                }
                if (next == deadline) return false;
            }
        });
    }

    void interrupt() override {
        const std::lock_guard lock(mutex_);
        interrupted_ = true;
        interrupt_.notify_one();
    }

  private:
    // The version tells that a process committed, the count of batches which: our own are known. A change that no batch
    // explains is a foreign tool's.
    bool foreign_change() {
        if (Query poll(poll_); poll.next() && poll.take<std::int64_t>() == version_) return false;
        Query query(read_version_);
        query.next();
        query.read(version_);
        const auto commits = query.take<std::int64_t>();
        const bool counted = std::exchange(commits_, commits) != commits;
        // Ours are counted just before they commit, so that this may lag but never runs ahead.
        const auto foreign = commits - instance_->own_commits.load();
        if (counted && foreign <= foreign_) return false;
        foreign_ = std::max(foreign_, foreign);
        return true;
    }

    std::shared_ptr<Instance> instance_;
    Database database_;
    Statement poll_;
    Statement read_version_;
    std::int64_t version_ = -1;
    std::int64_t commits_ = -1;
    std::int64_t foreign_ = 0;

    std::mutex mutex_;  // guards interrupted_
    std::condition_variable interrupt_;
    bool interrupted_ = false;
};

}  // namespace

std::unique_ptr<WakeSource> open_wake_source(std::shared_ptr<Instance> instance) {
    require_usable_location(instance->path);
    return std::make_unique<SqliteWakeSource>(std::move(instance));
}

}  // namespace flowfabric::sqlite
