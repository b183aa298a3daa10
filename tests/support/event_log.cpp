#include "support/event_log.hpp"

#include <boost/json.hpp>
#include <set>

#include "support/complaints.hpp"

namespace flowfabric::test {
namespace {

bool is_opening(const Open<LeaseEventType>& type) {
    return type == LeaseEventType::acquired || type == LeaseEventType::reclaimed;
}
bool is_loss(const Open<LeaseEventType>& type) {
    return type == LeaseEventType::expired || type == LeaseEventType::revoked;
}

// One execution's leases, as its lease events tell them.
class LeaseReplay {
  public:
    LeaseReplay(Complaints complaints, bool replayed) : complaints_(std::move(complaints)), replayed_(replayed) {}

    void apply(const LeaseEvent& event) {
        const Complaints at = complaints_.about("lease event " + std::to_string(event.event_id) + " (" +
                                                std::string(event.event_type.text()) + ")");
        at.require(event.occurred_at_ms >= last_at_ms_, "stands before its predecessor in time");
        last_at_ms_ = event.occurred_at_ms;
        if (is_opening(event.event_type)) {
            open(event, at);
        } else {
            at.require(open_.has_value(), "no lease is open");
            if (open_) at.require(same_lease(*open_, event), "is about another lease than the open one");
            if (event.event_type != LeaseEventType::renewed) close(event);
        }
    }

    void compare_with(const ExecutionRow& row) const {
        const bool leased = row.vector.ownership_state == OwnershipState::leased;
        complaints_.require(open_.has_value() == leased, leased ? "is leased, but its log has no open lease"
                                                                : "holds no lease, but its log has an open one");
        if (open_ && leased) {
            complaints_.require(open_->lease_id == row.lease_id && open_->lease_epoch == row.lease_epoch &&
                                    open_->attempt_id == row.attempt_id && open_->attempt_index == row.attempt_index &&
                                    open_->worker_id == row.worker_id &&
                                    open_->worker_instance_id == row.worker_instance_id,
                                "the row's lease is not the one that its log opened last");
        }
        complaints_.require(row.lease_epoch == openings_ + losses_,
                            "epoch " + std::to_string(row.lease_epoch) + " after " + std::to_string(openings_) +
                                " acquisitions and " + std::to_string(losses_) + " losses");
        complaints_.require(next_index_ == row.total_attempt_count, "the log opened another number of attempts");
    }

  private:
    static bool same_lease(const LeaseEvent& a, const LeaseEvent& b) {
        return a.lease_id == b.lease_id && a.lease_epoch == b.lease_epoch && a.attempt_id == b.attempt_id &&
               a.attempt_index == b.attempt_index && a.worker_id == b.worker_id &&
               a.worker_instance_id == b.worker_instance_id;
    }

    void open(const LeaseEvent& event, const Complaints& at) {
        at.require(!open_, "the lease before it was not closed");
        at.require(seen_.insert(event.lease_id).second, "opens a lease a second time");
        at.require(event.lease_epoch > last_epoch_, "its epoch does not rise");
        // An attempt that ran out of time has failed: the next one is a retry.
        const bool after_loss = last_ && is_loss(last_->event_type) && last_->reason != "attempt_timeout";
        if (event.event_type == LeaseEventType::reclaimed) {
            at.require(after_loss, "the last lease was not lost");
            if (last_) at.require(event.prev_worker_instance_id == last_->worker_instance_id, "names another loser");
        } else {
            // Only what has ended since, and was replayed, begins without a reclaim.
            at.require(!after_loss || replayed_, "the last lease was lost: this is a reclaim");
        }
        const bool same_attempt = last_ && last_->attempt_id == event.attempt_id;
        resumed_ = event.reason == "claim_resumed" || (event.reason == "operator" && same_attempt);
        if (resumed_) {
            at.require(last_ && last_->attempt_id == event.attempt_id && last_->attempt_index == event.attempt_index,
                       "resumes another attempt than the last");
        } else {
            at.require(event.attempt_index == next_index_, "its attempt is not the next");
            at.require(!last_ || last_->attempt_id != event.attempt_id, "its attempt is not new");
            ++next_index_;
        }
        open_ = event;
        last_epoch_ = event.lease_epoch;
        ++openings_;
    }

