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

#include "core/event_retention.hpp"
#include "core/execution_filter.hpp"
#include "core/flow_summary.hpp"
#include "core/rows.hpp"
#include "core/working_set.hpp"
#include "flowfabric/handle.hpp"
#include "flowfabric/result.hpp"
#include "flowfabric/views.hpp"

// What the engine asks of a store: rows in, rows out, one transaction. A store has no rules; those are in core/.
//
// A Backend stands for one database and is safe to call from any thread. Writers and readers are single connections:
// each belongs to one thread at a time, and after a fault of kind `connection` or `unknown_outcome` it is discarded.
namespace flowfabric {

enum class StoreFault : std::uint8_t {
    contention,       // serialization failure, deadlock, lock timeout, a unique key that another writer took first
    data,             // one of the batch's commands is poison
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

// Rows for claims that cover the same classes: up to `count` reclaimable ones, then up to `count` eligible ones, each
// in claim order (priority descending, created_at_ms, execution id). A row goes to the first selection that finds it;
// it may also be among the executions that the request names.
struct ClaimSelection {
    std::vector<std::int32_t> class_ids;
    // The priorities to look at, highest first, and where to start in each. Empty: all, from the head of the index.
    std::vector<ClaimLevel> levels;
    std::uint32_t count = 0;
    bool heads = false;  // tell the head of each level as well
};

struct LoadRequest {
    std::vector<IdempotencyKey> idempotency_keys;  // sorted, unique
    std::vector<ExecutionId> executions;           // sorted, unique
    std::vector<ExecutionId> inputs_of;            // some of them: their input as well
    std::vector<ClaimSelection> claims;
    // Lanes are named to be changed, which waits for creations that are under way. The channels of consumers are
    // trimmed no further before the transaction ends.
    SideRowsWanted side;
    std::vector<std::int64_t> submissions;  // sorted
    std::vector<FlowKey> members_of;        // sorted, unique: who is in these flows, as it stands
    std::vector<FlowKey> live_members_of;   // sorted, unique: lock members that have not ended and that nobody holds …
    std::uint32_t live_members = 0;         // … up to this many of them in all, and tell who the others are
    std::vector<FlowKey> children_of;       // sorted, unique: lock the executions whose groups in these are pending
    std::vector<std::int64_t> ends;         // sorted, unique: completion events to be dispatched
    bool creates = false;                   // no lane changes its state before this transaction ends
    bool patient = false;                   // wait for rows that others hold, up to the lock timeout
};

struct LevelHead {
    std::int32_t class_id = 0;
    std::int32_t priority = 0;
    ClaimKey key;

    bool operator==(const LevelHead&) const = default;
};

struct Claimable {
    std::vector<ExecutionEntry> rows;  // locked, with their input
    // The first eligible key of each level looked at, locked by somebody or not; if asked for.
    std::vector<LevelHead> heads;
};

struct Loaded {
    std::int64_t now_ms = 0;  // the store's clock, read after the last lock
    std::vector<IdempotencyRow> idempotency;
    std::vector<IdempotencyKey> busy_keys;
    std::vector<ExecutionRow> executions;
    std::map<ExecutionId, Bytes> inputs;
    std::vector<ExecutionId> busy;  // present, but locked by another transaction
    std::vector<Claimable> claims;  // one per selection
    std::int64_t lane_revision = 0;
    SideTables side;                        // what was asked for, and what the executions own
    TrimPoints trimmed{};                   // of the consumers' channels
    std::vector<std::int64_t> submissions;  // those that are still there, and nobody else's
    // By id. Of flows whose live members were asked for, those that have not ended and are not locked.
    std::map<FlowKey, std::vector<FlowMember>> members;
    std::vector<std::int64_t> ends;  // those that are not dispatched yet, locked
};

// A member's end, until all edges from it are resolved.
struct Undispatched {
    std::int64_t event_id = 0;
    ExecutionId execution_id;
    FlowId flow_id;
    TerminalOutcome outcome = TerminalOutcome::none;

