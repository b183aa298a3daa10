#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/claim/routes.hpp"
#include "core/events/event_retention.hpp"
#include "core/settings/setting_row.hpp"
#include "flowfabric/handle.hpp"
#include "store/damage.hpp"
#include "store/due_reads.hpp"
#include "store/event_reads.hpp"
#include "store/execution_reads.hpp"
#include "store/flow_reads.hpp"
#include "store/inbox_reads.hpp"
#include "store/load_request.hpp"
#include "store/result.hpp"
#include "store/side_reads.hpp"
#include "store/statistics_reads.hpp"

// What the engine asks of a store: rows in, rows out, one transaction. A store has no rules; those are in core/.
//
// A Backend stands for one database and is safe to call from any thread. Writers and readers are single connections:
// each belongs to one thread at a time, and after a fault of kind `connection` or `unknown_outcome` it is discarded.
namespace flowfabric {

struct ClassSpec {
    std::string lane_id;
    std::vector<std::string> required_capabilities;  // sorted

    auto operator<=>(const ClassSpec&) const = default;
};

// The answer has all classes of the lanes, the states of all lanes unless their revision is the one that is known, and
// the settings.
struct RoutesWanted {
    std::vector<ClassSpec> missing;  // to be inserted
    std::vector<std::string> lanes;  // sorted, unique
    std::int64_t known_revision = -1;
};

class StoreWriter {
  public:
    virtual ~StoreWriter() = default;

    // Inserts the classes that are missing, with their lanes, in a short transaction of its own.
    virtual StoreResult<Routes> ensure_classes(const RoutesWanted& wanted) = 0;

    // Begins a transaction and locks what the request names. Rows held by others are skipped and reported busy.
    virtual StoreResult<Loaded> load(const LoadRequest& request) = 0;

    // Ends the transaction of the last load: writes the set and commits, or, with abandon, changes nothing.
    // Tells the ends of flow members that it wrote.
    virtual StoreResult<std::vector<Undispatched>> save(const WorkingSet& changes) = 0;
    virtual void abandon() = 0;

    // Whether the batch committed; afterwards it can no longer do so.
    virtual StoreResult<bool> outcome(const Marker& marker) = 0;

    // Removes up to `limit` idempotency keys of each kind, those of claims and of reports of usage among them, that
    // have lapsed, and as many worker events older than `age_ms`; returns how many rows went.
    virtual StoreResult<std::uint32_t> sweep(std::uint32_t limit, std::int64_t age_ms) = 0;

    // Clears lease_check_at_ms, where due, of up to `limit` rows that hold no lease any more; returns how many.
    virtual StoreResult<std::uint32_t> retire_lease_checks(std::uint32_t limit) = 0;

    // Begins a transaction on one channel's outbox, in which no consumer comes, goes or moves; ended by trim_outbox
    // or abandon.
    virtual StoreResult<OutboxState> open_outbox(Channel channel) = 0;
    virtual StoreResult<void> trim_outbox(Channel channel, const Trim& trim) = 0;

    // Notifications are rate-limited; when some are held back, tells how long until flush_notifications() is due.
    virtual std::optional<std::chrono::milliseconds> notifications_due() = 0;
    virtual void flush_notifications() = 0;

    // Housekeeping that only this store needs (outbox partitions ahead of use, checkpoints); called when idle.
    virtual StoreResult<void> maintain() = 0;
};

// ---- reads ------------------------------------------------------------------------------------------------------

class StoreReader : public DueReads,
                    public ExecutionReads,
                    public SideReads,
                    public FlowReads,
                    public EventReads,
                    public InboxReads,
                    public StatisticsReads {
  public:
    // Bounds the calls from here on. Without one, a store that has been silent for longer than its own limits allow
    // counts as lost.
    virtual void end_by(StoreDeadline) {}
    // No statement takes longer from now on; for stores that can tell.
    virtual StoreResult<void> limit_reads(std::chrono::milliseconds) { return {}; }
};

// What holds for an engine with these overrides now.
inline StoreResult<StoreSettings> current_settings(StoreReader& reader, const SettingOverrides& overrides) {
    auto rows = reader.all<SettingRow>();
    if (!rows) return rows.error();
    return overridden(settings_of(*rows), overrides);
}

enum class WakeTopic : std::uint8_t { work, events };

// Tells that another process may have committed something of its topic. A hint, never the truth.
class WakeSource {
  public:
    virtual ~WakeSource() = default;
    // Returns true when something foreign happened, false after the timeout or interrupt().
    virtual StoreResult<bool> wait(std::chrono::milliseconds timeout) = 0;
    virtual void interrupt() = 0;  // from any thread
};

// ---- the database -----------------------------------------------------------------------------------------------

struct StoreTraits {
    BackendTag tag = BackendTag::memory;
    std::string name;           // "postgres", "sqlite", "memory"
    bool claim_floors = false;  // claims profit from starting above dead index entries
    std::uint32_t max_writers = 1;
    bool inbox = false;  // others may submit through SQL
};

class Backend {
  public:
    virtual ~Backend() = default;
    virtual StoreTraits traits() const = 0;

    // Applies what is missing and returns the names of the applied steps; refuses a newer, incompatible schema.
    virtual StoreResult<std::vector<std::string>> migrate() = 0;
    // Fails with `unavailable` when the schema or the stored partition counts are not ours.
    virtual StoreResult<void> check() = 0;

    // Versions, settings that endanger data, schema drift. Changes nothing.
    virtual StoreResult<std::vector<Finding>> examine() = 0;

    virtual StoreResult<std::unique_ptr<StoreWriter>> open_writer() = 0;
    virtual StoreResult<std::unique_ptr<StoreReader>> open_reader(StoreDeadline until = no_deadline) = 0;
    virtual StoreResult<std::unique_ptr<WakeSource>> open_wake_source(WakeTopic topic) = 0;

    // Whether the database that connections are open to is still there under its name, and readable from the outside.
    virtual StoreResult<void> look() { return {}; }

    // Breaks the connections that are open or being opened: a wait that is under way ends at once with `connection`, or
    // `unknown_outcome` past COMMIT. Those opened later are not affected. From any thread.
    virtual void interrupt() {}

    // Where its readers and writers name the rows that they pass over.
    const std::shared_ptr<DamageLog>& damage() const { return damage_; }

  private:
    std::shared_ptr<DamageLog> damage_ = std::make_shared<DamageLog>();
};

}  // namespace flowfabric
