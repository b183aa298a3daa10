#include <chrono>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/store_location.hpp"
#include "cli/text_argument.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::cli {
namespace {

// The policy file first, then what single options say on top of it.
Result<std::optional<ExecutionPolicy>> policy_of(const SubmitOptions& options) {
    std::optional<ExecutionPolicy> policy;
    if (options.policy) {
        const auto text = read_text_argument(*options.policy);
        if (!text) return text.error();
        auto parsed = ExecutionPolicy::parse(*text);
        if (!parsed) return parsed.error();
        policy = *std::move(parsed);
    }
    if (options.max_retries || options.retry_delay) {
        if (!policy) policy.emplace();
        auto& retry = policy->retry_policy ? *policy->retry_policy : policy->retry_policy.emplace();
        if (options.max_retries) retry.max_retries = *options.max_retries;
        if (options.retry_delay) {
            retry.backoff = FixedBackoff{.delay_ms = static_cast<std::uint64_t>(options.retry_delay->count())};
        }
    }
    if (!options.capabilities.empty()) {
        if (!policy) policy.emplace();
        auto& routing =
            policy->routing_requirements ? *policy->routing_requirements : policy->routing_requirements.emplace();
        routing.required_capabilities = options.capabilities;
    }
    return policy;
}

Result<CreateExecution> command_of(const SubmitOptions& options) {
    CreateExecution command;
    if (options.id) {
        auto id = ExecutionId::parse(*options.id);
        if (!id) return id.error();
        command.execution_id = *id;
    }
    auto payload = read_text_argument(options.payload);
    if (!payload) return payload.error();
    auto policy = policy_of(options);
    if (!policy) return policy.error();

    command.namespace_name = options.namespace_name;
    command.lane_id = options.lane;
    command.execution_kind = options.kind;
    command.input_payload = *std::move(payload);
    command.priority = options.priority;
    command.creator_identity = "ff";
    command.idempotency_key = options.idempotency_key;
    command.tags = Tags(options.tags.begin(), options.tags.end());
    command.policy = *std::move(policy);
    if (options.delay.count() > 0) {
        const auto until = std::chrono::system_clock::now() + options.delay;
        command.delay_until_ms =
            std::chrono::duration_cast<std::chrono::milliseconds>(until.time_since_epoch()).count();
    }
    return command;
}

// A duplicate is answered without reading the original, which may be anywhere by now.
Result<PublicState> state_of(Engine& engine, const Created& created) {
    if (created.public_state) return *created.public_state;
    const auto original = engine.describe_execution(created.execution_id);
    if (!original) return original.error();
    if (!*original)
        return corruption("no execution " + created.execution_id.to_string() + " behind its idempotency key");
    return (*original)->vector.public_state;
}

}  // namespace

int run_submit(const CommonOptions& common, const SubmitOptions& options) {
    auto command = command_of(options);
    if (!command) return fail_with(command.error(), common.json);
    const auto engine = open_engine(common.store, Reconcilers::off);
    if (!engine) return fail_with(engine.error(), common.json);
    const auto created = (*engine)->create_execution(*std::move(command));
    if (!created) return fail_with(created.error(), common.json);

    if (!common.json) {
        print_line(created->execution_id.to_string());
        return 0;
    }
    const auto state = state_of(**engine, *created);
    if (!state) return fail_with(state.error(), common.json);
    print_json(boost::json::object{
        {"id", created->execution_id.to_string()}, {"state", to_string(*state)}, {"duplicate", created->duplicate}});
    return 0;
}

}  // namespace flowfabric::cli
