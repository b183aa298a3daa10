#pragma once

#include <memory>
#include <string>
#include <vector>

#include "store/clock.hpp"
#include "store/port.hpp"
#include "store/postgres/health/own_processes.hpp"
#include "store/postgres/sql/execution_updates.hpp"
#include "store/postgres/wake/notifier.hpp"
#include "store/postgres/wire/connection.hpp"

namespace flowfabric::postgres {

// One writing session. It belongs to one thread at a time; load() leaves a transaction open that save() or abandon()
// ends. Its row in ff_writer, advanced by every batch, answers for a COMMIT whose reply was lost.
class Writer final : public StoreWriter {
  public:
    struct Options {
        std::string url;
        std::shared_ptr<TestClock> clock;
        bool notify = true;
        std::shared_ptr<OwnProcesses> own_processes;
        std::shared_ptr<Interrupts> interrupts;
        std::shared_ptr<DamageLog> damage;
    };

    explicit Writer(Options options);  // throws Failure
    ~Writer() override;
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    StoreResult<Routes> ensure_classes(const RoutesWanted& wanted) override;
    StoreResult<Loaded> load(const LoadRequest& request) override;
    StoreResult<std::vector<Undispatched>> save(const WorkingSet& changes) override;
    void abandon() override;
    StoreResult<bool> outcome(const Marker& marker) override;
    StoreResult<std::uint32_t> sweep(std::uint32_t limit, std::int64_t age_ms) override;
    StoreResult<std::uint32_t> retire_lease_checks(std::uint32_t limit) override;
    StoreResult<OutboxState> open_outbox(Channel channel) override;
    StoreResult<void> trim_outbox(Channel channel, const Trim& trim) override;
    std::optional<std::chrono::milliseconds> notifications_due() override;
    void flush_notifications() override;
    StoreResult<void> maintain() override;

  private:
    // Runs the body; after a failure the session is out of the transaction, or broken.
    template <class Body>
    auto attempt(Body&& body);

    void request_notifications(const WorkingSet& changes);
    std::vector<Announcement> send_notifications();
    std::optional<std::int64_t> test_time() const;

    Options options_;
    Connection connection_;
    WriteForms forms_{connection_};
    ExecutionUpdates updates_;
    Notifier notifier_;
    Marker marker_;
};

}  // namespace flowfabric::postgres
