#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/claim/routes.hpp"
#include "core/events/event_retention.hpp"
#include "core/execution/execution_filter.hpp"
#include "core/execution/idempotency_row.hpp"
#include "core/flow/flow_summary.hpp"
#include "core/inbox/submission.hpp"
#include "core/rows/due_rows.hpp"
#include "core/rows/execution_row.hpp"
#include "core/rows/working_set.hpp"
#include "core/settings/setting_row.hpp"
#include "flowfabric/handle.hpp"
#include "flowfabric/result.hpp"
#include "flowfabric/views.hpp"
#include "store/damage.hpp"

// What the engine asks of a store: rows in, rows out, one transaction. A store has no rules; those are in core/.
//
// A Backend stands for one database and is safe to call from any thread. Writers and readers are single connections:
// each belongs to one thread at a time, and after a fault of kind `connection` or `unknown_outcome` it is discarded.
namespace flowfabric {

enum class StoreFault : std::uint8_t {
    contention,       // serialization failure, deadlock, lock timeout, a unique key that another writer took first
    data,             // one of the batch's commands is poison
    unreadable,       // one of them asks for a stored row that is damaged
    connection,       // not committed; the connection is gone
    unknown_outcome,  // COMMIT was sent and its reply lost: ask outcome(marker) on a new writer
    exhausted,        // the server is out of connections, memory or disk
    unavailable,      // wrong schema version, partition counts, pooler, file system
};

// Which batch a reply was lost for.
struct Marker {
    Uuid writer_id;
    std::int64_t batch_no = 0;
};

struct StoreError {
    StoreFault fault = StoreFault::connection;
    std::string detail;
    Marker marker;  // with unknown_outcome
};

template <class T>
using StoreResult = Expected<T, StoreError>;

// A call that is still waiting for the store then fails with `connection`.
using StoreDeadline = std::chrono::steady_clock::time_point;
inline constexpr StoreDeadline no_deadline = StoreDeadline::max();

// ---- load -------------------------------------------------------------------------------------------------------

// A place in a class's claim order within one priority.
struct ClaimKey {
    std::int64_t created_at_ms = 0;
    Uuid execution_uuid;

    auto operator<=>(const ClaimKey&) const = default;
};

struct ClaimLevel {
    std::int32_t class_id = 0;
    std::int32_t priority = 0;
    ClaimKey floor;  // nothing claimable is known to stand before it
};

// Everything in a class that has a lower priority than `below`.
struct ClaimTail {
    std::int32_t class_id = 0;
    std::int32_t below = 0;
};

// Rows for claims that cover the same classes: up to `count` reclaimable ones, then up to `count` eligible ones, each
// in claim order (priority descending, created_at_ms, execution id). A row goes to the first selection that finds it;
// it may also be among the executions that the request names.
struct ClaimSelection {
    std::vector<std::int32_t> class_ids;       // sorted
    std::vector<std::int32_t> reclaimable_in;  // those of them that may have reclaimable rows
    std::vector<ClaimLevel> levels;            // by priority, highest first; all above the tails
    std::vector<ClaimTail> tails;
    std::uint32_t count = 0;
    std::uint32_t count_each = 0;      // at most this many eligible rows of one level or tail
    std::int32_t lowest_priority = 0;  // nothing below it
    // Only this many tails, those whose first rows come first, and the heads of all; 0: every tail, and no heads.
    std::uint32_t best_tails = 0;
    bool whole = false;    // the tails are the whole classes
    bool partial = false;  // there are levels or tails behind these
};

struct LoadRequest {
    std::vector<IdempotencyKey> idempotency_keys;  // sorted, unique
    std::vector<ExecutionId> executions;           // sorted, unique
    std::vector<ExecutionId> inputs_of;            // some of them: their input as well
    std::vector<ExecutionId> signals_of;           // likewise: those that an answer gives of the signals they accepted
    std::vector<ClaimSelection> claims;            // with their input and such signals in any case
    // Lanes are named to be changed. The channels of consumers are trimmed no further before the transaction ends.
    SideRowsWanted side;
    std::vector<std::int64_t> submissions;  // sorted
    std::vector<FlowKey> members_of;        // sorted, unique: who is in these flows, as it stands
    std::vector<FlowKey> live_members_of;   // sorted, unique: lock members that have not ended and that nobody holds …
    std::uint32_t live_members = 0;         // … up to this many of them in all, and tell who the others are
    std::vector<FlowKey> children_of;       // sorted, unique: lock the executions whose groups in these are pending
    std::vector<std::int64_t> ends;         // sorted, unique: completion events to be dispatched
    bool creates = false;                   // saved only on the lane states as they are now; otherwise contention
    bool patient = false;                   // wait for rows that others hold, up to the lock timeout
};

struct LevelHead {
    std::int32_t class_id = 0;
    std::int32_t priority = 0;
    ClaimKey key;

