#include "cli/text/submission.hpp"

#include <array>
#include <chrono>
#include <limits>

#include <boost/json/serialize.hpp>

#include "cli/text/text_argument.hpp"

namespace flowfabric::cli {
namespace {

namespace json = boost::json;
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

// ---- the fields of a line; each is read into the option of its name ------------------------------------------------

Complaint read_payload(const json::value& value, SubmitOptions& options) {
    options.payload = value.is_string() ? std::string(value.get_string()) : json::serialize(value);
    return accepted;
}

Complaint read_policy(const json::value& value, SubmitOptions& options) {
    if (!value.is_object()) return "expected an object";
    options.policy = json::serialize(value);
    return accepted;
}

template <auto member>
Complaint read_into(const json::value& value, SubmitOptions& options) {
    return read(value, options.*member);
}

struct Field {
    std::string_view name;
    Complaint (*read)(const json::value&, SubmitOptions&);
};

constexpr auto fields = std::to_array<Field>({
    {"id", read_into<&SubmitOptions::id>},
    {"namespace", read_into<&SubmitOptions::namespace_name>},
    {"lane", read_into<&SubmitOptions::lane>},
    {"kind", read_into<&SubmitOptions::kind>},
    {"payload", read_payload},
    {"payload_encoding", read_into<&SubmitOptions::payload_encoding>},
    {"priority", read_into<&SubmitOptions::priority>},
    {"delay", read_into<&SubmitOptions::delay>},
    {"deadline", read_into<&SubmitOptions::deadline>},
    {"idempotency_key", read_into<&SubmitOptions::idempotency_key>},
    {"max_retries", read_into<&SubmitOptions::max_retries>},
    {"retry_delay", read_into<&SubmitOptions::retry_delay>},
    {"capabilities", read_into<&SubmitOptions::capabilities>},
    {"tags", read_into<&SubmitOptions::tags>},
    {"policy", read_policy},
});

// A duplicate is answered without reading the original, which may be anywhere by now.
Result<PublicState> state_of(Engine& engine, const Created& created) {
    if (created.public_state) return *created.public_state;
    const auto original = engine.read_execution_state(created.execution_id);
    if (!original) return original.error();
    if (!*original)
        return corruption("no execution " + created.execution_id.to_string() + " behind its idempotency key");
    return **original;
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

Complaint read_submission_field(std::string_view name, const json::value& value, SubmitOptions& options) {
    for (const auto& field : fields) {
        if (field.name == name) return field.read(value, options);
    }
    return "is not a field of a submission";
}

Result<SubmitOptions> parse_submission(std::string_view line, SubmitOptions defaults) {
    const auto object = parse_object(line);
    if (!object) return object.error();
    for (const auto& [name, field] : *object) {
        if (const auto complaint = read_submission_field(name, field, defaults); complaint != accepted) {
            return invalid_input(std::string_view(name), complaint);
        }
    }
    if (defaults.kind.empty()) return invalid_input("kind", "is required");
    return defaults;
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
    command.creator_identity = "ff";
    command.idempotency_key = options.idempotency_key;
    command.tags = options.tags;
    command.policy = *std::move(policy);
    if (options.delay.count() > 0) command.delay_until_ms = after_now(options.delay);
    return command;
}

Result<json::object> json_of(Engine& engine, const Created& created) {
    const auto state = state_of(engine, created);
    if (!state) return state.error();
    return json::object{
        {"id", created.execution_id.to_string()}, {"state", to_string(*state)}, {"duplicate", created.duplicate}};
}

}  // namespace flowfabric::cli
