#include "store/memory/backend.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <tuple>

#include "core/tags.hpp"

namespace flowfabric::memory {
namespace {

struct StoredExecution {
    ExecutionRow row;
    Bytes input;
    std::optional<Bytes> result;
};

template <class E>
struct EventLog {
    std::vector<E> events;  // by id
    std::int64_t last_id = 0;

    void append(const std::vector<E>& added) {
        for (const E& event : added) {
            events.push_back(event);
            events.back().event_id = ++last_id;
        }
    }
};

std::size_t index_of(Channel channel) {
    return static_cast<std::size_t>(channel);
}

// The one database; `mutex` guards all of it.
struct Database {
    Options options;

    std::mutex mutex;
    std::map<ExecutionId, StoredExecution> executions;
    std::map<std::pair<ExecutionId, std::int32_t>, AttemptRow> attempts;
    std::map<IdempotencyKey, IdempotencyRow> idempotency;
    std::vector<ClaimClass> classes;
    std::map<std::string, LaneRow> lanes;
    std::int64_t lane_revision = 0;
    std::set<Uuid> creating;  // writers between load and save that create
    std::optional<Uuid> lane_changer;
    EventLog<LeaseEvent> lease_events;
    EventLog<CompletionEvent> completion_events;
    EventLog<SignalEvent> signal_events;
    EventLog<OperatorEvent> operator_events;
    TrimPoints trimmed{};
    std::map<ConsumerKey, ConsumerRow> consumers;
    std::array<std::optional<Uuid>, channels.size()> outbox_holders;  // who trims it or works on its consumers
    std::map<ExecutionId, Uuid> locked;                               // row → writer
    std::map<IdempotencyKey, Uuid> locked_keys;
    std::map<Uuid, std::int64_t> writers;  // writer → last committed batch
    std::uint64_t writers_opened = 0;

    std::int64_t now() const {
        if (options.clock) return options.clock->now_ms();
        using namespace std::chrono;
        return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
    }
    Routes routes() const {
        Routes all{.classes = classes, .lane_states = {}, .lane_revision = lane_revision};
        for (const auto& [id, lane] : lanes) {
            if (lane.lane_state != LaneState::active) all.lane_states.emplace(id, lane.lane_state);
        }
        return all;
    }
    template <class Use>
    auto with_log(Channel channel, Use use) -> decltype(use(lease_events)) {
        switch (channel) {
            case Channel::lease:
                return use(lease_events);
            case Channel::completion:
                return use(completion_events);
            case Channel::signal:
                return use(signal_events);
            case Channel::operators:
                break;
        }
        return use(operator_events);
    }
    Fault fault_at(FaultPoint point) const { return options.faults ? options.faults(point) : Fault::none; }
};

bool is_eligible(const ExecutionRow& row) {
    return row.vector.eligibility_state == EligibilityState::eligible_now;
}

bool before_in_claim_order(const ExecutionRow* a, const ExecutionRow* b) {
    return std::tuple(-a->priority, a->created_at_ms, a->id.uuid) <
           std::tuple(-b->priority, b->created_at_ms, b->id.uuid);
}

// When a timer of the row is due, and whether it means anything in the row's state.
std::pair<std::optional<std::int64_t>, bool> timer_of(const ExecutionRow& row, Timer timer) {
    switch (timer) {
        case Timer::lease_expiry:
            return {row.lease_check_at_ms, row.vector.ownership_state == OwnershipState::leased};
        case Timer::delayed_promotion:
            return {row.delay_until_ms, row.vector.eligibility_state == EligibilityState::not_eligible_until_time};
        case Timer::attempt_timeout:
            return {row.attempt_deadline_at_ms, row.vector.ownership_state == OwnershipState::leased};
        case Timer::execution_deadline:
            break;
    }
    return {row.deadline_check_at_ms, row.vector.lifecycle_phase != LifecyclePhase::terminal};
}

bool admits(const DueFilter& filter, const ExecutionRow& row) {
    if (filter.namespace_name && row.namespace_name != *filter.namespace_name) return false;
    if (!filter.tag) return true;
    const Tags tags = tags_of(row.tags);
    const auto tag = tags.find(filter.tag->first);
    return tag != tags.end() && tag->second == filter.tag->second;
}

class Writer final : public StoreWriter {
  public:
    explicit Writer(std::shared_ptr<Database> database) : database_(std::move(database)) {
        const std::lock_guard lock(database_->mutex);
        const std::uint64_t number = ++database_->writers_opened;
        for (unsigned i = 0; i < 8; ++i) id_.bytes[8 + i] = static_cast<std::uint8_t>(number >> (56U - 8U * i));
        database_->writers[id_] = 0;
    }
    // The marker stays: a lost reply may still be asked about.
    ~Writer() override { release(); }

