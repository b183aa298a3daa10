#include "engine/batching/batcher.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/id_source.hpp"
#include "core/claim/admitted_claim.hpp"
#include "core/claim/claim_request.hpp"
#include "core/execution/creation.hpp"
#include "engine/batching/load_plan.hpp"
#include "store/fault.hpp"

namespace flowfabric {
namespace {

constexpr SteadyMs first_backoff_ms = 5;
constexpr SteadyMs longest_backoff_ms = 1000;
// So many looks at part of the ranges are still cheaper than one at all of them.
constexpr std::uint8_t max_partial_looks = 16;
constexpr std::size_t max_riding_requests = 32;

// 5, 10, 20 … ms, each up to a half longer by the command's number, so that engines do not retry in step.
SteadyMs backoff(std::uint8_t tries, CommandId salt) {
    const SteadyMs base = std::min<SteadyMs>(first_backoff_ms << std::min<unsigned>(tries, 10), longest_backoff_ms);
    return base + static_cast<SteadyMs>(mix64(salt + tries) % static_cast<std::uint64_t>(base / 2 + 1));
}

// Whether another claim of the same request has just been served: this one is to get the same.
bool is_served_already(const PendingCommand& pending, const BatchDecision& decision) {
    const AdmittedClaim* claim = pending.command->claim();
    const auto request = claim == nullptr ? std::nullopt : request_key(claim->claim);
    return request && decision.set.side.of<ClaimRequestRow>().find(*request) != nullptr;
}

}  // namespace

EngineError Batcher::overdue(ErrorKind kind, std::string_view command, std::string_view why) const {
    std::string detail = std::string(command).append(": ").append(why);
    if (!last_fault_.empty()) detail.append("; last store fault: ").append(last_fault_);
    return {.kind = kind, .detail = std::move(detail)};
}

std::optional<EngineError> Batcher::submit(PendingCommand command) {
    if (queued_ >= policy_.max_queued) {
        return EngineError{.kind = ErrorKind::resource_exhausted,
                           .detail = "command queue is full (" + std::to_string(policy_.max_queued) + ")"};
    }
    ++queued_;
    ready_rows_ += command.rows;
    queue_of(command.command).push_back(std::move(command));
    return std::nullopt;
}

bool Batcher::blocked_by_flight(const PendingCommand& pending) const {
    return std::ranges::any_of(pending.command->executions(),
                               [&](const ExecutionId& id) { return in_flight_.contains(id); });
}

// Moves commands from the front of the queue while they fit; those whose row is in flight keep their place.
bool Batcher::take(std::deque<PendingCommand>& queue, Batch& batch, std::uint32_t up_to_rows) {
    std::uint32_t rows = 0;
    std::size_t bytes = 0;
    for (const PendingCommand& taken : batch.commands) {
        rows += taken.rows;
        bytes += taken.bytes;
    }
    std::deque<PendingCommand> held;
    // A queue's first command always fits: one that is larger than its share must not wait for a batch without others.
    bool first = std::ranges::none_of(batch.commands,
                                      [&](const PendingCommand& taken) { return &queue_of(taken.command) == &queue; });
    while (!queue.empty()) {
        PendingCommand& front = queue.front();
        const bool fits = first || (rows + front.rows <= up_to_rows && bytes + front.bytes <= policy_.max_bytes);
        if (!fits) break;
        if (blocked_by_flight(front)) {
            held.push_back(std::move(front));
        } else {
            rows += front.rows;
            ready_rows_ -= front.rows;
            bytes += front.bytes;
            first = false;
            batch.commands.push_back(std::move(front));
        }
        queue.pop_front();
    }
    queue.insert(queue.begin(), std::make_move_iterator(held.begin()), std::make_move_iterator(held.end()));
    return !batch.commands.empty();
}

std::optional<Batch> Batcher::next_retry(WriterRole role, SteadyMs now) {
    const auto blocked = [&](const PendingCommand& pending) { return blocked_by_flight(pending); };
    for (auto retry = retries_.begin(); retry != retries_.end(); ++retry) {
        if (retry->batch.patient != (role == WriterRole::patient) || retry->not_before > now) continue;
        if (std::ranges::any_of(retry->batch.commands, blocked)) continue;
        Batch batch = std::move(retry->batch);
        retries_.erase(retry);
        return batch;
    }
    return std::nullopt;
}

std::optional<Batch> Batcher::next(WriterRole role, SteadyMs now) {
    if (role == WriterRole::secondary && !second_writer_pays()) return std::nullopt;
    if (auto retry = next_retry(role, now)) return launch(std::move(*retry), now);
    if (role == WriterRole::patient) {
        const auto ready = std::ranges::find_if(patient_, [&](const auto& p) { return !blocked_by_flight(p); });
        if (ready == patient_.end()) return std::nullopt;
        Batch batch{.commands = {}, .patient = true};
        batch.commands.push_back(std::move(*ready));
        patient_.erase(ready);
        return launch(std::move(batch), now);
    }

    // Urgent first, but claims and bulk always get a share of what a batch holds.
    Batch batch;
    const std::uint32_t rows = rows_for_one_writer();
    const std::uint32_t share = rows / 4;
    const std::uint32_t kept_for_bulk = queue(Urgency::bulk).empty() ? 0 : share;
    const std::uint32_t kept_for_claims = queue(Urgency::claim).empty() ? 0 : share;
    take(queue(Urgency::urgent), batch, rows - kept_for_bulk - kept_for_claims);
    take(queue(Urgency::claim), batch, rows - kept_for_bulk);
    take(queue(Urgency::bulk), batch, rows);
    if (!take(queue(Urgency::urgent), batch, rows)) return std::nullopt;
    take_along_waiting_claims(batch);
    return launch(std::move(batch), now);
}

void Batcher::take_along_waiting_claims(Batch& batch) {
    const auto releases = [](const PendingCommand& pending) { return can_release_work(pending.command); };
    if (waiting_claims_.empty() || std::ranges::none_of(batch.commands, releases)) return;
    // For each with a request id a row is looked up. The others are woken by what these leave.
    std::size_t requests = 0;
    for (PendingCommand& claim : std::exchange(waiting_claims_, {})) {
        const bool rides = claim.command->claim()->claim.request_id.empty() || ++requests <= max_riding_requests;
        (rides ? batch.waiting_claims : waiting_claims_).push_back(std::move(claim));
    }
    queued_ -= batch.waiting_claims.size();
    waiting_in_flight_ += batch.waiting_claims.size();
}

// The batch's waiting claims wait again, ahead of later ones, unless work has become claimable that they have not seen.
void Batcher::set_down_waiting_claims(Batch& batch) {
    waiting_in_flight_ -= batch.waiting_claims.size();
    const bool look_again = batch.work_generation != work_generation_;
    while (!batch.waiting_claims.empty()) {
        PendingCommand claim = std::move(batch.waiting_claims.back());
        batch.waiting_claims.pop_back();
        if (look_again) {
            requeue(std::move(claim));
        } else {
            ++queued_;
            waiting_claims_.push_front(std::move(claim));
        }
    }
}

// With two writers at hand, what is enough for both is halved, so that they work at the same time. A transaction may
// become half as long again if that spares one for the rest.
std::uint32_t Batcher::rows_for_one_writer() const {
    const bool halve =
        policy_.second_writer && in_flight_batches_ == 0 && ready_rows_ >= 2 * policy_.second_writer_rows;
    const std::uint64_t wanted = halve ? (ready_rows_ + 1) / 2 : ready_rows_;
    const std::uint64_t most = std::min<std::uint64_t>(adapted_rows_ + adapted_rows_ / 2, policy_.max_rows);
    const std::uint32_t rows = wanted <= most ? static_cast<std::uint32_t>(wanted) : adapted_rows_;
    return halve ? rows : std::max(rows, adapted_rows_);
}

std::optional<Batch> Batcher::launch(Batch batch, SteadyMs now) {
    queued_ -= batch.commands.size();
    ++in_flight_batches_;
    std::ranges::sort(batch.commands, {}, &PendingCommand::id);
    for (const PendingCommand& pending : batch.commands) {
        for (const ExecutionId& id : pending.command->executions()) in_flight_.insert(id);
    }
    batch.started_at = now;
    batch.work_generation = work_generation_;
    InFlight& flight = flights_.emplace_back(InFlight{.last = batch.commands.back().id, .commands = {}});
    flight.commands.reserve(batch.commands.size() + batch.waiting_claims.size());
    for (const PendingCommand& pending : batch.commands) flight.add(pending);
    for (const PendingCommand& pending : batch.waiting_claims) flight.add(pending);
    return batch;
}

void Batcher::InFlight::add(const PendingCommand& pending) {
    commands.push_back({pending.id, pending.deadline, pending.command->traits().name});
    next_deadline = std::min(next_deadline, pending.deadline);
}

RoutesWanted Batcher::wanted_routes(const Batch& batch) const {
    RoutesWanted wanted = directory_.changes_wanted();
    for (const PendingCommand& pending : batch.commands) {
        for (const AdmittedCreate& create : pending.command->creations()) {
            ClassSpec spec{create.row.lane_id, create.row.required_capabilities};
            if (!directory_.class_of(spec)) wanted.missing.push_back(std::move(spec));
        }
        // A claim that has found nothing may have missed a class that another engine has made.
        if (const AdmittedClaim* claim = pending.command->claim(); claim != nullptr && pending.second_look) {
            wanted.lanes.insert(wanted.lanes.end(), claim->claim.lanes.begin(), claim->claim.lanes.end());
        }
    }
    for (const ClassSpec& spec : wanted.missing) wanted.lanes.push_back(spec.lane_id);
    const auto sort_unique = [](auto& values) {
        std::ranges::sort(values);
        values.erase(std::ranges::unique(values).begin(), values.end());
    };
    sort_unique(wanted.missing);
    sort_unique(wanted.lanes);
    return wanted;
}

bool Batcher::resolve_classes(Batch& batch, SteadyMs now) {
    batch.selections.clear();
    batch.lane_states = directory_.lane_states();
    batch.unreadable_lanes = directory_.unreadable_lanes();
    batch.lane_revision = directory_.lane_revision();
    batch.settings = directory_.settings();
    batch.setting_revision = directory_.setting_revision();
    batch.routed_at = directory_.moment();
    struct Group {
        std::vector<std::int32_t> classes;
        std::vector<std::size_t> commands;
        std::uint32_t rows = 0;
        bool full_scan = false;
    };
    std::vector<Group> groups;
    for (std::size_t i = 0; i < batch.commands.size(); ++i) {
        PendingCommand& pending = batch.commands[i];
        bool known = true;
        for (AdmittedCreate& create : pending.command->creations()) {
            const auto id = directory_.class_of({create.row.lane_id, create.row.required_capabilities});
            known = known && id;
            create.row.class_id = id.value_or(0);
        }
        if (!known) return false;
        if (const AdmittedClaim* wanted = pending.command->claim()) {
            const auto& classes = directory_.classes_for(wanted->claim.lanes, wanted->claim.capabilities);
            auto group = std::ranges::find(groups, classes, &Group::classes);
            if (group == groups.end()) group = groups.insert(groups.end(), Group{.classes = classes});
            group->commands.push_back(i);
            group->rows += wanted->claim.max_count;
            group->full_scan = group->full_scan || pending.second_look;
        }
    }
    for (Group& group : groups) {
        batch.selections.push_back(
            {directory_.select(std::move(group.classes), group.rows, group.full_scan, now), std::move(group.commands)});
    }
    return true;
}

void Batcher::land(const Batch& batch) {
    --in_flight_batches_;
    std::erase_if(flights_, [&](const InFlight& flight) { return flight.last == batch.commands.back().id; });
    for (const PendingCommand& pending : batch.commands) {
        for (const ExecutionId& id : pending.command->executions()) in_flight_.erase(id);
    }
}

// Transactions are kept near their target length: long ones hold locks, short ones waste round trips. A batch that was
// less than half full says nothing about full ones, unless it was quick.
void Batcher::adapt(const Batch& batch, SteadyMs now) {
    const SteadyMs took = std::max<SteadyMs>(now - batch.started_at, 1);
    std::uint32_t rows = 0;
    for (const PendingCommand& pending : batch.commands) rows += pending.rows;
    const std::int64_t allowed = adapted_rows_;
    std::int64_t fitting = allowed;
    if (rows >= adapted_rows_ / 2) {
        fitting = rows * policy_.target_ms / took;
    } else if (took < policy_.target_ms / 2) {
        fitting = 2 * allowed;
    }
    // A quarter of the way, so that one slow transaction is not taken for the rule.
    const std::int64_t next = allowed + (fitting - allowed) / 4;
    adapted_rows_ = static_cast<std::uint32_t>(std::clamp<std::int64_t>(next, policy_.min_rows, policy_.max_rows));
}

void Batcher::requeue(PendingCommand pending) {
    ++queued_;
    ready_rows_ += pending.rows;
    auto& queue = queue_of(pending.command);
    const auto place = std::ranges::lower_bound(queue, pending.id, {}, &PendingCommand::id);
    queue.insert(place, std::move(pending));
}

void Batcher::retry_later(Batch batch, SteadyMs not_before) {
    queued_ += batch.commands.size();
    retries_.push_back({std::move(batch), not_before});
}

void Batcher::committed(Batch batch, BatchDecision decision, SteadyMs now, std::vector<Finished>& finished) {
    land(batch);
    last_fault_.clear();
    adapt(batch, now);
    for (std::size_t s = 0; s < decision.sights.size(); ++s) {
        directory_.learn(batch.selections[s].selection, decision.sights[s], batch.routed_at, decision.set.now_ms, now,
                         now - batch.started_at);
    }
    for (const ExecutionEntry& entry : decision.set.executions) {
        if (entry.change == RowChange::erase) continue;
        // A row that a claim has found and left is unchanged and counts as well.
        if (entry.row.vector.eligibility_state == EligibilityState::eligible_now) directory_.on_eligible(entry.row);
        if (entry.change != RowChange::none && entry.row.reclaimable_since_ms) directory_.on_reclaimable(entry.row);
    }
    if (decision.set.work_available) wake_claims();

    std::deque<PendingCommand> unserved;
    for (std::size_t i = 0; i < batch.waiting_claims.size(); ++i) {
        Claimed& claimed = decision.handed_over[i];
        if (claimed.executions.empty() && is_served_already(batch.waiting_claims[i], decision)) {
            --waiting_in_flight_;
            requeue(std::move(batch.waiting_claims[i]));
        } else if (claimed.executions.empty()) {
            unserved.push_back(std::move(batch.waiting_claims[i]));
        } else {
            --waiting_in_flight_;
            finished.push_back({batch.waiting_claims[i].id, Answer::of<Claimed>(std::move(claimed))});
        }
    }
    batch.waiting_claims = std::move(unserved);
    set_down_waiting_claims(batch);

    for (std::size_t i = 0; i < batch.commands.size(); ++i) {
        PendingCommand& pending = batch.commands[i];
        CommandVerdict& verdict = decision.verdicts[i];
        if (verdict.verdict == Verdict::busy) {
            if (++pending.busy_rounds < policy_.max_busy_rounds) {
                requeue(std::move(pending));
            } else {
                ++queued_;
                patient_.push_back(std::move(pending));
            }
        } else if (verdict.verdict == Verdict::wider) {
            pending.command->widen(verdict.answer->as<MoreRows>());
            requeue(std::move(pending));
        } else if (verdict.verdict == Verdict::empty_claim && !verdict.looked_everywhere &&
                   pending.partial_looks < max_partial_looks) {
            // The directory knows by now that there is nothing where it looked, and where to look next.
            ++pending.partial_looks;
            pending.second_look = false;
            requeue(std::move(pending));
        } else if (verdict.verdict == Verdict::empty_claim && !pending.second_look) {
            pending.second_look = true;
            requeue(std::move(pending));
        } else if (verdict.verdict == Verdict::empty_claim && pending.wait_until > now) {
            pending.second_look = false;
            pending.partial_looks = 0;
            // Work that became claimable while this batch was under way has already sent its wake-up.
            if (batch.work_generation != work_generation_ || is_served_already(pending, decision)) {
                requeue(std::move(pending));
            } else {
                ++queued_;
                waiting_claims_.push_back(std::move(pending));
            }
        } else {
            finished.push_back({pending.id, std::move(verdict.answer)});
        }
    }
}

void Batcher::failed(Batch batch, const StoreError& error, SteadyMs now, std::vector<Finished>& finished) {
    land(batch);
    set_down_waiting_claims(batch);
    for (const SelectionUse& use : batch.selections) directory_.distrust(use.selection);
    const std::size_t count = batch.commands.size();
    const auto answer_all = [&] {
        for (PendingCommand& pending : batch.commands) finished.push_back({pending.id, to_engine_error(error)});
    };
    switch (error.fault) {
        case StoreFault::contention:
            if (++batch.tries < policy_.max_tries) {
                const SteadyMs pause = first_backoff_ms << (batch.tries - 1U);
                retry_later(std::move(batch), now + pause);
            } else if (batch.alone || count == 1) {
                answer_all();
            } else {
                for (PendingCommand& pending : batch.commands) {
                    Batch single{.commands = {}, .patient = batch.patient, .tries = 0, .alone = true};
                    single.commands.push_back(std::move(pending));
                    retry_later(std::move(single), now);
                }
            }
            return;
        case StoreFault::data:
        case StoreFault::unreadable: {
            if (count == 1) return answer_all();
            Batch back{.commands = {}, .patient = batch.patient};
            const auto middle = batch.commands.begin() + static_cast<std::ptrdiff_t>(count / 2);
            back.commands.assign(std::make_move_iterator(middle), std::make_move_iterator(batch.commands.end()));
            batch.commands.erase(middle, batch.commands.end());
            batch.tries = 0;
            retry_later(std::move(batch), now);
            retry_later(std::move(back), now);
            return;
        }
        case StoreFault::connection:
        case StoreFault::unknown_outcome:
        case StoreFault::exhausted: {
            last_fault_ = error.detail;
            const SteadyMs pause = backoff(batch.outages, batch.commands.front().id);
            batch.outages = std::min<std::uint8_t>(static_cast<std::uint8_t>(batch.outages + 1), 10);
            retry_later(std::move(batch), now + pause);
            return;
        }
        case StoreFault::unavailable:
            return answer_all();
    }
}

void Batcher::given_up(Batch batch, std::string_view why, std::vector<Finished>& finished) {
    land(batch);
    set_down_waiting_claims(batch);
    for (const PendingCommand& pending : batch.commands) {
        finished.push_back({pending.id, overdue(ErrorKind::unknown_outcome, pending.command->traits().name, why)});
    }
}

void Batcher::wake_claims() {
    ++work_generation_;
    queued_ -= waiting_claims_.size();
    for (PendingCommand& pending : waiting_claims_) requeue(std::move(pending));
    waiting_claims_.clear();
}

void Batcher::expire(SteadyMs now, std::vector<Finished>& finished) {
    std::vector<PendingCommand> last_looks;
    std::erase_if(waiting_claims_, [&](PendingCommand& pending) {
        const Claim& claim = pending.command->claim()->claim;
        const bool withdrawn = claim.is_withdrawn();
        if (pending.wait_until > now && !withdrawn) return false;
        if (withdrawn || claim.request_id.empty()) {
            finished.push_back({pending.id, Answer::of<Claimed>({})});
        } else {
            last_looks.push_back(std::move(pending));
        }
        --queued_;
        return true;
    });
    // The same request may have been served by another engine meanwhile.
    for (PendingCommand& pending : last_looks) {
        pending.second_look = true;
        requeue(std::move(pending));
    }
    const auto timed_out = [&](PendingCommand& pending) {
        if (pending.deadline > now) return false;
        finished.push_back({pending.id, overdue(ErrorKind::timeout, pending.command->traits().name,
                                                "not carried out before its deadline")});
        --queued_;
        return true;
    };
    for (auto& queue : queues_) {
        std::erase_if(queue, [&](PendingCommand& pending) {
            const std::uint64_t rows = pending.rows;
            if (!timed_out(pending)) return false;
            ready_rows_ -= rows;
            return true;
        });
    }
    std::erase_if(patient_, timed_out);
    for (Retry& retry : retries_) std::erase_if(retry.batch.commands, timed_out);
    std::erase_if(retries_, [](const Retry& retry) { return retry.batch.commands.empty(); });
    for (InFlight& flight : flights_) {
        if (flight.next_deadline > now) continue;
        flight.next_deadline = std::numeric_limits<SteadyMs>::max();
        std::erase_if(flight.commands, [&](const InFlight::Entry& entry) {
            if (entry.deadline > now) {
                flight.next_deadline = std::min(flight.next_deadline, entry.deadline);
                return false;
            }
            finished.push_back({entry.id, overdue(ErrorKind::unknown_outcome, entry.name,
                                                  "under way at its deadline, and may yet be committed")});
            return true;
        });
    }
}

std::optional<SteadyMs> Batcher::next_due() const {
    std::optional<SteadyMs> due;
    const auto consider = [&](SteadyMs at) { due = due ? std::min(*due, at) : at; };
    for (const Retry& retry : retries_) {
        consider(retry.not_before);
        for (const PendingCommand& pending : retry.batch.commands) consider(pending.deadline);
    }
    for (const PendingCommand& pending : waiting_claims_) consider(pending.wait_until);
    for (const auto& queue : queues_) {
        if (!queue.empty()) consider(queue.front().deadline);
    }
    if (!patient_.empty()) consider(patient_.front().deadline);
    for (const InFlight& flight : flights_) {
        if (!flight.commands.empty()) consider(flight.next_deadline);
    }
    return due;
}

void Batcher::refuse_all(const EngineError& error, std::vector<Finished>& finished) {
    const auto refuse = [&](auto& queue) {
        for (const PendingCommand& pending : queue) finished.push_back({pending.id, error});
        queue.clear();
    };
    for (auto& queue : queues_) refuse(queue);
    refuse(patient_);
    for (const PendingCommand& pending : waiting_claims_) finished.push_back({pending.id, Answer::of<Claimed>({})});
    waiting_claims_.clear();
    for (Retry& retry : retries_) refuse(retry.batch.commands);
    retries_.clear();
    queued_ = 0;
    ready_rows_ = 0;
}

}  // namespace flowfabric
