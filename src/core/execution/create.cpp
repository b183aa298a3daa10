#include <algorithm>

#include "core/base/names.hpp"
#include "core/base/partition.hpp"
#include "core/base/tags.hpp"
#include "core/base/trace_context.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/execution/creation.hpp"
#include "core/execution/retention.hpp"
#include "core/execution/retry.hpp"
#include "core/execution/transition.hpp"
#include "core/lane/lane.hpp"
#include "flowfabric/limits.hpp"

namespace flowfabric {
namespace {

constexpr std::uint64_t default_dedup_window_ms = 86'400'000;

std::optional<EngineError> check_create(const CreateExecution& c, const Settings& settings) {
    Checks check;
    if (c.execution_id) check(check_partition(*c.execution_id));
    check(check_identity("namespace", c.namespace_name));
    check(check_lane_id(c.lane_id));
    check(check_text("execution_kind", c.execution_kind, max_label_bytes));
    check(check_text("creator_identity", c.creator_identity, max_label_bytes));
    check(check_text("idempotency_key", c.idempotency_key, max_idempotency_key_bytes));
    if (c.payload_encoding) check(check_text("payload_encoding", *c.payload_encoding, max_label_bytes));
    check(check_tags(c.tags));
    check(check_payload("input", c.input_payload, settings.max_payload_bytes));
    if (c.request_digest) check(check_line("request_digest", *c.request_digest, max_label_bytes));
    check(check_trace(c.traceparent, c.tracestate));
    check.require(c.delay_until_ms.value_or(0) >= 0, "delay_until_ms", "must not be negative");
    check.require(c.execution_deadline_at_ms.value_or(0) >= 0, "execution_deadline_at_ms", "must not be negative");
    return check.fault();
}

ExecutionId id_for(const CreateExecution& command, const Uuid& minted) {
    if (command.execution_id) return *command.execution_id;
    return command.flow_id ? flow_execution_id(*command.flow_id, minted) : solo_execution_id(command.lane_id, minted);
}

}  // namespace

Result<AdmittedCreate> admit_creation(CreateExecution command, const Settings& settings, const IdSource& ids) {
    if (auto fault = check_create(command, settings)) return *fault;

    AdmittedCreate create;
    ExecutionRow& row = create.row;
    std::int32_t priority = command.priority;
    row.delay_until_ms = command.delay_until_ms;
    create.dedup_window_ms = default_dedup_window_ms;
    if (command.policy) {
        // Through its own parser, so that a policy built in code meets the same rules as one that arrives as JSON.
        std::string json = command.policy->to_json();
        auto policy = ExecutionPolicy::parse(json);
        if (!policy) return policy.error();
        if (priority == 0) priority = policy->priority;
        if (!row.delay_until_ms) row.delay_until_ms = policy->delay_until_ms;
        if (policy->dedup_window_ms) create.dedup_window_ms = std::max<std::uint64_t>(*policy->dedup_window_ms, 1);
        if (policy->timeout_policy) create.execution_deadline_ms = policy->timeout_policy->execution_deadline_ms;
        if (policy->routing_requirements) {
            row.required_capabilities = policy->routing_requirements->required_capabilities;
        }
        row.own_retention_ms = own_retention_ms(*policy);
        row.policy = Json{policy->to_json()};
    }
    create.minted = !command.execution_id;
    row.id = id_for(command, ids.at(0));
    row.namespace_name = std::move(command.namespace_name);
    row.lane_id = std::move(command.lane_id);
    row.execution_kind = std::move(command.execution_kind);
    row.creator_identity = std::move(command.creator_identity);
    row.payload_encoding = std::move(command.payload_encoding);
    row.priority = std::clamp(priority, 0, max_priority);
    row.deadline_at_ms = command.execution_deadline_at_ms;
    row.tags = json_of(command.tags);
    row.traceparent = std::move(command.traceparent);
    row.tracestate = std::move(command.tracestate);
    create.request_digest = std::move(command.request_digest);
    if (!command.idempotency_key.empty()) {
        create.idempotency = IdempotencyKey{row.namespace_name, command.idempotency_key};
        row.idempotency_key = std::move(command.idempotency_key);
    }
    create.input = std::move(command.input_payload);
    return create;
}

namespace {

// The id of a submission is out already, so what cannot be created is an execution that failed.
CreateDecision create_failed(ExecutionEntry entry, const std::string& reason, DecisionContext& context) {
    const ExecutionRow& row = entry.row;
    Transition transition(entry, context.set);
    transition.note_terms();
    transition.set_failure(reason, "invalid_input");
    transition.finish(TerminalOutcome::failed);
    const Created answer{.execution_id = row.id, .duplicate = false, .public_state = row.vector.public_state};
    return {.answer = answer, .inserted = std::move(entry)};
}

// Requests with a digest are told apart: the same one gets the answer that it had.
Result<CreateDecision> repeated_create(const AdmittedCreate& create, const IdempotencyRow& owner) {
    if (!create.request_digest || !owner.request_digest) {
        return CreateDecision{.answer = {.execution_id = owner.execution_id, .duplicate = true}};
    }
    if (create.request_digest != owner.request_digest) {
        return idempotency_conflict(owner.execution_id.to_string());
    }
    return CreateDecision{
        .answer = {.execution_id = owner.execution_id, .duplicate = false, .public_state = owner.first_state}};
}

}  // namespace

EngineError idempotency_conflict(std::string_view made) {
    return {.kind = ErrorKind::idempotency_conflict,
            .detail = std::string("idempotency_key: another request has made ").append(made).append(" with it")};
}

Result<CreateDecision> decide_create(const AdmittedCreate& create, const CreateFacts& facts, DecisionContext& context) {
    const std::int64_t now = context.set.now_ms;
    const bool submitted = create.submission_id.has_value();
    const bool key_taken = facts.key_owner != nullptr && facts.key_owner->expires_at_ms > now;
    if (key_taken && !submitted) return repeated_create(create, *facts.key_owner);
    if (facts.id_taken) {
        return CreateDecision{.answer = {.execution_id = create.row.id, .duplicate = true}};
    }

    ExecutionEntry entry{.row = create.row, .change = RowChange::insert, .input = create.input};
    ExecutionRow& row = entry.row;
    row.created_at_ms = now;
    row.instance_tag = tag_of(row.tags, context.set.settings.instance_tag_key);
    if (create.refusal) return create_failed(std::move(entry), *create.refusal, context);
    if (key_taken) {
        const std::string original = facts.key_owner->execution_id.to_string();
        return create_failed(std::move(entry), "idempotency_key: in use by " + original, context);
    }
    if (!accepts_work(facts.lane_state)) {
        auto refusal = lane_not_accepting(row.lane_id, facts.lane_state);
        if (submitted) return create_failed(std::move(entry), to_string(refusal), context);
        return refusal;
    }
    if (!row.deadline_at_ms && create.execution_deadline_ms) {
        row.deadline_at_ms = saturating_add(now, *create.execution_deadline_ms);
    }
    row.deadline_check_at_ms = row.deadline_at_ms;
    Transition transition(entry, context.set);
    transition.note_terms();
    transition.make_runnable(AttemptState::pending_first_attempt, BlockingReason::waiting_for_delay);

    if (create.idempotency) {
        context.set.idempotency.push_back(
            {.key = *create.idempotency,
             .execution_id = row.id,
             .expires_at_ms = saturating_add(now, create.dedup_window_ms),
             .request_digest = create.request_digest,
             .first_state = create.request_digest ? std::optional(row.vector.public_state) : std::nullopt});
    }
    const Created answer{.execution_id = row.id, .duplicate = false, .public_state = row.vector.public_state};
    return CreateDecision{.answer = answer, .inserted = std::move(entry)};
}

namespace {

class CreateBody final : public CommandBody {
  public:
    explicit CreateBody(AdmittedCreate create) : create_(std::move(create)) {}

