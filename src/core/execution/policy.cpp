#include "flowfabric/policy.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <limits>

#include "core/base/names.hpp"
#include "flowfabric/json_fault.hpp"

namespace flowfabric {
namespace {

namespace json = boost::json;

constexpr double max_multiplier = 1e18;  // beyond any delay, and a number that every JSON type keeps
constexpr std::size_t max_items = 256;   // of any list; with the limit of each text it bounds the whole policy

EngineError malformed(std::string_view path, std::string_view why) {
    std::string detail = "malformed";
    if (!path.empty()) detail.append(": ").append(path);
    return {.kind = ErrorKind::invalid_policy_json, .detail = detail.append(": ").append(why)};
}

// Reads an object's fields one by one and keeps the first fault; an unknown field is a fault too. Null counts as
// absent.
class Fields {
  public:
    Fields(const json::object& object, std::string path) : object_(object), path_(std::move(path)) {}

    template <class Integer>
    void integer(std::string_view name, Integer& out) {
        const json::value* value = take(name);
        if (value == nullptr) return;
        if (value->is_int64() && std::in_range<Integer>(value->get_int64())) {
            out = static_cast<Integer>(value->get_int64());
        } else if (value->is_uint64() && std::in_range<Integer>(value->get_uint64())) {
            out = static_cast<Integer>(value->get_uint64());
        } else {
            fail(name, "expected an integer in range");
        }
    }

    template <class Integer>
    void integer(std::string_view name, std::optional<Integer>& out) {
        if (take(name) == nullptr) return;
        integer(name, out.emplace());
    }

    void number(std::string_view name, double& out) {
        const json::value* value = take(name);
        if (value == nullptr) return;
        if (!value->is_number()) return fail(name, "expected a number");
        out = value->to_number<double>();
    }

    void boolean(std::string_view name, bool& out) {
        const json::value* value = take(name);
        if (value == nullptr) return;
        if (!value->is_bool()) return fail(name, "expected true or false");
        out = value->get_bool();
    }

    void text(std::string_view name, std::string& out) {
        const json::value* value = take(name);
        if (value == nullptr) return;
        if (!value->is_string()) return fail(name, "expected a string");
        out = value->get_string();
        if (auto checked = check_text(name, out, max_label_bytes); !checked) fail(name, checked.error().detail);
    }

    void text(std::string_view name, std::optional<std::string>& out) {
        if (take(name) == nullptr) return;
        text(name, out.emplace());
    }

    void texts(std::string_view name, std::vector<std::string>& out) {
        const json::value* value = take(name);
        if (value == nullptr) return;
        if (!value->is_array()) return fail(name, "expected an array of strings");
        if (value->get_array().size() > max_items) return fail(name, "more than 256 items");
        for (const json::value& item : value->get_array()) {
            if (!item.is_string()) return fail(name, "expected an array of strings");
            out.emplace_back(item.get_string());
            if (auto checked = check_text(name, out.back(), max_label_bytes); !checked)
                return fail(name, checked.error().detail);
        }
    }

    // Calls parse(Fields&) with the object under `name`, if there is one.
    template <class Parse>
    void object(std::string_view name, Parse parse) {
        const json::value* value = take(name);
        if (value == nullptr) return;
        if (!value->is_object()) return fail(name, "expected an object");
        Fields inner(value->get_object(), path_of(name));
        parse(inner);
        inner.refuse_unknown();
        if (inner.fault_) keep(*inner.fault_);
    }

    template <class Parse>
    void objects(std::string_view name, Parse parse) {
        const json::value* value = take(name);
        if (value == nullptr) return;
        if (!value->is_array()) return fail(name, "expected an array of objects");
        if (value->get_array().size() > max_items) return fail(name, "more than 256 items");
        for (const json::value& item : value->get_array()) {
            if (!item.is_object()) return fail(name, "expected an array of objects");
            Fields inner(item.get_object(), path_of(name));
            parse(inner);
            inner.refuse_unknown();
            if (inner.fault_) return keep(*inner.fault_);
        }
    }

    const json::value* take(std::string_view name) {
        taken_.push_back(name);
        const json::value* value = object_.if_contains(name);
        return value == nullptr || value->is_null() ? nullptr : value;
    }

    void keep(const EngineError& fault) {
        if (!fault_) fault_ = fault;
    }
    void fail(std::string_view name, std::string_view why) { keep(malformed(path_of(name), why)); }
    void require(std::string_view name) {
        if (take(name) == nullptr) fail(name, "is required");
    }

    void refuse_unknown() {
        for (const auto& member : object_) {
            const std::string_view name = member.key();
            if (std::ranges::find(taken_, name) != taken_.end()) continue;
            // A name that is no text of ours must not get into a message.
            const bool nameable = check_text("", name, max_label_bytes).has_value();
            keep(malformed(nameable ? path_of(name) : path_, "is not a known field"));
        }
    }

