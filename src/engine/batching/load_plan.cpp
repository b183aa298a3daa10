#include "engine/batching/load_plan.hpp"

#include <algorithm>
#include <unordered_set>

#include "core/claim/admitted_claim.hpp"
#include "core/execution/creation.hpp"

namespace flowfabric {
namespace {

// The inputs of so many executions that a batch may release are read ahead. Others are claimed after the commit.
constexpr std::size_t max_inputs_ahead = 64;

bool lanes_have_changed(const Batch& batch, const Loaded& loaded) {
    if (loaded.lane_revision == batch.lane_revision) return false;
    return !batch.waiting_claims.empty() || std::ranges::any_of(batch.commands, [](const PendingCommand& pending) {
        return pending.command->claim() != nullptr || !pending.command->creations().empty();
    });
}

// Decisions about executions and flows depend on settings; those about side tables alone do not.
bool settings_have_changed(const Batch& batch, const Loaded& loaded) {
    if (loaded.setting_revision == batch.setting_revision) return false;
    return std::ranges::any_of(batch.commands,
                               [](const PendingCommand& pending) { return !pending.command->traits().on_tables; });
}

}  // namespace

bool can_release_work(const Command& command) {
    return command->traits().releases_work || !command->creations().empty();
}

LoadRequest load_request(const Batch& batch) {
    LoadRequest request;
    request.patient = batch.patient;
    // An execution is handed over with its input and its signals.
    std::vector<ExecutionId> ahead;
    const bool may_hand_over = !batch.waiting_claims.empty() || !batch.selections.empty();
    for (const PendingCommand& pending : batch.commands) {
        CommandBody& command = *pending.command;
        const auto executions = command.executions();
        request.executions.insert(request.executions.end(), executions.begin(), executions.end());
        if (may_hand_over && command.traits().releases_work) {
            ahead.insert(ahead.end(), executions.begin(), executions.end());
        }
        for (const AdmittedCreate& create : command.creations()) {
            request.creates = true;
            if (create.idempotency) request.idempotency_keys.push_back(*create.idempotency);
            if (create.submission_id) request.submissions.push_back(*create.submission_id);
        }
        command.name_rows(request);
        if (const auto flow = command.children_of()) request.flows.children_of.push_back(*flow);
    }
    for (const PendingCommand& waiting : batch.waiting_claims) {
        if (!waiting.command->claim()->claim.request_id.empty()) waiting.command->name_rows(request);
    }
    const auto sort_unique = [](auto& keys) {
        std::ranges::sort(keys);
        keys.erase(std::ranges::unique(keys).begin(), keys.end());
    };
    sort_unique(request.executions);
    sort_unique(ahead);
    if (ahead.size() > max_inputs_ahead) ahead.resize(max_inputs_ahead);
    request.inputs_of.insert(request.inputs_of.end(), ahead.begin(), ahead.end());
    request.signals_of.insert(request.signals_of.end(), ahead.begin(), ahead.end());
    sort_unique(request.inputs_of);
    sort_unique(request.signals_of);
    sort_unique(request.idempotency_keys);
    sort(request.side);
    sort_unique(request.submissions);
    sort_unique(request.flows.members_of);
    sort_unique(request.flows.live_members_of);
    sort_unique(request.flows.children_of);
    sort_unique(request.flows.ends);
    for (const SelectionUse& use : batch.selections) request.claims.push_back(use.selection);
    return request;
}

std::vector<ExecutionId> missing_executions(const Batch& batch, const LoadRequest& request, const Loaded& loaded) {
    const std::size_t found = loaded.executions.size() + loaded.busy.size() + loaded.unreadable.size();
    const bool only_named = request.flows.children_of.empty() && request.flows.live_members_of.empty();
    if (only_named && found == request.executions.size()) return {};

    std::unordered_set<ExecutionId> known(loaded.busy.begin(), loaded.busy.end());
    for (const ExecutionRow& row : loaded.executions) known.insert(row.id);
    for (const auto& [id, damage] : loaded.unreadable) known.insert(id);
    std::vector<ExecutionId> missing;
    for (const PendingCommand& pending : batch.commands) {
        const auto creations = pending.command->creations();
        for (const AdmittedCreate& create : creations) known.insert(create.row.id);
        if (!creations.empty() || !pending.command->looks_in_inbox()) continue;
        for (const ExecutionId& id : pending.command->executions()) {
            if (known.insert(id).second) missing.push_back(id);
        }
    }
    return missing;
}

bool routes_have_changed(const Batch& batch, const Loaded& loaded) {
    return lanes_have_changed(batch, loaded) || settings_have_changed(batch, loaded);
}

}  // namespace flowfabric