    StoreResult<Routes> ensure_classes(const std::vector<ClassSpec>& specs) override {
        const std::lock_guard lock(database_->mutex);
        auto& classes = database_->classes;
        for (const ClassSpec& spec : specs) {
            const auto same = [&](const ClaimClass& c) {
                return c.lane_id == spec.lane_id && c.required_capabilities == spec.required_capabilities;
            };
            if (std::ranges::any_of(classes, same)) continue;
            database_->lanes.try_emplace(spec.lane_id, LaneRow{.lane_id = spec.lane_id,
                                                               .registered_at_ms = database_->now(),
                                                               .registered_by = "create_execution"});
            classes.push_back(
                {static_cast<std::int32_t>(classes.size()) + 1, spec.lane_id, spec.required_capabilities});
        }
        return database_->routes();
    }

    StoreResult<Loaded> load(const LoadRequest& request) override {
        const std::lock_guard lock(database_->mutex);
        const Fault fault = database_->fault_at(FaultPoint::load);
        if (fault == Fault::contention) return StoreError{StoreFault::contention, "injected contention"};
        if (fault == Fault::disconnect) return StoreError{StoreFault::connection, "injected disconnect"};
        Loaded loaded;
        if (!lock_lanes(request)) return StoreError{StoreFault::contention, "lanes are held by another writer"};
        loaded.lane_revision = database_->lane_revision;
        for (const std::string& id : request.lanes) {
            if (const auto lane = database_->lanes.find(id); lane != database_->lanes.end()) {
                loaded.lanes.load(lane->second);
            }
        }
        for (const ConsumerKey& key : request.consumers) {
            if (!hold_outbox(key.channel)) {
                release_locks();
                return StoreError{StoreFault::contention, "the outbox is held by another writer"};
            }
            if (const auto row = database_->consumers.find(key); row != database_->consumers.end()) {
                loaded.consumers.load(row->second);
            }
        }
        loaded.trimmed = database_->trimmed;
        if (fault == Fault::busy_rows && !request.patient) {
            for (const ExecutionId& id : request.executions) {
                if (database_->executions.contains(id)) loaded.busy.push_back(id);
            }
        } else {
            lock_rows(request, loaded);
            // Nobody waits here: a patient caller is told at once what a lock timeout would tell it.
            if (request.patient && !(loaded.busy.empty() && loaded.busy_keys.empty())) {
                release_locks();
                return StoreError{StoreFault::contention, "the row is held by another writer"};
            }
        }
        std::set<ExecutionId> taken;
        for (const ClaimSelection& selection : request.claims) {
            loaded.claims.push_back(select_claimable(selection, taken));
        }
        loaded.now_ms = database_->now();
        return loaded;
    }

    StoreResult<void> save(const WorkingSet& changes) override {
        const std::lock_guard lock(database_->mutex);
        const Fault before = database_->fault_at(FaultPoint::before_commit);
        if (before != Fault::none) {
            release_locks();
            if (before == Fault::contention) return StoreError{StoreFault::contention, "injected contention"};
            return StoreError{StoreFault::connection, "injected disconnect"};
        }
        const auto marker = database_->writers.find(id_);
        if (marker == database_->writers.end()) {
            release_locks();
            return StoreError{StoreFault::connection, "this writer was declared dead"};
        }
        ++batch_no_;
        marker->second = batch_no_;
        write(changes);
        release_locks();
        if (database_->fault_at(FaultPoint::after_commit) == Fault::disconnect) {
            return StoreError{StoreFault::unknown_outcome, "injected lost reply", {id_, batch_no_}};
        }
        return {};
    }

    void abandon() override { release(); }

    StoreResult<bool> outcome(const Marker& marker) override {
        const std::lock_guard lock(database_->mutex);
        const auto found = database_->writers.find(marker.writer_id);
        if (found == database_->writers.end()) return false;
        const bool committed = found->second >= marker.batch_no;
        database_->writers.erase(found);
        return committed;
    }

