#include <algorithm>
#include <memory>
#include <set>

#include "core/claim/order.hpp"
#include "core/rows/event_rows.hpp"
#include "core/suspension/accepted_signals.hpp"
#include "store/memory/database.hpp"

namespace flowfabric::memory {
namespace {

constexpr std::chrono::seconds lock_timeout{2};

bool is_eligible(const ExecutionRow& row) {
    return row.vector.eligibility_state == EligibilityState::eligible_now;
}

bool before_in_claim_order(const ExecutionRow* a, const ExecutionRow* b) {
    return claim_place(*a) < claim_place(*b);
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

    StoreResult<Routes> ensure_classes(const RoutesWanted& wanted) override {
        const std::lock_guard lock(database_->mutex);
        auto& classes = database_->classes;
        for (const ClassSpec& spec : wanted.missing) {
            const auto same = [&](const ClaimClass& c) {
                return c.lane_id == spec.lane_id && c.required_capabilities == spec.required_capabilities;
            };
            if (std::ranges::any_of(classes, same)) continue;
            database_->side.of<LaneRow>().rows.try_emplace(
                {spec.lane_id},
                LaneRow{
                    .key = {spec.lane_id}, .registered_at_ms = database_->now(), .registered_by = "create_execution"});
            classes.push_back(
                {static_cast<std::int32_t>(classes.size()) + 1, spec.lane_id, spec.required_capabilities});
        }
        Routes routes = database_->routes();
        std::erase_if(routes.classes, [&](const ClaimClass& known) {
            return !std::ranges::binary_search(wanted.lanes, known.lane_id);
        });
        return routes;
    }

    // A load waits for rows beside executions that others hold, and a patient one for all, as on a server up to its
    // lock timeout. A test's clock stands still meanwhile: there the load fails at once.
    StoreResult<Loaded> load(const LoadRequest& request) override {
        std::unique_lock lock(database_->mutex);
        const Fault fault = database_->fault_at(FaultPoint::load);
        if (fault == Fault::contention) return StoreError{StoreFault::contention, "injected contention"};
        if (fault == Fault::disconnect) return StoreError{StoreFault::connection, "injected disconnect"};
        const bool waits = !database_->options.clock;
        const auto give_up = std::chrono::steady_clock::now() + lock_timeout;
        for (;;) {
            auto loaded = try_load(request, fault);
            if (loaded) return loaded;
            forget_locks();  // no other writer has seen them, so none is told
            const bool held = loaded.error().fault == StoreFault::contention;
            if (!held || !waits) return loaded;
            if (database_->released.wait_until(lock, give_up) == std::cv_status::timeout) return loaded;
        }
    }

    StoreResult<std::vector<Undispatched>> save(const WorkingSet& changes) override {
        const std::lock_guard lock(database_->mutex);
        const Fault before = database_->fault_at(FaultPoint::before_commit);
        if (before != Fault::none) {
            release_locks();
            if (before == Fault::contention) return StoreError{StoreFault::contention, "injected contention"};
            return StoreError{StoreFault::connection, "injected disconnect"};
        }
        if (creates_on_ && *creates_on_ != database_->lane_revision) {
            release_locks();
            return StoreError{StoreFault::contention, "a lane has changed since the creations were decided"};
        }
        const auto marker = database_->writers.find(id_);
        if (marker == database_->writers.end()) {
            release_locks();
            return StoreError{StoreFault::connection, "this writer was declared dead"};
        }
        ++batch_no_;
        marker->second = batch_no_;
        const std::int64_t last_end = database_->logs.of<CompletionEvent>().last_id;
        write(changes);
        release_locks();
        if (database_->fault_at(FaultPoint::after_commit) == Fault::disconnect) {
            return StoreError{StoreFault::unknown_outcome, "injected lost reply", {id_, batch_no_}};
        }
        return ends_of_members_after(last_end);
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

    StoreResult<std::uint32_t> sweep(std::uint32_t limit, std::int64_t age_ms) override {
        const std::lock_guard lock(database_->mutex);
        const std::int64_t now = database_->now();
        const auto remove = [&](auto& rows, auto&& goes) {
            std::uint32_t removed = 0;
            for (auto row = rows.begin(); row != rows.end() && removed < limit;) {
                if (goes(*row)) {
                    row = rows.erase(row);
                    ++removed;
                } else {
                    ++row;
                }
            }
            return removed;
        };
        const auto lapsed = [&](const auto& entry) { return entry.second.expires_at_ms <= now; };
        const auto& locked = database_->locked_keys;
        return remove(database_->idempotency,
                      [&](const auto& entry) { return lapsed(entry) && !locked.contains(entry.first); }) +
               remove(database_->side.of<SignalDedupRow>().rows, lapsed) +
               remove(database_->side.of<ClaimRequestRow>().rows, lapsed) +
               remove(database_->side.of<BudgetDedupRow>().rows, lapsed) +
               remove(database_->side.of<WorkerEventRow>().rows,
                      [&](const auto& entry) { return entry.first.event_at_ms <= now - age_ms; });
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
        for (const auto& [key, row] : database_->side.of<ConsumerRow>().rows) {
            if (key.channel != channel) continue;
            state.slowest_consumer = std::min(state.slowest_consumer.value_or(row.event_id), row.event_id);
        }
        for (const CompletionEvent& event : database_->logs.of<CompletionEvent>().events) {
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
    // Fails only where it has to wait for rows: those beside executions, and all of a patient request.
    StoreResult<Loaded> try_load(const LoadRequest& request, Fault fault) {
        Loaded loaded;
        loaded.lane_revision = database_->lane_revision;
        if (request.creates) creates_on_ = database_->lane_revision;
        loaded.setting_revision = database_->setting_revision;
        if (!lock_side_rows(request, loaded) || !lock_ends(request, loaded)) {
            return StoreError{StoreFault::contention, "a row is held by another writer"};
        }
        loaded.trimmed = database_->trimmed;
        for (const Channel channel : channels) {
            loaded.drawn[index_of(channel)] = database_->with_log(channel, [](const auto& log) { return log.last_id; });
        }
        if (fault == Fault::busy_rows && !request.patient) {
            for (const ExecutionId& id : executions_wanted(request)) {
                if (database_->executions.contains(id)) loaded.busy.push_back(id);
            }
            lock_live_members(request, 0, loaded);
        } else {
            lock_named_rows(request, loaded);
            lock_live_members(request, request.flows.live_members, loaded);
            if (request.patient && !(loaded.busy.empty() && loaded.busy_keys.empty())) {
                return StoreError{StoreFault::contention, "the row is held by another writer"};
            }
        }
        read_owned_rows(database_->side, loaded.executions, loaded.side);
        for (const ExecutionRow& row : loaded.executions) {
            const bool wanted = std::ranges::binary_search(request.inputs_of, row.id);
            if (wanted) loaded.inputs.emplace(row.id, database_->executions.at(row.id).input);
        }
        for (const FlowKey& flow : request.flows.members_of) loaded.members[flow] = database_->members(flow);
        Taken taken;
        for (const ClaimSelection& selection : request.claims) {
            loaded.claims.push_back(select_claimable(selection, taken));
        }
        for (const RunKey& run : runs_with_signals(request, loaded)) load_signals(run, loaded.side);
        loaded.now_ms = database_->now();
        return loaded;
    }

    bool hold_outbox(Channel channel) {
        auto& holder = database_->outbox_holders[index_of(channel)];
        if (holder && *holder != id_) return false;
        holder = id_;
        return true;
    }

    template <class Locks, class Key>
    bool held_by_other(const Locks& locks, const Key& key) const {
        const auto holder = locks.find(key);
        return holder != locks.end() && holder->second != id_;
    }

    bool lock_side_rows(const LoadRequest& request, Loaded& loaded) {
        for (const ConsumerKey& key : request.side.of<ConsumerRow>().keys) {
            if (!hold_outbox(key.channel)) return false;
        }
        if (!lock_rows(database_->side, request.side, id_)) return false;
        read_rows(database_->side, request.side, loaded.side);
        return true;
    }

    bool lock_ends(const LoadRequest& request, Loaded& loaded) {
        for (const std::int64_t id : request.flows.ends) {
            if (held_by_other(database_->locked_ends, id)) return false;
            database_->locked_ends[id] = id_;
            if (find_undispatched(id) != nullptr) loaded.ends.push_back(id);
        }
        return true;
    }

    CompletionEvent* find_undispatched(std::int64_t id) const {
        auto& events = database_->logs.of<CompletionEvent>().events;
        const auto event = std::ranges::lower_bound(events, id, {}, &CompletionEvent::event_id);
        const bool found = event != events.end() && event->event_id == id && !event->dispatched_at_ms;
        return found ? &*event : nullptr;
    }

    // Those that are named, and the children of flows.
    std::set<ExecutionId> executions_wanted(const LoadRequest& request) const {
        std::set<ExecutionId> wanted(request.executions.begin(), request.executions.end());
        for (const auto& [key, group] : database_->side.of<EdgeGroupRow>().rows) {
            const bool pending = group.group_state == GroupState::pending;
            if (pending && std::ranges::binary_search(request.flows.children_of, key.flow))
                wanted.insert(key.execution());
        }
        return wanted;
    }

    void load_signals(const RunKey& run, SideTables& into) {
        const auto& payloads = database_->side.of<SignalPayloadRow>().rows;
        const auto& signals = database_->side.of<SignalRow>().rows;
        std::vector<SignalRow> of_run;
        for (auto at = signals.lower_bound({run.execution_id, 0}); at != signals.end(); ++at) {
            if (at->second.owner() != run.execution_id) break;
            if (at->second.replay_count == run.replay_count) of_run.push_back(at->second);
        }
        std::ranges::sort(of_run, is_given_before);
        SignalAllowance allowance;
        for (const SignalRow& signal : of_run) {
            const auto payload = payloads.find(signal.key);
            into.of<SignalRow>().load(signal);
            if (payload != payloads.end()) into.of<SignalPayloadRow>().load(payload->second);
            if (!allowance.take(payload == payloads.end() ? 0 : payload->second.payload.bytes.size())) return;
        }
    }

    void lock_named_rows(const LoadRequest& request, Loaded& loaded) {
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
        for (const ExecutionId& id : executions_wanted(request)) {
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

    // Those that are locked already come without a limit.
    void lock_live_members(const LoadRequest& request, std::uint32_t limit, Loaded& loaded) {
        for (const FlowKey& flow : request.flows.live_members_of) {
            for (const FlowMember& member : database_->members(flow)) {
                const auto holder = database_->locked.find(member.id);
                const bool ours = holder != database_->locked.end() && holder->second == id_;
                if (ours || member.phase == LifecyclePhase::terminal) continue;
                if (limit == 0 || holder != database_->locked.end()) {
                    loaded.members[flow].push_back(member);
                    continue;
                }
                --limit;
                database_->locked[member.id] = id_;
                loaded.executions.push_back(database_->executions.at(member.id).row);
            }
        }
    }

    // What the selections of one load have got.
    struct Taken {
        std::set<ExecutionId> ids;
        std::size_t bytes = 0;  // of their inputs
    };

    Claimable select_claimable(const ClaimSelection& selection, Taken& taken) {
        const std::int64_t now = database_->now();
        std::vector<const ExecutionRow*> reclaimable;
        std::vector<const ExecutionRow*> eligible;
        for (const auto& [id, stored] : database_->executions) {
            const ExecutionRow& row = stored.row;
            if (!std::ranges::binary_search(selection.class_ids, row.class_id)) continue;
            const auto holder = database_->locked.find(id);
            const bool held = holder != database_->locked.end() && holder->second != id_;
            const bool granted = row.grant_until_ms && *row.grant_until_ms > now;
            if (held || granted || taken.ids.contains(id)) continue;
            if (row.reclaimable_since_ms) reclaimable.push_back(&row);
            if (is_eligible(row)) eligible.push_back(&row);
        }
        Claimable found;
        for (auto* rows : {&reclaimable, &eligible}) {
            std::ranges::sort(*rows, before_in_claim_order);
            if (rows->size() > selection.count) rows->resize(selection.count);
            for (const ExecutionRow* row : *rows) {
                found.cut = taken.bytes >= max_claimed_bytes;
                if (found.cut) return found;
                taken.bytes += database_->executions.at(row->id).input.size();
                database_->locked[row->id] = id_;
                taken.ids.insert(row->id);
                found.rows.push_back({.row = *row, .input = database_->executions.at(row->id).input});
            }
        }
        return found;
    }

    void write(const WorkingSet& changes) {
        for (const LaneCountsRow& lane : count_changes(changes)) {
            add_counts(database_->lane_counts[lane.lane_id], lane.counts);
        }
        for (const ExecutionEntry& entry : changes.executions) {
            if (entry.change == RowChange::none) continue;
            if (entry.change == RowChange::erase) {
                erase(entry.row.id);
                continue;
            }
            StoredExecution& stored = database_->executions[entry.row.id];
            stored.row = entry.row;
            if (entry.change == RowChange::insert) stored.input = entry.input.value_or(Bytes{});
            if (entry.clear_result) stored.result.reset();
            if (entry.result) stored.result = entry.result;
        }
        for (const InputCopy& copy : changes.input_copies) copy_input(copy);
        for (const AttemptRow& row : changes.attempts) {
            database_->attempts.emplace(std::pair(row.execution_id, row.attempt_index), row);
        }
        for (const IdempotencyRow& row : changes.idempotency) database_->idempotency[row.key] = row;
        mark_dispatched(changes.dispatched, changes.now_ms);
        changes.events.each([&]<class E>(const EventList<E>& events) { database_->logs.of<E>().append(events); });
        if (changes.side.of<LaneRow>().changed()) ++database_->lane_revision;
        if (changes.side.of<SettingRow>().changed()) ++database_->setting_revision;
        write_rows(database_->side, changes.side);
    }

    void copy_input(const InputCopy& copy) {
        const auto from = database_->executions.find(copy.from);
        const auto to = database_->executions.find(copy.to);
        const auto end = database_->executions.end();
        if (from == end || to == end || !from->second.result) return;
        auto& inputs = database_->flow_inputs[copy.to];
        inputs.insert_or_assign(copy.edge_id, FlowInput{copy.ref, *from->second.result});
        to->second.input = inputs.rbegin()->second.payload;
    }

    void mark_dispatched(const std::vector<std::int64_t>& ids, std::int64_t now_ms) {
        for (const std::int64_t id : ids) {
            if (CompletionEvent* event = find_undispatched(id)) event->dispatched_at_ms = now_ms;
        }
    }

    std::vector<Undispatched> ends_of_members_after(std::int64_t event_id) const {
        const auto& events = database_->logs.of<CompletionEvent>().events;
        std::vector<Undispatched> ends;
        auto event = std::ranges::upper_bound(events, event_id, {}, &CompletionEvent::event_id);
        for (; event != events.end(); ++event) {
            if (event->flow_id) ends.push_back(undispatched_end(*event));
        }
        return ends;
    }

    void erase(const ExecutionId& id) {
        erase_owned_rows(database_->side, id);
        std::erase_if(database_->attempts, [&](const auto& entry) { return entry.first.first == id; });
        database_->flow_inputs.erase(id);
        database_->executions.erase(id);
    }

    void release() {
        const std::lock_guard lock(database_->mutex);
        release_locks();
    }

    void release_locks() {
        forget_locks();
        database_->released.notify_all();
    }

    void forget_locks() {
        std::erase_if(database_->locked, [&](const auto& held) { return held.second == id_; });
        std::erase_if(database_->locked_keys, [&](const auto& held) { return held.second == id_; });
        std::erase_if(database_->locked_ends, [&](const auto& held) { return held.second == id_; });
        creates_on_.reset();
        release_rows(database_->side, id_);
        for (auto& holder : database_->outbox_holders) {
            if (holder == id_) holder.reset();
        }
    }

    std::shared_ptr<Database> database_;
    Uuid id_;
    std::int64_t batch_no_ = 0;
    // The revision of the lanes that creations between load and save were decided on. A change of a lane never waits
    // for them: they are decided again, so that a stream of creations cannot hold it up.
    std::optional<std::int64_t> creates_on_;
};

}  // namespace

std::unique_ptr<StoreWriter> make_writer(std::shared_ptr<Database> database) {
    return std::make_unique<Writer>(std::move(database));
}

}  // namespace flowfabric::memory
