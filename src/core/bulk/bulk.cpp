#include "core/bulk/bulk.hpp"

#include <algorithm>

#include "core/base/names.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/execution/retry.hpp"
#include "core/search/search.hpp"
#include "core/signing/key_id.hpp"
#include "flowfabric/execution.hpp"

namespace flowfabric {
namespace {

EngineError another_bulk_operation(const BulkOperationId& id) {
    return {.kind = ErrorKind::idempotency_conflict,
            .detail = "bulk operation " + id.to_string() + " has another action or filter"};
}

EngineError bulk_operation_not_found(const BulkOperationId& id) {
    return {.kind = ErrorKind::bulk_operation_not_found, .detail = id.to_string()};
}

std::vector<PublicState> states_for(BulkAction action) {
    using enum PublicState;
    switch (action) {
        case BulkAction::cancel:
            break;
        case BulkAction::replay:
            return {failed, expired};
        case BulkAction::purge:
            return {completed, failed, cancelled, expired, skipped};
    }
    return {waiting, delayed, rate_limited, waiting_children, active, suspended, resumable};
}

Uuid id_of_new_operation(const StartBulkOperation& command, const IdSource& ids) {
    if (command.idempotency_key.empty()) return ids.at(0);
    return id_under_key("bulk", command.filter.namespace_name.value_or(""), command.idempotency_key);
}

BulkOperationRow row_of(StartBulkOperation command) {
    ExecutionCriteria& filter = command.filter;
    BulkOperationRow row;
    row.key = {*command.operation_id};
    row.action = command.action;
    row.reason = std::move(command.reason);
    row.requester = std::move(command.requester);
    row.lane_id = std::move(filter.lane_id);
    for (const PublicState state : filter.states) row.states.values.emplace_back(to_string(state));
    row.execution_kind = std::move(filter.execution_kind);
    row.tag_key = std::move(filter.tag_key);
    row.tag_value = std::move(filter.tag_value);
    row.created_after_ms = filter.created_after_ms;
    row.created_before_ms = filter.created_before_ms;
    row.namespace_name = std::move(filter.namespace_name);
    row.flow_id = filter.flow_id;
    return row;
}

// A command on one bulk operation.
class OnBulkOperation : public CommandBody {
  public:
    explicit OnBulkOperation(const BulkOperationId& id) : key_{id} {}

    std::size_t bytes() const override { return sizeof(*this); }
    std::span<const ExecutionId> executions() const final { return {}; }
    void name_rows(NamedRows& rows) const final { rows.side.of<BulkOperationRow>().keys.push_back(key_); }
    std::string subject() const final { return "bulk operation " + key_.operation_id.to_string(); }

  protected:
    const BulkOperationKey& key() const { return key_; }

  private:
    BulkOperationKey key_;
};

class StartBulkOperationBody final : public OnBulkOperation {
  public:
    explicit StartBulkOperationBody(BulkOperationRow row)
        : OnBulkOperation(row.key.operation_id), row_(std::move(row)) {}

    CommandTraits traits() const override { return {.name = "start_bulk_operation", .on_tables = true}; }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(row_, row_.states.values); }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        auto& operations = context.set.side.of<BulkOperationRow>();
        if (const BulkOperationRow* known = operations.find(key())) {
            const bool same = known->action == row_.action && filter_of(*known) == filter_of(row_);
            if (!same) return another_bulk_operation(key().operation_id);
            return Answer::of<BulkOperationView>(view_of(*known));
        }
        BulkOperationRow row = row_;
        row.due_at_ms = row.created_at_ms = context.set.now_ms;
        SearchPlace newest{row.created_at_ms, {max_partition, {}}};  // what comes later is not meant
        newest.execution_id.uuid.bytes.fill(0xFF);
        search_from(row, newest);
        const auto view = view_of(row);
        operations.put(std::move(row));
        return Answer::of<BulkOperationView>(view);
    }

  private:
    BulkOperationRow row_;
};

class CancelBulkOperationBody final : public OnBulkOperation {
  public:
    using OnBulkOperation::OnBulkOperation;

    CommandTraits traits() const override { return {.name = "cancel_bulk_operation", .on_tables = true}; }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        auto& operations = context.set.side.of<BulkOperationRow>();
        const BulkOperationRow* known = operations.find(key());
        if (known == nullptr) return bulk_operation_not_found(key().operation_id);
        BulkOperationRow row = *known;
        if (row.state == BulkState::running) {
            end_bulk_operation(row, BulkState::cancelled, context.set.now_ms);
            operations.put(row);
        }
        return Answer::of<BulkOperationView>(view_of(row));
    }
};