    StoreResult<std::uint32_t> retire_lease_checks(std::uint32_t limit) override {
        const std::lock_guard lock(database_->mutex);
        const std::int64_t now = database_->now();
        std::uint32_t retired = 0;
        for (auto& [id, stored] : database_->executions) {
            const bool idle = stored.row.vector.ownership_state != OwnershipState::leased;
            const bool due = stored.row.lease_check_at_ms && *stored.row.lease_check_at_ms <= now;
            if (!idle || !due || database_->locked.contains(id)) continue;
            if (retired == limit) break;
            stored.row.lease_check_at_ms.reset();
            ++retired;
        }
        return retired;
    }

    StoreResult<OutboxState> open_outbox(Channel channel) override {
        constexpr std::size_t at_once = 1000;
        const std::lock_guard lock(database_->mutex);
        if (!hold_outbox(channel)) return StoreError{StoreFault::contention, "the outbox is held by another writer"};
        OutboxState state{.now_ms = database_->now(), .trimmed = database_->trimmed[index_of(channel)]};
        for (const auto& [key, row] : database_->consumers) {
            if (key.channel != channel) continue;
            state.slowest_consumer = std::min(state.slowest_consumer.value_or(row.event_id), row.event_id);
        }
        for (const CompletionEvent& event : database_->completion_events.events) {
            if (channel != Channel::completion || event.dispatched_at_ms) continue;
            state.first_undispatched = event.event_id;
            break;
        }
        database_->with_log(channel, [&](const auto& log) {
            if (log.events.empty()) return;
            const auto& last = log.events[std::min(at_once, log.events.size()) - 1];
            state.oldest.push_back({.last_id = last.event_id, .newest_at_ms = time_of(last)});
        });
        return state;
    }

    StoreResult<void> trim_outbox(Channel channel, const Trim& trim) override {
        const std::lock_guard lock(database_->mutex);
        database_->with_log(channel, [&](auto& log) {
            std::erase_if(log.events, [&](const auto& event) { return event.event_id <= trim.through; });
        });
        database_->trimmed[index_of(channel)] = trim.through;
        release_locks();
        return {};
    }

    std::optional<std::chrono::milliseconds> notifications_due() override { return std::nullopt; }
    void flush_notifications() override {}
    StoreResult<void> maintain() override { return {}; }

  private:
    // Creations share the lanes, a change of a lane has them alone.
    bool lock_lanes(const LoadRequest& request) {
        const auto changer = database_->lane_changer;
        if (changer && *changer != id_ && (request.creates || !request.lanes.empty())) return false;
        if (!request.lanes.empty()) {
            const bool alone = std::ranges::all_of(database_->creating, [&](const Uuid& id) { return id == id_; });
            if (!alone) return false;
            database_->lane_changer = id_;
        }
        if (request.creates) database_->creating.insert(id_);
        return true;
    }

    bool hold_outbox(Channel channel) {
        auto& holder = database_->outbox_holders[index_of(channel)];
        if (holder && *holder != id_) return false;
        holder = id_;
        return true;
    }

    void lock_rows(const LoadRequest& request, Loaded& loaded) {
        const auto held_by_other = [&](const auto& locks, const auto& key) {
            const auto holder = locks.find(key);
            return holder != locks.end() && holder->second != id_;
        };
        for (const IdempotencyKey& key : request.idempotency_keys) {
            if (held_by_other(database_->locked_keys, key)) {
                loaded.busy_keys.push_back(key);
                continue;
            }
            // An absent key is locked too: the next writer to come must see who took it.
            database_->locked_keys[key] = id_;
            if (const auto row = database_->idempotency.find(key); row != database_->idempotency.end()) {
                loaded.idempotency.push_back(row->second);
            }
        }
        for (const ExecutionId& id : request.executions) {
            if (held_by_other(database_->locked, id)) {
                loaded.busy.push_back(id);
                continue;
            }
            database_->locked[id] = id_;
            if (const auto stored = database_->executions.find(id); stored != database_->executions.end()) {
                loaded.executions.push_back(stored->second.row);
            }
        }
    }