    auto operator<=>(const Undispatched&) const = default;
};

// Of an event that has a flow.
inline Undispatched undispatched_end(const CompletionEvent& event) {
    return {.event_id = event.event_id,
            .execution_id = event.execution_id,
            .flow_id = event.flow_id.value(),
            .outcome = event.outcome.known().value_or(TerminalOutcome::none)};
}

struct ClassSpec {
    std::string lane_id;
    std::vector<std::string> required_capabilities;  // sorted

    auto operator<=>(const ClassSpec&) const = default;
};

class StoreWriter {
  public:
    virtual ~StoreWriter() = default;

    // Inserts the classes that are missing, with their lanes, in a short transaction of its own; returns all there are.
    virtual StoreResult<Routes> ensure_classes(const std::vector<ClassSpec>& specs) = 0;

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

inline constexpr std::array timers{Timer::lease_expiry,       Timer::delayed_promotion, Timer::attempt_timeout,
                                   Timer::execution_deadline, Timer::grant_expiry,      Timer::retention,
                                   Timer::suspension_timeout, Timer::waitpoint_expiry};

struct Due {
    std::int64_t now_ms = 0;
    std::vector<ExecutionId> executions;       // due, in order of their time
    std::optional<std::int64_t> oldest_at_ms;  // since when the first of them has been due
    std::optional<std::int64_t> next_at_ms;    // the earliest time that is not due yet
};

struct DueFlows {
    std::int64_t now_ms = 0;
    std::vector<FlowKey> flows;  // due, in order of their time
    std::optional<std::int64_t> oldest_at_ms;
    std::optional<std::int64_t> next_at_ms;
};

inline constexpr std::array channels{Channel::lease, Channel::completion, Channel::signal, Channel::operators};

// Up to `decided` every event id is committed and readable, or never to come; nothing while that cannot be told. Ids
// up to `drawn` have been given out.
struct Watermark {
    std::optional<std::int64_t> decided;
    std::int64_t drawn = 0;
};

struct EventPage {
    std::vector<Event> events;
    std::int64_t trimmed = 0;  // events up to it may be missing
};

class StoreReader {
  public:
    virtual ~StoreReader() = default;

    virtual StoreResult<std::int64_t> now() = 0;
    virtual StoreResult<Due> select_due(Timer timer, std::uint32_t limit, const ExecutionFilter& filter) = 0;

    virtual StoreResult<std::optional<ExecutionRow>> execution(const ExecutionId& id) = 0;
    virtual StoreResult<std::optional<Bytes>> input(const ExecutionId& id) = 0;
    virtual StoreResult<std::optional<Bytes>> result(const ExecutionId& id) = 0;
    // What edges with a data reference have brought, by reference; of several edges with the same, the highest one's.
    virtual StoreResult<std::map<std::string, Bytes>> inputs(const ExecutionId& id) = 0;
    // Ended attempts, ascending.
    virtual StoreResult<std::vector<AttemptRow>> attempts(const ExecutionId& id) = 0;
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
    // Flows that are to be looked at for removal, of those whose namespace and tags the filter admits.
    virtual StoreResult<DueFlows> flows_to_remove(std::uint32_t limit, const ExecutionFilter& filter) = 0;
    // Flows whose summary may still change, by key, strictly after `after`.
    virtual StoreResult<std::vector<FlowRow>> unsummarised(const std::optional<FlowKey>& after,
                                                           std::uint32_t limit) = 0;
    // By key.
    virtual StoreResult<std::vector<EdgeId>> edges(const FlowKey& flow, std::uint32_t limit) = 0;

    // The inbox of SQL submissions, oldest first, and one of them; empty for stores that have none.
    virtual StoreResult<std::vector<Submission>> submissions(std::uint32_t limit) = 0;
    virtual StoreResult<std::optional<Submission>> submission(const ExecutionId& id) = 0;

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
    virtual StoreResult<std::unique_ptr<StoreReader>> open_reader() = 0;
    virtual StoreResult<std::unique_ptr<WakeSource>> open_wake_source(WakeTopic topic) = 0;
};

}  // namespace flowfabric