    CommandTraits traits() const override { return {.name = "create_execution", .urgency = Urgency::bulk}; }
    std::size_t bytes() const override {
        return sizeof(*this) +
               contents_of(create_.row, create_.input, create_.idempotency, create_.request_digest, create_.refusal);
    }
    std::span<const ExecutionId> executions() const override {
        if (create_.minted) return {};
        return {&create_.row.id, 1};
    }
    std::span<AdmittedCreate> creations() override { return {&create_, 1}; }
    void name_rows(NamedRows&) const override {}
    std::string subject() const override { return create_.row.id.to_string(); }

    Result<Answer> decide(BatchRows& rows, DecisionContext& context) const override {
        // Another engine has taken the submission in, or is about to.
        if (create_.submission_id && !rows.has_submission(*create_.submission_id)) {
            return Answer::of<Created>({.execution_id = create_.row.id, .duplicate = true, .public_state = {}});
        }
        const CreateFacts facts{.key_owner = create_.idempotency ? rows.key_owner(*create_.idempotency) : nullptr,
                                .id_taken = rows.is_taken(create_.row.id),
                                .lane_state = rows.lane_state(create_.row.lane_id)};
        auto created = decide_create(create_, facts, context);
        if (!created) return created.error();
        if (created->inserted) rows.insert(std::move(*created->inserted));
        if (create_.submission_id) context.set.submissions.push_back(*create_.submission_id);
        return Answer::of<Created>(created->answer);
    }

  private:
    AdmittedCreate create_;
};

}  // namespace

Command command_of(AdmittedCreate create) {
    return Command::make<CreateBody>(std::move(create));
}

template <>
Result<Command> admit(CreateExecution command, const Settings& settings, const IdSource& ids) {
    auto create = admit_creation(std::move(command), settings, ids);
    if (!create) return create.error();
    return command_of(std::move(*create));
}

}  // namespace flowfabric