    Claimable select_claimable(const ClaimSelection& selection, std::set<ExecutionId>& taken) {
        std::vector<const ExecutionRow*> reclaimable;
        std::vector<const ExecutionRow*> eligible;
        for (const auto& [id, stored] : database_->executions) {
            const ExecutionRow& row = stored.row;
            if (!std::ranges::binary_search(selection.class_ids, row.class_id)) continue;
            const auto holder = database_->locked.find(id);
            const bool held = holder != database_->locked.end() && holder->second != id_;
            if (held || taken.contains(id)) continue;
            if (row.reclaimable_since_ms) reclaimable.push_back(&row);
            if (is_eligible(row)) eligible.push_back(&row);
        }
        Claimable found;
        for (auto* rows : {&reclaimable, &eligible}) {
            std::ranges::sort(*rows, before_in_claim_order);
            if (rows->size() > selection.count) rows->resize(selection.count);
            for (const ExecutionRow* row : *rows) {
                database_->locked[row->id] = id_;
                taken.insert(row->id);
                found.rows.push_back({.row = *row, .input = database_->executions.at(row->id).input});
            }
        }
        return found;
    }

    void write(const WorkingSet& changes) {
        for (const ExecutionEntry& entry : changes.executions) {
            if (entry.change == RowChange::none) continue;
            StoredExecution& stored = database_->executions[entry.row.id];
            stored.row = entry.row;
            if (entry.change == RowChange::insert) stored.input = entry.input.value_or(Bytes{});
            if (entry.clear_result) stored.result.reset();
            if (entry.result) stored.result = entry.result;
        }
        for (const AttemptRow& row : changes.attempts) {
            database_->attempts.emplace(std::pair(row.execution_id, row.attempt_index), row);
        }
        for (const IdempotencyRow& row : changes.idempotency) database_->idempotency[row.key] = row;
        database_->lease_events.append(changes.lease_events);
        database_->completion_events.append(changes.completion_events);
        database_->operator_events.append(changes.operator_events);
        for (const LaneRow& lane : changes.lanes.puts()) database_->lanes.insert_or_assign(lane.lane_id, lane);
        if (changes.lanes.changed()) ++database_->lane_revision;
        for (const ConsumerRow& row : changes.consumers.puts()) database_->consumers.insert_or_assign(row.key, row);
        for (const ConsumerKey& key : changes.consumers.erased()) database_->consumers.erase(key);
    }

    void release() {
        const std::lock_guard lock(database_->mutex);
        release_locks();
    }

    void release_locks() {
        std::erase_if(database_->locked, [&](const auto& held) { return held.second == id_; });
        std::erase_if(database_->locked_keys, [&](const auto& held) { return held.second == id_; });
        database_->creating.erase(id_);
        if (database_->lane_changer == id_) database_->lane_changer.reset();
        for (auto& holder : database_->outbox_holders) {
            if (holder == id_) holder.reset();
        }
    }

    std::shared_ptr<Database> database_;
    Uuid id_;
    std::int64_t batch_no_ = 0;
};

class Reader final : public StoreReader {
  public:
    explicit Reader(std::shared_ptr<Database> database) : database_(std::move(database)) {}

    StoreResult<std::int64_t> now() override { return database_->now(); }

    StoreResult<Due> select_due(Timer timer, std::uint32_t limit, const DueFilter& filter) override {
        const std::lock_guard lock(database_->mutex);
        Due due{.now_ms = database_->now()};
        std::vector<std::pair<std::int64_t, ExecutionId>> found;
        for (const auto& [id, stored] : database_->executions) {
            const auto [at, applies] = timer_of(stored.row, timer);
            if (!at) continue;
            if (*at > due.now_ms) {
                due.next_at_ms = std::min(due.next_at_ms.value_or(*at), *at);
            } else if (applies && admits(filter, stored.row)) {
                found.emplace_back(*at, id);
            }
        }
        std::ranges::sort(found);
        if (!found.empty()) due.oldest_at_ms = found.front().first;
        for (const auto& [at, id] : found) {
            if (due.executions.size() < limit) due.executions.push_back(id);
        }
        return due;
    }