class ForgetBulkOperationBody final : public OnBulkOperation {
  public:
    using OnBulkOperation::OnBulkOperation;

    CommandTraits traits() const override {
        return {.name = "forget_bulk_operation", .urgency = Urgency::bulk, .by_timer = true, .on_tables = true};
    }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        auto& operations = context.set.side.of<BulkOperationRow>();
        const BulkOperationRow* row = operations.find(key());
        const bool old = row != nullptr && row->state != BulkState::running && row->due_at_ms <= context.set.now_ms;
        if (old) operations.erase(key());
        return Answer::of<TimerFired>({.changed = old});
    }
};

}  // namespace

void end_bulk_operation(BulkOperationRow& row, BulkState state, std::int64_t now_ms) {
    constexpr std::uint64_t kept_ms = std::uint64_t{30} * 24 * 60 * 60 * 1000;
    row.state = state;
    row.ended_at_ms = now_ms;
    row.due_at_ms = saturating_add(now_ms, kept_ms);
}

Result<ExecutionCriteria> bulk_filter(BulkAction action, ExecutionCriteria filter) {
    if (auto checked = check_criteria(filter, "filter."); !checked) return checked.error();
    if (is_empty(filter)) return invalid_input("filter", "must name something; an empty one would mean everything");
    if (filter.states.empty()) filter.states = states_for(action);
    return filter;
}

ExecutionCriteria filter_of(const BulkOperationRow& row) {
    ExecutionCriteria filter{.lane_id = row.lane_id,
                             .states = {},
                             .execution_kind = row.execution_kind,
                             .tag_key = row.tag_key,
                             .tag_value = row.tag_value,
                             .created_after_ms = row.created_after_ms,
                             .created_before_ms = row.created_before_ms,
                             .namespace_name = row.namespace_name,
                             .flow_id = row.flow_id};
    for (const std::string& state : row.states.values) {
        if (const auto known = parse_enum<PublicState>(state)) filter.states.push_back(*known);
    }
    return filter;
}

SearchPlace place_of(const BulkOperationRow& row) {
    return {row.searched_to_ms, {row.searched_to_partition, row.searched_to_id}};
}

void search_from(BulkOperationRow& row, const SearchPlace& place) {
    row.searched_to_ms = place.created_at_ms;
    row.searched_to_partition = place.execution_id.partition;
    row.searched_to_id = place.execution_id.uuid;
}

BulkOperationView view_of(const BulkOperationRow& row) {
    return {.operation_id = row.key.operation_id,
            .action = row.action,
            .filter = filter_of(row),
            .reason = row.reason,
            .requester = row.requester,
            .state = row.state,
            .created_at_ms = row.created_at_ms,
            .ended_at_ms = row.ended_at_ms,
            .searched = row.searched,
            .open_count = static_cast<std::uint64_t>(row.open_count),
            .done_count = static_cast<std::uint64_t>(row.done_count),
            .skipped_count = static_cast<std::uint64_t>(row.skipped_count),
            .failed_count = static_cast<std::uint64_t>(row.failed_count)};
}

Command forget_bulk_operation(const BulkOperationId& operation) {
    return Command::make<ForgetBulkOperationBody>(operation);
}

template <>
Result<Command> admit(StartBulkOperation command, const Settings&, const IdSource& ids) {
    Checks check;
    check.require(is_known(command.action), "action", "no such action");
    check(check_text("reason", command.reason, max_reason_bytes));
    check(check_text("requester", command.requester, max_label_bytes));
    check(check_text("idempotency_key", command.idempotency_key, max_idempotency_key_bytes));
    if (check.fault()) return *check.fault();
    auto filter = bulk_filter(command.action, std::move(command.filter));
    if (!filter) return filter.error();
    command.filter = *std::move(filter);
    if (!command.operation_id) command.operation_id = BulkOperationId{id_of_new_operation(command, ids)};
    return Command::make<StartBulkOperationBody>(row_of(std::move(command)));
}

template <>
Result<Command> admit(CancelBulkOperation command, const Settings&, const IdSource&) {
    return Command::make<CancelBulkOperationBody>(command.operation_id);
}

}  // namespace flowfabric
