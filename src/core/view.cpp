#include "core/view.hpp"

#include <boost/json.hpp>

#include "core/transition.hpp"

namespace flowfabric {
namespace {

Tags tags_of(const Json& stored) {
    Tags tags;
    boost::system::error_code failure;
    const auto value = boost::json::parse(stored.text, failure);
    if (failure || !value.is_object()) return tags;
    for (const auto& [key, text] : value.get_object()) {
        if (text.is_string()) tags.emplace(std::string(key), std::string(text.get_string()));
    }
    return tags;
}

std::optional<std::uint32_t> index_of(const std::optional<std::int32_t>& stored) {
    return stored ? std::optional(static_cast<std::uint32_t>(*stored)) : std::nullopt;
}

AttemptView view_of(const AttemptRow& row) {
    return {.attempt_index = static_cast<std::uint32_t>(row.attempt_index),
            .attempt_id = row.attempt_id,
            .attempt_type = row.attempt_type,
            .outcome = row.outcome,
            .worker_id = row.worker_id,
            .worker_instance_id = row.worker_instance_id,
            .lease_id = row.lease_id,
            .lease_epoch = {row.lease_epoch},
            .started_at_ms = row.started_at_ms,
            .ended_at_ms = row.terminal_at_ms,
            .failure_reason = row.failure_reason,
            .failure_category = row.failure_category,
            .previous_attempt_index = index_of(row.previous_attempt_index)};
}

std::optional<AttemptView> open_attempt(const ExecutionRow& row) {
    const bool open = row.vector.attempt_state == AttemptState::running_attempt ||
                      row.vector.attempt_state == AttemptState::attempt_interrupted;
    if (!open || !row.attempt_id) return std::nullopt;
    const bool running = row.vector.ownership_state == OwnershipState::leased;
    return AttemptView{.attempt_index = static_cast<std::uint32_t>(row.attempt_index),
                       .attempt_id = *row.attempt_id,
                       .attempt_type = row.attempt_type.value_or(AttemptType::initial),
                       .outcome = running ? AttemptOutcome::started : AttemptOutcome::suspended,
                       .worker_id = row.worker_id.value_or(std::string{}),
                       .worker_instance_id = row.worker_instance_id.value_or(std::string{}),
                       .lease_id = row.lease_id.value_or(LeaseId{}),
                       .lease_epoch = {epoch_of_last_lease(row)},
                       .started_at_ms = row.attempt_started_at_ms.value_or(0),
                       .ended_at_ms = std::nullopt,
                       .failure_reason = std::nullopt,
                       .failure_category = std::nullopt,
                       .previous_attempt_index = index_of(row.previous_attempt_index)};
}

std::optional<LeaseView> lease_of(const ExecutionRow& row) {
    if (row.vector.ownership_state != OwnershipState::leased || !row.lease_id) return std::nullopt;
    return LeaseView{.lease_id = *row.lease_id,
                     .lease_epoch = {row.lease_epoch},
                     .attempt_index = static_cast<std::uint32_t>(row.attempt_index),
                     .worker_id = row.worker_id.value_or(std::string{}),
                     .worker_instance_id = row.worker_instance_id.value_or(std::string{}),
                     .acquired_at_ms = row.lease_acquired_at_ms.value_or(0),
                     .expires_at_ms = row.lease_expires_at_ms.value_or(0),
                     .last_renewed_at_ms = row.lease_last_renewed_at_ms.value_or(0)};
}

}  // namespace

ExecutionView view_of(const ExecutionRow& row) {
    return {.execution_id = row.id,
            .flow_id = row.flow_id,
            .namespace_name = row.namespace_name,
            .lane_id = row.lane_id,
            .execution_kind = row.execution_kind,
            .priority = row.priority,
            .vector = row.vector,
            .blocking_detail = row.blocking_detail.value_or(std::string{}),
            .required_capabilities = row.required_capabilities,
            .tags = tags_of(row.tags),
            .created_at_ms = row.created_at_ms,
            .started_at_ms = row.started_at_ms,
            .terminal_at_ms = row.terminal_at_ms,
            .delay_until_ms = row.delay_until_ms,
            .deadline_at_ms = row.deadline_at_ms,
            .last_mutation_at_ms = row.last_mutation_at_ms,
            .total_attempt_count = static_cast<std::uint32_t>(row.total_attempt_count),
            .retry_count = static_cast<std::uint32_t>(row.retry_count),
            .lease_reclaim_count = static_cast<std::uint32_t>(row.lease_reclaim_count),
            .failure_reason = row.failure_reason,
            .failure_category = row.failure_category,
            .current_lease = lease_of(row),
            .current_attempt = open_attempt(row)};
}

std::vector<AttemptView> attempts_of(const std::vector<AttemptRow>& ended, const ExecutionRow& row) {
    std::vector<AttemptView> views;
    views.reserve(ended.size() + 1);
    for (const AttemptRow& attempt : ended) views.push_back(view_of(attempt));
    // The row was read before the history; an attempt that ended in between stands in both.
    auto open = open_attempt(row);
    if (open && (views.empty() || views.back().attempt_index < open->attempt_index)) views.push_back(std::move(*open));
    return views;
}

}  // namespace flowfabric