    bool operator==(const LevelHead&) const = default;
};

// The answers to a request's selections end with the row whose input reaches this size.
inline constexpr std::size_t max_claimed_bytes = 16U << 20U;

struct Claimable {
    std::vector<ExecutionEntry> rows;  // locked, with their input
    bool cut = false;                  // there was more than the answer may hold
    // The first eligible row of each class that has any, locked or not; if asked for.
    std::vector<LevelHead> heads;
};

struct Loaded {
    std::int64_t now_ms = 0;  // the store's clock, read after the last lock
    std::vector<IdempotencyRow> idempotency;
    std::vector<IdempotencyKey> busy_keys;
    std::vector<ExecutionRow> executions;
    std::map<ExecutionId, Bytes> inputs;
    std::vector<ExecutionId> busy;                  // present, but locked by another transaction
    std::map<ExecutionId, std::string> unreadable;  // present, but damaged: how
    std::vector<Claimable> claims;                  // one per selection
    std::int64_t lane_revision = 0;
    std::int64_t setting_revision = 0;
    SideTables side;                        // what was asked for, and what the executions own
    TrimPoints trimmed{};                   // of the consumers' channels
    std::vector<std::int64_t> submissions;  // those that are still there, and nobody else's
    // By id. Of flows whose live members were asked for, those that have not ended and are not locked.
    std::map<FlowKey, std::vector<FlowMember>> members;
    std::vector<std::int64_t> ends;  // those that are not dispatched yet, locked
};

// Those whose accepted signals are wanted and that have some, sorted. Each run is looked up by itself; an execution
// without any is not looked for.
inline std::vector<RunKey> runs_with_signals(const LoadRequest& request, const Loaded& loaded) {
    std::vector<RunKey> runs;
    const auto add = [&](const ExecutionRow& row) {
        if (row.signal_count > 0) runs.push_back({row.id, row.replay_count});
    };
    for (const ExecutionRow& row : loaded.executions) {
        if (std::ranges::binary_search(request.signals_of, row.id)) add(row);
    }
    for (const Claimable& claimable : loaded.claims) {
        for (const ExecutionEntry& entry : claimable.rows) add(entry.row);
    }
    std::ranges::sort(runs);
    runs.erase(std::ranges::unique(runs).begin(), runs.end());
    return runs;
}

// A member's end, until all edges from it are resolved.
struct Undispatched {
    std::int64_t event_id = 0;  // 0: not known, since the reply to the commit was lost
    ExecutionId execution_id;
    FlowId flow_id;
    TerminalOutcome outcome = TerminalOutcome::none;
    std::optional<CancellationCause> cause;

    auto operator<=>(const Undispatched&) const = default;
};

// Of an event that has a flow.
inline Undispatched undispatched_end(const CompletionEvent& event) {
    return {.event_id = event.event_id,
            .execution_id = event.execution_id,
            .flow_id = event.flow_id.value(),
            .outcome = event.outcome.known().value_or(TerminalOutcome::none),
            .cause = event.cancellation_cause ? event.cancellation_cause->known() : std::nullopt};
}

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

