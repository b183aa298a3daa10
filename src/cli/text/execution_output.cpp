#include "cli/text/execution_output.hpp"

#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/text/output.hpp"

namespace flowfabric::cli {
namespace {

namespace json = boost::json;

template <class T>
void put(json::object& object, std::string_view name, const std::optional<T>& value) {
    if (value) object[name] = *value;
}

json::object json_of(const LeaseView& lease) {
    return {{"lease_id", lease.lease_id.to_string()},         {"lease_epoch", lease.lease_epoch.value},
            {"attempt_index", lease.attempt_index},           {"worker_id", lease.worker_id},
            {"worker_instance_id", lease.worker_instance_id}, {"acquired_at_ms", lease.acquired_at_ms},
            {"expires_at_ms", lease.expires_at_ms},           {"last_renewed_at_ms", lease.last_renewed_at_ms}};
}

std::string failure_of(const std::optional<std::string>& reason, const std::optional<std::string>& category) {
    if (!reason && !category) return {};
    return one_line(fmt::format("{}: {}", category.value_or("unknown"), reason.value_or("")));
}

std::string progress_of(const ExecutionView& view) {
    std::string progress = view.progress_pct ? fmt::format("{} %", *view.progress_pct) : "";
    if (!view.progress_message) return progress;
    if (!progress.empty()) progress += ", ";
    return progress + one_line(*view.progress_message);
}

}  // namespace

json::object json_of(const AttemptView& view) {
    json::object object{{"attempt_index", view.attempt_index},
                        {"attempt_id", view.attempt_id.to_string()},
                        {"attempt_type", to_string(view.attempt_type)},
                        {"outcome", to_string(view.outcome)},
                        {"worker_id", view.worker_id},
                        {"worker_instance_id", view.worker_instance_id},
                        {"lease_id", view.lease_id.to_string()},
                        {"lease_epoch", view.lease_epoch.value},
                        {"started_at_ms", view.started_at_ms}};
    put(object, "ended_at_ms", view.ended_at_ms);
    put(object, "failure_reason", view.failure_reason);
    put(object, "failure_category", view.failure_category);
    put(object, "previous_attempt_index", view.previous_attempt_index);
    return object;
}

json::array json_of(const std::vector<AttemptView>& attempts) {
    json::array array;
    for (const auto& attempt : attempts) array.push_back(json_of(attempt));
    return array;
}

json::object json_of(const ExecutionView& view) {
    const auto& vector = view.vector;
    json::object tags;
    for (const auto& [key, value] : view.tags) tags[key] = value;
    json::object object{
        {"id", view.execution_id.to_string()},
        {"namespace", view.namespace_name},
        {"lane_id", view.lane_id},
        {"execution_kind", view.execution_kind},
        {"priority", view.priority},
        {"state", to_string(vector.public_state)},
        {"lifecycle_phase", to_string(vector.lifecycle_phase)},
        {"ownership_state", to_string(vector.ownership_state)},
        {"eligibility_state", to_string(vector.eligibility_state)},
        {"blocking_reason", to_string(vector.blocking_reason)},
        {"blocking_detail", view.blocking_detail},
        {"terminal_outcome", to_string(vector.terminal_outcome)},
        {"attempt_state", to_string(vector.attempt_state)},
        {"required_capabilities", json::array(view.required_capabilities.begin(), view.required_capabilities.end())},
        {"tags", std::move(tags)},
        {"created_at_ms", view.created_at_ms},
        {"last_mutation_at_ms", view.last_mutation_at_ms},
        {"total_attempt_count", view.total_attempt_count},
        {"retry_count", view.retry_count},
        {"lease_reclaim_count", view.lease_reclaim_count}};
    if (view.flow_id) object["flow_id"] = view.flow_id->to_string();
    put(object, "started_at_ms", view.started_at_ms);
    put(object, "terminal_at_ms", view.terminal_at_ms);
    put(object, "delay_until_ms", view.delay_until_ms);
    put(object, "deadline_at_ms", view.deadline_at_ms);
    put(object, "failure_reason", view.failure_reason);
    put(object, "failure_category", view.failure_category);
    put(object, "cancellation_reason", view.cancellation_reason);
    put(object, "cancelled_by", view.cancelled_by);
    if (view.cancellation_cause) object["cancellation_cause"] = to_string(*view.cancellation_cause);
    put(object, "progress_pct", view.progress_pct);
    put(object, "progress_message", view.progress_message);
    put(object, "progress_updated_at_ms", view.progress_updated_at_ms);
    if (view.current_lease) object["current_lease"] = json_of(*view.current_lease);
    if (view.current_attempt) object["current_attempt"] = json_of(*view.current_attempt);
    return object;
}

void print_execution(const ExecutionView& view) {
    const auto& vector = view.vector;
    std::vector<std::string> tags;
    for (const auto& [key, value] : view.tags) tags.push_back(fmt::format("{}={}", key, value));

    Facts facts;
    facts.add("id", view.execution_id.to_string());
    facts.add("state", std::string(to_string(vector.public_state)));
    facts.add("namespace", printable(view.namespace_name));
    facts.add("lane", printable(view.lane_id));
    facts.add("kind", printable(view.execution_kind));
    facts.add("priority", fmt::to_string(view.priority));
    if (view.flow_id) facts.add("flow", view.flow_id->to_string());
    facts.add("capabilities", printable(fmt::format("{}", fmt::join(view.required_capabilities, ", "))));
    facts.add("tags", printable(fmt::format("{}", fmt::join(tags, ", "))));
    facts.add("lifecycle", std::string(to_string(vector.lifecycle_phase)));
    facts.add("ownership", std::string(to_string(vector.ownership_state)));
    facts.add("eligibility", std::string(to_string(vector.eligibility_state)));
    facts.add("blocked by", std::string(to_string(vector.blocking_reason)));
    facts.add("blocking detail", printable(view.blocking_detail));
    facts.add("outcome", std::string(to_string(vector.terminal_outcome)));
    facts.add("attempt state", std::string(to_string(vector.attempt_state)));
    facts.add("created", iso_time(view.created_at_ms));
    facts.add("delayed until", iso_time(view.delay_until_ms));
    facts.add("started", iso_time(view.started_at_ms));
    facts.add("ended", iso_time(view.terminal_at_ms));
    facts.add("deadline", iso_time(view.deadline_at_ms));
    facts.add("last change", iso_time(view.last_mutation_at_ms));
    facts.add("attempts", fmt::format("{} ({} retries, {} reclaims)", view.total_attempt_count, view.retry_count,
                                      view.lease_reclaim_count));
    facts.add("failure", failure_of(view.failure_reason, view.failure_category));
    facts.add("cancelled by", printable(view.cancelled_by.value_or("")));
    facts.add("cancelled for", one_line(view.cancellation_reason.value_or("")));
    facts.add("progress", progress_of(view));
    facts.add("progress updated", iso_time(view.progress_updated_at_ms));
    if (const auto& lease = view.current_lease) {
        facts.add("lease", fmt::format("{} epoch {}, until {}", lease->lease_id.to_string(), lease->lease_epoch.value,
                                       iso_time(lease->expires_at_ms)));
        facts.add("lease renewed", iso_time(lease->last_renewed_at_ms));
        facts.add("worker", printable(lease->worker_id + " / " + lease->worker_instance_id));
    }
    facts.print();
}

void print_attempts(const std::vector<AttemptView>& attempts) {
    Table table({"attempt", "type", "outcome", "started", "ended", "worker", "failure"});
    for (const auto& attempt : attempts) {
        table.add({fmt::to_string(attempt.attempt_index), std::string(to_string(attempt.attempt_type)),
                   std::string(to_string(attempt.outcome)), iso_time(attempt.started_at_ms),
                   iso_time(attempt.ended_at_ms), printable(attempt.worker_instance_id),
                   failure_of(attempt.failure_reason, attempt.failure_category)});
    }
    table.print();
}

}  // namespace flowfabric::cli