    void close(const LeaseEvent& event) {
        if (is_loss(event.event_type)) ++losses_;
        // An attempt that never began does not count; one that was only resumed goes on.
        const bool unstarted = event.event_type == LeaseEventType::released && event.reason == "unstarted";
        if (unstarted && open_ && !resumed_) --next_index_;
        last_ = event;
        open_.reset();
    }

    Complaints complaints_;
    bool replayed_;
    bool resumed_ = false;  // the open lease goes on with an attempt
    std::optional<LeaseEvent> open_;
    std::optional<LeaseEvent> last_;  // that closed a lease
    std::set<LeaseId> seen_;
    std::uint64_t last_epoch_ = 0;
    std::uint64_t openings_ = 0;
    std::uint64_t losses_ = 0;
    std::int32_t next_index_ = 0;
    std::int64_t last_at_ms_ = 0;
};

void check_leases(const Dump& dump, std::vector<std::string>& violations) {
    std::map<ExecutionId, LeaseReplay> replays;
    for (const auto& [id, stored] : dump.executions) {
        replays.emplace(id, LeaseReplay(Complaints(violations, id.to_string()), stored.row.replay_count > 0));
    }
    std::map<LeaseId, ExecutionId> owners;
    for (const LeaseEvent& event : dump.lease_events) {
        const Complaints at(violations, "lease event " + std::to_string(event.event_id));
        const auto replay = replays.find(event.execution_id);
        at.require(replay != replays.end(), "is about an execution that does not exist");
        if (replay == replays.end()) continue;
        const ExecutionRow& row = dump.executions.at(event.execution_id).row;
        at.require(event.namespace_name == row.namespace_name, "its namespace is not the execution's");
        at.require(event.lease_epoch <= row.lease_epoch, "its epoch is above the execution's");
        at.require(owners.emplace(event.lease_id, event.execution_id).first->second == event.execution_id,
                   "its lease id belongs to another execution");
        replay->second.apply(event);
    }
    for (const auto& [id, replay] : replays) replay.compare_with(dump.executions.at(id).row);
}

void check_completions(const Dump& dump, std::vector<std::string>& violations) {
    std::map<ExecutionId, std::vector<const CompletionEvent*>> by_execution;
    for (const CompletionEvent& event : dump.completion_events) {
        by_execution[event.execution_id].push_back(&event);
        const Complaints at(violations, "completion event " + std::to_string(event.event_id));
        at.require(dump.executions.contains(event.execution_id), "is about an execution that does not exist");
        at.require(event.flow_id || event.dispatched_at_ms, "has no flow and waits to be dispatched");
    }
    for (const auto& [id, stored] : dump.executions) {
        const ExecutionRow& row = stored.row;
        const Complaints complaints(violations, id.to_string());
        const bool terminal = row.vector.lifecycle_phase == LifecyclePhase::terminal;
        const auto& events = by_execution[id];
        // Every replay followed an end of its own.
        const auto ends = static_cast<std::size_t>(row.replay_count) + (terminal ? 1 : 0);
        complaints.require(events.size() == ends, std::to_string(events.size()) + " completion events for " +
                                                      std::to_string(ends) + " terminal transitions");
        if (!terminal || events.empty()) continue;
        const CompletionEvent& last = *events.back();
        complaints.require(last.outcome == row.vector.terminal_outcome, "its completion event tells another outcome");
        complaints.require(last.occurred_at_ms == row.terminal_at_ms, "its completion event tells another time");
        // It may have joined its flow when it had ended.
        const bool of_its_flow = last.flow_id == row.flow_id || (!last.flow_id && last.dispatched_at_ms);
        complaints.require(of_its_flow && last.namespace_name == row.namespace_name,
                           "its completion event has another flow or namespace");
    }
}

// Exactly one event for what an operator did, none for what was done in another name.
void check_operator_events(const Dump& dump, std::vector<std::string>& violations) {
    std::map<Uuid, std::size_t> cancels;
    std::map<Uuid, std::int32_t> replays;
    std::map<std::string, std::string> lane_states;
    std::map<std::string, std::string> settings;
    for (const OperatorEvent& event : dump.operator_events) {
        if (event.event_type == OperatorEventType::execution_cancelled) ++cancels[*event.subject_id];
        if (event.event_type == OperatorEventType::replayed) ++replays[*event.subject_id];
        if (event.event_type == OperatorEventType::lane_state_changed) {
            const auto details = boost::json::parse(event.details.text).as_object();
            std::string& state = lane_states[std::string(details.at("lane_id").as_string())];
            Complaints(violations, "operator event " + std::to_string(event.event_id))
                .require(details.at("from").as_string() == (state.empty() ? "active" : state),
                         "does not begin where the lane was");
            state = details.at("to").as_string();
        }
        if (event.event_type == OperatorEventType::setting_changed) {
            const auto details = boost::json::parse(event.details.text).as_object();
            std::string& value = settings[std::string(details.at("name").as_string())];
            Complaints(violations, "operator event " + std::to_string(event.event_id))
                .require(value.empty() || details.at("from").as_string() == value,
                         "does not begin where the setting was");
            value = details.at("to").as_string();
        }
    }
    const std::set<std::optional<std::string>> not_operators{"worker", "lease_holder", "flow_cascade",
                                                             "system_timeout"};
    for (const auto& [id, stored] : dump.executions) {
        const ExecutionRow& row = stored.row;
        const bool expected = row.replay_count == 0 && row.cancelled_by && !not_operators.contains(row.cancelled_by);
        const Complaints complaints(violations, id.to_string());
        complaints.require(row.replay_count > 0 || cancels[id.uuid] == (expected ? 1U : 0U),
                           std::to_string(cancels[id.uuid]) + " operator events for a cancel by " +
                               row.cancelled_by.value_or("nobody"));
        complaints.require(replays[id.uuid] == row.replay_count, "another number of replays than events tell");
        complaints.require(row.cancelled_by.has_value() == (row.vector.terminal_outcome == TerminalOutcome::cancelled),
                           "cancelled_by does not fit its outcome");
        complaints.require(row.cancellation_cause.has_value() == row.cancelled_by.has_value(),
                           "cancellation_cause does not fit cancelled_by");
    }
    for (const auto& [key, lane] : dump.of<LaneRow>()) {
        const auto told = lane_states.find(key.lane_id);
        Complaints(violations, "lane " + key.lane_id)
            .require(to_string(lane.lane_state) == (told == lane_states.end() ? "active" : told->second),
                     "its state is not what its events tell");
    }
    for (const auto& [name, value] : settings) {
        const auto stored = dump.of<SettingRow>().find({name});
        Complaints(violations, "setting " + name)
            .require(stored != dump.of<SettingRow>().end() && stored->second.value == value,
                     "its value is not what its events tell");
    }
}

}  // namespace

void check_event_log(const Dump& dump, std::vector<std::string>& violations) {
    for (const auto& [key, row] : dump.of<ConsumerRow>()) {
        Complaints(violations, "consumer " + key.name)
            .require(row.event_id >= dump.trimmed[static_cast<std::size_t>(key.channel)],
                     "events that it has not acknowledged are gone");
    }
    // The story is not told from its beginning any more.
    if (dump.trimmed != ChannelPoints{}) return;
    check_leases(dump, violations);
    check_completions(dump, violations);
    check_operator_events(dump, violations);
}

}  // namespace flowfabric::test
