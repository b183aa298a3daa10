#include "cli/text/submission.hpp"

#include <chrono>
#include <limits>

#include "api/type.hpp"
#include "cli/text/json_input.hpp"
#include "cli/text/text_argument.hpp"

namespace flowfabric::cli {
namespace {

using std::chrono::milliseconds;

// The part of the policy, made if it is not there yet.
template <class T>
T& ensure(std::optional<T>& part) {
    return part ? *part : part.emplace();
}

// The policy's own text first, then what single options say on top of it.
Result<std::optional<ExecutionPolicy>> policy_of(const SubmitOptions& options) {
    std::optional<ExecutionPolicy> policy;
    if (options.policy) {
        auto parsed = ExecutionPolicy::parse(*options.policy);
        if (!parsed) return parsed.error();
        policy = *std::move(parsed);
    }
    if (options.max_retries || options.retry_delay) {
        auto& retry = ensure(ensure(policy).retry_policy);
        if (options.max_retries) retry.max_retries = *options.max_retries;
        if (options.retry_delay) {
            retry.backoff = FixedBackoff{.delay_ms = static_cast<std::uint64_t>(options.retry_delay->count())};
        }
    }
    if (options.deadline) {
        // Through the policy, because then it is counted on the store's clock.
        ensure(ensure(policy).timeout_policy).execution_deadline_ms =
            static_cast<std::uint64_t>(options.deadline->count());
    }
    if (!options.capabilities.empty()) {
        ensure(ensure(policy).routing_requirements).required_capabilities = options.capabilities;
    }
    return policy;
}

std::int64_t after_now(milliseconds delay) {
    const auto now = std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch());
    return delay > milliseconds::max() - now ? std::numeric_limits<std::int64_t>::max() : (now + delay).count();
}

}  // namespace

Result<SubmitOptions> read_texts(SubmitOptions options) {
    auto payload = read_text_argument(options.payload);
    if (!payload) return payload.error();
    options.payload = *std::move(payload);
    if (options.policy) {
        auto policy = read_text_argument(*options.policy);
        if (!policy) return policy.error();
        options.policy = *std::move(policy);
    }
    return options;
}

Result<CreateExecution> command_of(const SubmitOptions& options) {
    CreateExecution command;
    if (options.id) {
        auto id = ExecutionId::parse(*options.id);
        if (!id) return id.error();
        command.execution_id = *id;
    }
    auto policy = policy_of(options);
    if (!policy) return policy.error();

    command.namespace_name = options.namespace_name;
    command.lane_id = options.lane;
    command.execution_kind = options.kind;
    command.input_payload = options.payload;
    command.payload_encoding = options.payload_encoding;
    command.priority = options.priority;
    command.creator_identity = creator_identity;
    command.idempotency_key = options.idempotency_key;
    command.tags = options.tags;
    command.policy = *std::move(policy);
    if (options.delay.count() > 0) command.delay_until_ms = after_now(options.delay);
    return command;
}

Result<CreateExecution> parse_submission(std::string_view line, CreateExecution defaults) {
    auto document = parse_json(line);
    if (!document) return document.error();
    // The kind is required, and the options may have said it.
    if (auto* fields = document->if_object(); fields != nullptr && !defaults.execution_kind.empty()) {
        if (auto& kind = (*fields)["execution_kind"]; kind.is_null()) kind = defaults.execution_kind;
    }
    const api::ReadOptions options;
    if (auto read = api::type_of<CreateExecution>().read(*document, &defaults, api::Path(options)); !read) {
        return read.error();
    }
    if (defaults.execution_kind.empty()) return invalid_input("execution_kind", "is required");
    return defaults;
}

}  // namespace flowfabric::cli
