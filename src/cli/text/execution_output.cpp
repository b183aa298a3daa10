#include "cli/text/execution_output.hpp"

#include <sstream>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/text/output.hpp"
#include "core/base/base64.hpp"

namespace flowfabric::cli {

void print_execution(const ExecutionView& view) {
    const auto& vector = view.vector;
    std::vector<std::string> tags;
    for (const auto& [key, value] : view.tags) tags.push_back(fmt::format("{}={}", key, value));

    Facts facts;
    facts.add("execution_id", view.execution_id.to_string());
    if (view.flow_id) facts.add("flow_id", view.flow_id->to_string());
    facts.add("namespace", printable(view.namespace_name));
    facts.add("lane_id", printable(view.lane_id));
    facts.add("execution_kind", printable(view.execution_kind));
    facts.add("priority", fmt::to_string(view.priority));
    facts.add("public_state", std::string(to_string(vector.public_state)));
    facts.add("lifecycle_phase", std::string(to_string(vector.lifecycle_phase)));
    facts.add("ownership_state", std::string(to_string(vector.ownership_state)));
    facts.add("eligibility_state", std::string(to_string(vector.eligibility_state)));
    facts.add("blocking_reason", std::string(to_string(vector.blocking_reason)));
    facts.add("terminal_outcome", std::string(to_string(vector.terminal_outcome)));
    facts.add("attempt_state", std::string(to_string(vector.attempt_state)));
    facts.add("blocking_detail", printable(view.blocking_detail));
    facts.add("required_capabilities", printable(fmt::format("{}", fmt::join(view.required_capabilities, ", "))));
    facts.add("tags", printable(fmt::format("{}", fmt::join(tags, ", "))));
    facts.add("created_at", iso_time(view.created_at_ms));
    facts.add("started_at", iso_time(view.started_at_ms));
    facts.add("terminal_at", iso_time(view.terminal_at_ms));
    facts.add("delay_until", iso_time(view.delay_until_ms));
    facts.add("execution_deadline_at", iso_time(view.deadline_at_ms));
    facts.add("last_mutation_at", iso_time(view.last_mutation_at_ms));
    facts.add("total_attempt_count", fmt::to_string(view.total_attempt_count));
    facts.add("retry_count", fmt::to_string(view.retry_count));
    facts.add("lease_reclaim_count", fmt::to_string(view.lease_reclaim_count));
    facts.add("failure_reason", one_line(view.failure_reason.value_or("")));
    facts.add("failure_category", printable(view.failure_category.value_or("")));
    facts.add("cancellation_reason", one_line(view.cancellation_reason.value_or("")));
    facts.add("cancelled_by", printable(view.cancelled_by.value_or("")));
    if (view.cancellation_cause) facts.add("cancellation_cause", std::string(to_string(*view.cancellation_cause)));
    if (view.progress_pct) facts.add("progress_pct", fmt::to_string(*view.progress_pct));
    facts.add("progress_message", one_line(view.progress_message.value_or("")));
    facts.add("progress_updated_at", iso_time(view.progress_updated_at_ms));
    if (const auto& lease = view.current_lease) {
        facts.add("lease_id", lease->lease_id.to_string());
        facts.add("lease_epoch", fmt::to_string(lease->lease_epoch.value));
        facts.add("worker_id", printable(lease->worker_id));
        facts.add("worker_instance_id", printable(lease->worker_instance_id));
        facts.add("acquired_at", iso_time(lease->acquired_at_ms));
        facts.add("expires_at", iso_time(lease->expires_at_ms));
        facts.add("last_renewed_at", iso_time(lease->last_renewed_at_ms));
    }
    facts.print();
}

void print_attempts(const std::vector<AttemptView>& attempts) {
    Table table({"attempt_index", "attempt_type", "outcome", "started_at", "ended_at", "worker_instance_id",
                 "failure_category", "failure_reason"});
    for (const auto& attempt : attempts) {
        table.add({fmt::to_string(attempt.attempt_index), std::string(to_string(attempt.attempt_type)),
                   std::string(to_string(attempt.outcome)), iso_time(attempt.started_at_ms),
                   iso_time(attempt.ended_at_ms), printable(attempt.worker_instance_id),
                   printable(attempt.failure_category.value_or("")), one_line(attempt.failure_reason.value_or(""))});
    }
    table.print();
}

void print_result(const Bytes& result) {
    const bool text = is_utf8(result);
    print_line("");
    print_line(text ? "result" : "result_b64");
    std::istringstream lines(text ? result : to_base64(result));
    for (std::string line; std::getline(lines, line);) print_line(printable(line));
}

}  // namespace flowfabric::cli