    // Removes up to `limit` idempotency keys of each kind that have lapsed, and as many worker events older than
    // `age_ms`; returns how many rows went.
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

struct Due {
    std::int64_t now_ms = 0;
    std::vector<ExecutionId> executions;       // that due rows lead to, in order of their time …
    std::vector<FlowKey> flows;                // … or flows
    std::optional<std::int64_t> oldest_at_ms;  // since when the first of them has been due
    std::optional<std::int64_t> next_at_ms;    // the earliest time that is not due yet

    void add(DueSubject subject, std::uint16_t partition, const Uuid& id) {
        if (subject == DueSubject::flow) {
            flows.push_back({partition, {id}});
        } else {
            executions.push_back({partition, id});
        }
    }
};

// Up to `decided` every event id is committed and readable, or never to come; nothing while that cannot be told. Ids
// up to `drawn` have been given out.
struct Watermark {
    std::optional<std::int64_t> decided;
    std::int64_t drawn = 0;
};

// Members that ended and whose ends are dispatched, although edges from them are not resolved: what was damaged when
// the end was dispatched, and has been repaired since. Without an event of their own.
struct Stalled {
    std::vector<Undispatched> ends;
    std::optional<ExecutionId> continue_after;  // absent: the walk is at its end
};

struct EventPage {
    std::vector<Event> events;
    std::int64_t trimmed = 0;  // events up to it may be missing
};

class StoreReader {
  public:
    virtual ~StoreReader() = default;

    // Bounds the calls from here on. Without one, a store that has been silent for longer than its own limits allow
    // counts as lost.
    virtual void end_by(StoreDeadline) {}
    // No statement takes longer from now on; for stores that can tell.
    virtual StoreResult<void> limit_reads(std::chrono::milliseconds) { return {}; }

    virtual StoreResult<std::int64_t> now() = 0;
    // Of those whose namespace and tags the filter admits.
    virtual StoreResult<Due> select_due(const DueRows& rows, std::uint32_t limit, const ExecutionFilter& filter) = 0;

    virtual StoreResult<std::optional<ExecutionRow>> execution(const ExecutionId& id) = 0;
    virtual StoreResult<std::optional<Bytes>> input(const ExecutionId& id) = 0;
    virtual StoreResult<std::optional<Bytes>> result(const ExecutionId& id) = 0;
    // What edges with a data reference have brought, by reference; of several edges with the same, the highest one's.
    virtual StoreResult<std::map<std::string, Bytes>> inputs(const ExecutionId& id) = 0;
    // Ended attempts, ascending.
    virtual StoreResult<std::vector<AttemptRow>> attempts(const ExecutionId& id) = 0;
    // How those of these that are there have ended; `none` if they have not.
    virtual StoreResult<std::map<ExecutionId, TerminalOutcome>> outcomes(const std::vector<ExecutionId>& ids) = 0;
    // By (partition, id), strictly after `after`, at most `limit`.
    virtual StoreResult<std::vector<ExecutionRow>> list(const ExecutionListQuery& query) = 0;
    // Open suspensions, by (time, id), strictly after `after`.
    virtual StoreResult<std::vector<SuspensionRow>> suspended(const SuspendedListQuery& query) = 0;
    // Leases that have ended by then and that nobody has taken over, by (expiry, id), strictly after `after`.
    virtual StoreResult<std::vector<ExecutionRow>> expired_leases(const ExpiredLeaseQuery& query,
                                                                  std::int64_t as_of_ms) = 0;
    virtual StoreResult<SideTables> side_rows(const SideRowsWanted& wanted) = 0;
    template <class Row>
    StoreResult<std::vector<Row>> all();  // of a side table, by key
    template <QueuedRow Row>
    StoreResult<std::vector<Row>> first(std::uint32_t limit);  // those that are due first, by key
    virtual StoreResult<Routes> routes() = 0;
    virtual StoreResult<std::vector<IdempotencyRow>> idempotency_keys() = 0;