    StoreResult<std::optional<ExecutionRow>> execution(const ExecutionId& id) override {
        return find(id, [](const StoredExecution& stored) { return std::optional(stored.row); });
    }
    StoreResult<std::optional<Bytes>> input(const ExecutionId& id) override {
        return find(id, [](const StoredExecution& stored) { return std::optional(stored.input); });
    }
    StoreResult<std::optional<Bytes>> result(const ExecutionId& id) override {
        return find(id, [](const StoredExecution& stored) { return stored.result; });
    }

    StoreResult<std::vector<AttemptRow>> attempts(const ExecutionId& id) override {
        const std::lock_guard lock(database_->mutex);
        std::vector<AttemptRow> rows;
        for (auto at = database_->attempts.lower_bound({id, 0});
             at != database_->attempts.end() && at->first.first == id; ++at) {
            rows.push_back(at->second);
        }
        return rows;
    }

    StoreResult<std::vector<ExecutionRow>> list(const ExecutionListQuery& query) override {
        const std::lock_guard lock(database_->mutex);
        std::vector<ExecutionRow> rows;
        auto at = query.after ? database_->executions.upper_bound(*query.after) : database_->executions.begin();
        for (; at != database_->executions.end() && rows.size() < query.limit; ++at) {
            const ExecutionRow& row = at->second.row;
            const bool wanted = (!query.state || row.vector.public_state == *query.state) &&
                                (!query.partition || row.id.partition == *query.partition);
            if (wanted) rows.push_back(row);
        }
        return rows;
    }

    StoreResult<std::vector<LaneRow>> lanes() override {
        const std::lock_guard lock(database_->mutex);
        std::vector<LaneRow> rows;
        for (const auto& [id, lane] : database_->lanes) rows.push_back(lane);
        return rows;
    }
    StoreResult<Routes> routes() override {
        const std::lock_guard lock(database_->mutex);
        return database_->routes();
    }
    StoreResult<std::vector<Submission>> submissions(std::uint32_t) override { return std::vector<Submission>{}; }
    StoreResult<std::optional<Submission>> submission(const ExecutionId&) override {
        return std::optional<Submission>{};
    }
    StoreResult<std::vector<IdempotencyRow>> idempotency_keys() override {
        const std::lock_guard lock(database_->mutex);
        std::vector<IdempotencyRow> rows;
        for (const auto& [key, row] : database_->idempotency) rows.push_back(row);
        return rows;
    }

    StoreResult<std::vector<Watermark>> watermarks(const std::vector<Channel>& asked) override {
        const std::lock_guard lock(database_->mutex);
        std::vector<Watermark> found;
        for (const Channel channel : asked) {
            const auto last = database_->with_log(channel, [](const auto& log) { return log.last_id; });
            found.push_back({.decided = last, .drawn = last});
        }
        return found;
    }

    StoreResult<EventPage> tail(Channel channel, std::int64_t after, std::int64_t up_to, std::uint32_t limit) override {
        const std::lock_guard lock(database_->mutex);
        EventPage page{.events = {}, .trimmed = database_->trimmed[index_of(channel)]};
        database_->with_log(channel, [&](const auto& log) {
            auto event = std::ranges::upper_bound(log.events, after, {}, [](const auto& e) { return e.event_id; });
            for (; event != log.events.end() && event->event_id <= up_to && page.events.size() < limit; ++event) {
                page.events.emplace_back(*event);
            }
        });
        return page;
    }

    StoreResult<std::vector<ConsumerRow>> consumers() override {
        const std::lock_guard lock(database_->mutex);
        std::vector<ConsumerRow> rows;
        for (const auto& [key, row] : database_->consumers) rows.push_back(row);
        return rows;
    }

  private:
    template <class Pick>
    auto find(const ExecutionId& id, Pick pick) -> StoreResult<decltype(pick(std::declval<const StoredExecution&>()))> {
        const std::lock_guard lock(database_->mutex);
        const auto stored = database_->executions.find(id);
        if (stored == database_->executions.end()) return decltype(pick(stored->second)){};
        return pick(stored->second);
    }

    std::shared_ptr<Database> database_;
};

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
    StoreResult<std::unique_ptr<StoreWriter>> open_writer() override {
        return std::unique_ptr<StoreWriter>(std::make_unique<Writer>(database_));
    }
    StoreResult<std::unique_ptr<StoreReader>> open_reader() override {
        return std::unique_ptr<StoreReader>(std::make_unique<Reader>(database_));
    }
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