    const std::optional<EngineError>& fault() const { return fault_; }

  private:
    std::string path_of(std::string_view name) const {
        return path_.empty() ? std::string(name) : std::string(path_).append(".").append(name);
    }

    const json::object& object_;
    std::string path_;
    std::vector<std::string_view> taken_;
    std::optional<EngineError> fault_;
};

void read_backoff(Fields& fields, RetryPolicy& retry) {
    std::string type = "exponential";
    fields.require("type");
    fields.text("type", type);
    if (type == "fixed") {
        FixedBackoff fixed;
        fields.integer("delay_ms", fixed.delay_ms);
        retry.backoff = fixed;
        return;
    }
    if (type != "exponential") return fields.fail("type", "expected fixed or exponential");
    ExponentialBackoff exponential;
    fields.integer("initial_delay_ms", exponential.initial_delay_ms);
    fields.integer("max_delay_ms", exponential.max_delay_ms);
    fields.number("multiplier", exponential.multiplier);
    fields.boolean("jitter", exponential.jitter);
    if (!(exponential.multiplier >= 1.0 && exponential.multiplier <= max_multiplier)) {
        fields.fail("multiplier", "expected a number from 1 to 1e18");
    }
    retry.backoff = exponential;
}

void read_retry(Fields& fields, RetryPolicy& retry) {
    fields.integer("max_retries", retry.max_retries);
    fields.object("backoff", [&](Fields& inner) { read_backoff(inner, retry); });
    fields.texts("retryable_categories", retry.retryable_categories);
}

void read_routing(Fields& fields, RoutingRequirements& routing) {
    fields.text("preferred_locality", routing.preferred_locality);
    fields.text("isolation_level", routing.isolation_level);
    const json::value* tokens = fields.take("required_capabilities");
    if (tokens == nullptr) return;
    const auto refuse = [&](std::string_view why) {
        fields.keep({.kind = ErrorKind::invalid_capabilities, .detail = std::string("required:").append(why)});
    };
    if (!tokens->is_array()) return refuse("not an array");
    std::vector<std::string> given;
    for (const json::value& token : tokens->get_array()) {
        if (!token.is_string()) return refuse("non-string token");
        given.emplace_back(token.get_string());
    }
    auto normal = normalise_capabilities("required", std::move(given));
    if (!normal) return fields.keep(normal.error());
    routing.required_capabilities = std::move(*normal);
}

void read_policy(Fields& fields, ExecutionPolicy& policy) {
    fields.integer("priority", policy.priority);
    fields.integer("delay_until", policy.delay_until_ms);
    if (policy.delay_until_ms.value_or(0) < 0) fields.fail("delay_until", "must not be negative");
    fields.object("retry_policy", [&](Fields& inner) { read_retry(inner, policy.retry_policy.emplace()); });
    fields.object("timeout_policy", [&](Fields& inner) {
        TimeoutPolicy& timeout = policy.timeout_policy.emplace();
        inner.integer("attempt_timeout_ms", timeout.attempt_timeout_ms);
        inner.integer("execution_deadline_ms", timeout.execution_deadline_ms);
        inner.take("max_reclaim_count");  // published policies have it here too; the one beside the timeouts counts
    });
    fields.object("routing_requirements",
                  [&](Fields& inner) { read_routing(inner, policy.routing_requirements.emplace()); });
    fields.integer("dedup_window_ms", policy.dedup_window_ms);
    fields.integer("max_reclaim_count", policy.max_reclaim_count);
    fields.integer("max_replay_count", policy.max_replay_count);
    fields.object("suspension_policy", [&](Fields& inner) {
        SuspensionPolicy& suspension = policy.suspension_policy.emplace();
        inner.integer("default_timeout_ms", suspension.default_timeout_ms);
        inner.text("timeout_behavior", suspension.timeout_behavior);
    });
    fields.object("fallback_policy", [&](Fields& inner) {
        FallbackPolicy& fallback = policy.fallback_policy.emplace();
        inner.objects("tiers", [&](Fields& tier_fields) {
            FallbackTier& tier = fallback.tiers.emplace_back();
            tier_fields.text("provider", tier.provider);
            tier_fields.text("model", tier.model);
            tier_fields.integer("timeout_ms", tier.timeout_ms);
        });
    });
    fields.texts("budget_ids", policy.budget_ids);
    fields.text("quota_policy_id", policy.quota_policy_id);
    fields.object("stream_policy", [&](Fields& inner) {
        StreamPolicy& stream = policy.stream_policy.emplace();
        inner.text("durability_mode", stream.durability_mode);
        inner.integer("retention_maxlen", stream.retention_maxlen);
        inner.integer("retention_ttl_ms", stream.retention_ttl_ms);
    });
    fields.integer("max_signals_per_execution", policy.max_signals_per_execution);
    fields.refuse_unknown();
}

template <class T>
void put(json::object& object, std::string_view name, const std::optional<T>& value) {
    if (value) object[name] = *value;
}

// JSON has no infinities; the parser refuses the text by the field's name.
json::value number_or_text(double value) {
    return std::isfinite(value) ? json::value(value) : json::value("not finite");
}

json::object backoff_json(const RetryPolicy& retry) {
    if (const auto* fixed = std::get_if<FixedBackoff>(&retry.backoff)) {
        return {{"type", "fixed"}, {"delay_ms", fixed->delay_ms}};
    }
    const auto& exponential = std::get<ExponentialBackoff>(retry.backoff);
    return {{"type", "exponential"},
            {"initial_delay_ms", exponential.initial_delay_ms},
            {"max_delay_ms", exponential.max_delay_ms},
            {"multiplier", number_or_text(exponential.multiplier)},
            {"jitter", exponential.jitter}};
}

json::array array_of(const std::vector<std::string>& texts) {
    return json::array(texts.begin(), texts.end());
}

json::object retry_json(const RetryPolicy& retry) {
    json::object object{{"max_retries", retry.max_retries}, {"backoff", backoff_json(retry)}};
    if (!retry.retryable_categories.empty()) object["retryable_categories"] = array_of(retry.retryable_categories);
    return object;
}

template <class Policy, class Read>
Result<Policy> parse_with(std::string_view text, Read&& read) {
    json::parse_options options;
    options.allow_invalid_utf8 = true;  // each field's own check refuses it and says where
    boost::system::error_code failure;
    const json::value value = json::parse(text, failure, {}, options);
    if (failure) return malformed("", json_fault(text));
    if (!value.is_object()) return malformed("", "expected an object");
    Policy policy;
    Fields fields(value.get_object(), "");
    read(fields, policy);
    if (fields.fault()) return *fields.fault();
    return policy;
}

}  // namespace

Result<RetryPolicy> RetryPolicy::parse(std::string_view text) {
    return parse_with<RetryPolicy>(text, [](Fields& fields, RetryPolicy& retry) {
        read_retry(fields, retry);
        fields.refuse_unknown();
    });
}

std::string RetryPolicy::to_json() const {
    return json::serialize(retry_json(*this));
}

Result<ExecutionPolicy> ExecutionPolicy::parse(std::string_view text) {
    return parse_with<ExecutionPolicy>(text, read_policy);
}

std::string ExecutionPolicy::to_json() const {
    json::object object;
    if (priority != 0) object["priority"] = priority;
    put(object, "delay_until", delay_until_ms);
    if (retry_policy) object["retry_policy"] = retry_json(*retry_policy);
    if (timeout_policy) {
        json::object timeout;
        put(timeout, "attempt_timeout_ms", timeout_policy->attempt_timeout_ms);
        put(timeout, "execution_deadline_ms", timeout_policy->execution_deadline_ms);
        object["timeout_policy"] = std::move(timeout);
    }
    if (routing_requirements) {
        json::object routing{{"required_capabilities", array_of(routing_requirements->required_capabilities)}};
        put(routing, "preferred_locality", routing_requirements->preferred_locality);
        put(routing, "isolation_level", routing_requirements->isolation_level);
        object["routing_requirements"] = std::move(routing);
    }
    put(object, "dedup_window_ms", dedup_window_ms);
    put(object, "max_reclaim_count", max_reclaim_count);
    put(object, "max_replay_count", max_replay_count);
    if (suspension_policy) {
        json::object suspension{{"timeout_behavior", suspension_policy->timeout_behavior}};
        put(suspension, "default_timeout_ms", suspension_policy->default_timeout_ms);
        object["suspension_policy"] = std::move(suspension);
    }
    if (fallback_policy) {
        json::array tiers;
        for (const FallbackTier& tier : fallback_policy->tiers) {
            json::object entry{{"provider", tier.provider}, {"model", tier.model}};
            put(entry, "timeout_ms", tier.timeout_ms);
            tiers.push_back(std::move(entry));
        }
        object["fallback_policy"] = json::object{{"tiers", std::move(tiers)}};
    }
    if (!budget_ids.empty()) object["budget_ids"] = array_of(budget_ids);
    put(object, "quota_policy_id", quota_policy_id);
    if (stream_policy) {
        json::object stream{{"durability_mode", stream_policy->durability_mode},
                            {"retention_maxlen", stream_policy->retention_maxlen}};
        put(stream, "retention_ttl_ms", stream_policy->retention_ttl_ms);
        object["stream_policy"] = std::move(stream);
    }
    put(object, "max_signals_per_execution", max_signals_per_execution);
    return json::serialize(object);
}

}  // namespace flowfabric