    // Ends of flow members that are older than `age_ms` and not dispatched, oldest first.
    virtual StoreResult<std::vector<Undispatched>> undispatched(std::int64_t age_ms, std::uint32_t limit) = 0;
    // Those of these members, which are sorted by key.
    virtual StoreResult<std::vector<Undispatched>> undispatched_of(const std::vector<ExecutionId>& members) = 0;
    // Looks at up to `limit` unresolved edges from executions behind `after`, and tells which of these ended more than
    // `age_ms` ago. All of them are stalled if no end of that age is undispatched.
    virtual StoreResult<Stalled> stalled(std::int64_t age_ms, const std::optional<ExecutionId>& after,
                                         std::uint32_t limit) = 0;
    // Applied and unsatisfied edges from these executions, which are sorted by key; by key.
    virtual StoreResult<std::vector<EdgeRow>> unresolved_edges(const std::vector<ExecutionId>& upstream,
                                                               std::uint32_t limit) = 0;
    // Which of these, sorted by key, a pending group still waits for.
    virtual StoreResult<std::vector<ExecutionId>> needed(const std::vector<ExecutionId>& upstream) = 0;
    // By flow id, strictly after `after`.
    virtual StoreResult<std::vector<FlowRow>> flows(std::uint16_t partition, const std::optional<FlowId>& after,
                                                    std::uint32_t limit) = 0;
    virtual StoreResult<std::vector<FlowMember>> members(const FlowKey& flow, std::uint32_t limit) = 0;
    // Those of them that are there with their members counted, each at one moment; by key.
    virtual StoreResult<std::vector<FlowTally>> tallies(const std::vector<FlowKey>& flows) = 0;
    // Flows whose summary may still change, by key, strictly after `after`.
    virtual StoreResult<std::vector<FlowRow>> unsummarised(const std::optional<FlowKey>& after,
                                                           std::uint32_t limit) = 0;
    // By key.
    virtual StoreResult<std::vector<EdgeId>> edges(const FlowKey& flow, std::uint32_t limit) = 0;

    // The inbox of SQL submissions, oldest first, of those with ids above `after`; fewer than asked for also where they
    // are large, none only where the sound ones end. And those of these executions. Empty for stores that have none.
    virtual StoreResult<std::vector<Submission>> submissions(std::uint32_t limit, std::int64_t after) = 0;
    virtual StoreResult<std::vector<Submission>> submissions_of(const std::vector<ExecutionId>& ids) = 0;

    // One per channel, in their order. To be asked again and again on one reader, which learns from each look who may
    // still fill a gap.
    virtual StoreResult<std::vector<Watermark>> watermarks(const std::vector<Channel>& channels) = 0;
    StoreResult<Watermark> watermark(Channel channel) {
        auto all = watermarks({channel});
        if (!all) return all.error();
        return all->front();
    }
    // after < event_id <= up_to, ascending.
    virtual StoreResult<EventPage> tail(Channel channel, std::int64_t after, std::int64_t up_to,
                                        std::uint32_t limit) = 0;
};

template <QueuedRow Row>
StoreResult<std::vector<Row>> StoreReader::first(std::uint32_t limit) {
    SideRowsWanted wanted;
    wanted.of<Row>().first = limit;
    auto found = side_rows(wanted);
    if (!found) return found.error();
    return found->template of<Row>().rows();
}

template <class Row>
StoreResult<std::vector<Row>> StoreReader::all() {
    SideRowsWanted wanted;
    wanted.of<Row>().all = true;
    auto found = side_rows(wanted);
    if (!found) return found.error();
    return found->template of<Row>().rows();
}

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
