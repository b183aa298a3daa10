#include "core/suspension/condition.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "core/base/names.hpp"

namespace flowfabric {
namespace {

constexpr std::size_t max_depth = 4;
constexpr std::int64_t past_tolerance_ms = 600'000;

EngineError refusal(std::string detail) {
    return {.kind = ErrorKind::invalid_input, .detail = std::move(detail)};
}

std::string at_path(std::string_view what, std::string_view path) {
    return std::string(what).append(" at path ").append(path.empty() ? "<root>" : path);
}

std::string field_at(std::string_view path, std::string_view field) {
    std::string name = "resume_condition.";
    if (!path.empty()) name.append(path).append(".");
    return name.append(field);
}

Result<void> check_key(std::string_view key, std::string_view path) {
    return check_text(field_at(path, "waitpoint_key"), key, max_label_bytes);
}

Result<void> check_matcher(const SignalMatcher& matcher, std::string_view path) {
    const auto* by_name = std::get_if<ByName>(&matcher);
    if (by_name == nullptr) return {};
    if (by_name->name.empty()) return refusal("resume_condition: empty signal name (use Wildcard instead)");
    return check_text(field_at(path, "signal_name"), by_name->name, max_label_bytes);
}

Result<void> check_depth(std::size_t depth, std::string_view path) {
    if (depth <= max_depth) return {};
    return refusal(at_path("depth " + std::to_string(depth) + " exceeds cap 4", path));
}

// Each node with its path and the depth that it has if it is a composite.
Result<void> check_node(const Single& single, const std::string& path, std::size_t) {
    if (auto checked = check_key(single.waitpoint_key, path); !checked) return checked;
    return check_matcher(single.matcher, path);
}
Result<void> check_node(const OperatorOnly&, const std::string& path, std::size_t depth) {
    if (depth == 1) return {};
    return refusal(at_path("operator_only_never_satisfiable_in_allof", path));
}
Result<void> check_node(const TimeoutOnly&, const std::string& path, std::size_t depth) {
    if (depth == 1) return {};
    return refusal(at_path("timeout_only_never_satisfiable_in_allof", path));
}
Result<void> check_node(const UnknownCondition&, const std::string& path, std::size_t) {
    return refusal(at_path("unknown_condition_variant", path));
}
Result<void> check_node(const Count& count, const std::string& path, std::size_t depth) {
    if (auto checked = check_depth(depth, path); !checked) return checked;
    if (count.n == 0) return refusal(at_path("count_n_zero", path));
    if (count.waitpoints.empty()) return refusal(at_path("count_waitpoints_empty", path));
    std::set<std::string_view> keys;
    for (const std::string& key : count.waitpoints) {
        if (auto checked = check_key(key, path); !checked) return checked;
        if (!keys.insert(key).second) return refusal(at_path("count_waitpoints_repeated: " + key, path));
    }
    if (count.kind == CountKind::distinct_waitpoints && count.n > keys.size()) {
        return refusal(at_path("count_exceeds_waitpoint_set: n " + std::to_string(count.n) + " of " +
                                   std::to_string(keys.size()) + " waitpoints",
                               path));
    }
    return count.matcher ? check_matcher(*count.matcher, path) : Result<void>{};
}
Result<void> check_node(const AllOf& all, const std::string& path, std::size_t depth) {
    if (auto checked = check_depth(depth, path); !checked) return checked;
    if (all.members.empty()) return refusal(at_path("allof_empty_members", path));
    for (std::size_t i = 0; i < all.members.size(); ++i) {
        const std::string member = path + (path.empty() ? "" : ".") + "members[" + std::to_string(i) + "]";
        const auto check = [&](const auto& node) { return check_node(node, member, depth + 1); };
        if (auto checked = std::visit(check, all.members[i].node); !checked) return checked;
    }
    return {};
}

template <class Visit>
void for_each_leaf(const ResumeCondition& condition, const Visit& visit) {
    if (const auto* all = std::get_if<AllOf>(&condition.node)) {
        for (const ResumeCondition& member : all->members) for_each_leaf(member, visit);
    } else {
        visit(condition.node);
    }
}

bool accepts(const SignalMatcher& matcher, const SignalFacts& signal) {
    const auto* by_name = std::get_if<ByName>(&matcher);
    return by_name == nullptr || by_name->name == signal.signal_name;
}

// Signals of one discriminator count once; the parts that a kind does not look at stay empty.
using Discriminator = std::tuple<Uuid, std::string_view, std::string_view>;

Discriminator discriminator_of(CountKind kind, const SignalFacts& signal) {
    switch (kind) {
        case CountKind::distinct_waitpoints:
            return {signal.waitpoint_id.uuid, "", ""};
        case CountKind::distinct_signals:
            return {signal.signal_id.uuid, "", ""};
        case CountKind::distinct_sources:
            break;
    }
    return {Uuid{}, signal.source_type, signal.source_identity};
}

// Says whether a node is true and marks the signals that contribute to it.
class Evaluator {
  public:
    explicit Evaluator(std::span<const SignalFacts> signals) : signals_(signals), contributes_(signals.size()) {}

    bool is_true(const ResumeCondition& condition) {
        return std::visit([&](const auto& node) { return (*this)(node); }, condition.node);
    }

    bool operator()(const Single& single) {
        for (std::size_t i = 0; i < signals_.size(); ++i) {
            if (signals_[i].waitpoint_key != single.waitpoint_key || !accepts(single.matcher, signals_[i])) continue;
            contributes_[i] = true;
            return true;
        }
        return false;
    }
    bool operator()(const AllOf& all) {
        bool satisfied = !all.members.empty();
        // Every member is looked at: a false one does not keep the others from gathering contributors.
        for (const ResumeCondition& member : all.members) satisfied = is_true(member) && satisfied;
        return satisfied;
    }
    bool operator()(const Count& count) {
        const std::set<std::string_view> keys(count.waitpoints.begin(), count.waitpoints.end());
        std::set<Discriminator> seen;
        for (std::size_t i = 0; i < signals_.size(); ++i) {
            if (!keys.contains(signals_[i].waitpoint_key)) continue;
            if (count.matcher && !accepts(*count.matcher, signals_[i])) continue;
            if (seen.insert(discriminator_of(count.kind, signals_[i])).second) contributes_[i] = true;
        }
        return seen.size() >= count.n;
    }
    bool operator()(const OperatorOnly&) { return false; }
    bool operator()(const TimeoutOnly&) { return false; }
    bool operator()(const UnknownCondition&) { return false; }

    std::vector<std::size_t> contributors() const {
        std::vector<std::size_t> positions;
        for (std::size_t i = 0; i < contributes_.size(); ++i) {
            if (contributes_[i]) positions.push_back(i);
        }
        return positions;
    }

  private:
    std::span<const SignalFacts> signals_;
    std::vector<bool> contributes_;
};

bool names_key(const Count& count, std::string_view key) {
    return std::ranges::find(count.waitpoints, key) != count.waitpoints.end();
}

void add_once(std::vector<std::string>& texts, std::string_view text) {
    if (std::ranges::find(texts, text) == texts.end()) texts.emplace_back(text);
}

bool is_composite(const ResumeCondition& condition) {
    return std::holds_alternative<AllOf>(condition.node) || std::holds_alternative<Count>(condition.node);
}

}  // namespace

Result<void> check_condition(const ResumeCondition& condition, bool has_deadline) {
    if (std::holds_alternative<TimeoutOnly>(condition.node) && !has_deadline) {
        return refusal("timeout_only_without_deadline");
    }
    return std::visit([](const auto& node) { return check_node(node, "", 1); }, condition.node);
}

Result<void> check_bindings(const ResumeCondition& condition, std::span<const BoundKey> bindings) {
    if (bindings.empty()) return refusal("waitpoints_empty");
    const auto* single = std::get_if<Single>(&condition.node);
    if (single != nullptr && bindings.front().fresh && bindings.front().key != single->waitpoint_key) {
        return refusal("waitpoint_key_mismatch");
    }
    std::set<std::string_view> bound;
    for (std::size_t i = 0; i < bindings.size(); ++i) {
        const std::string place = " at waitpoints[" + std::to_string(i) + "]";
        if (i > 0 && bindings[i].key.empty()) return refusal("additional_waitpoint_binding_empty_key" + place);
        if (i > 0 && !bindings[i].fresh) return refusal("additional_waitpoint_binding_must_be_fresh" + place);
        if (!bound.insert(bindings[i].key).second) return refusal("duplicate_waitpoint_binding_key" + place);
    }
    std::set<std::string_view> referenced;
    const std::vector<std::string> keys = keys_of(condition);
    for (const std::string& key : keys) {
        if (!bound.contains(key)) return refusal("referenced_waitpoint_key_missing_binding: " + key);
        referenced.insert(key);
    }
    if (bindings.size() == 1) return {};
    for (const BoundKey& binding : bindings) {
        if (referenced.contains(binding.key)) continue;
        return refusal(std::string("extra_binding_not_referenced_by_condition: ").append(binding.key));
    }
    return {};
}

Result<void> check_timeout_at(std::int64_t timeout_at_ms, std::int64_t now_ms) {
    if (timeout_at_ms <= now_ms - past_tolerance_ms) return refusal("timeout_at_in_past");
    return {};
}

TimeoutBehavior timeout_behavior_of(std::string_view text) {
    if (text == "auto_resume") return TimeoutBehavior::auto_resume_with_timeout_signal;
    return parse_enum<TimeoutBehavior>(text).value_or(TimeoutBehavior::fail);
}

bool is_reserved_signal_name(std::string_view name) {
    return name.starts_with("__");
}

Evaluation evaluate(const ResumeCondition& condition, std::span<const SignalFacts> signals) {
    Evaluator evaluator(signals);
    const bool satisfied = evaluator.is_true(condition);
    return {satisfied, evaluator.contributors()};
}

SignalEffect effect_of_last(const ResumeCondition& condition, std::span<const SignalFacts> signals,
                            const Evaluation& evaluation) {
    if (evaluation.satisfied) return SignalEffect::resume_condition_satisfied;
    if (!is_composite(condition)) return SignalEffect::no_op;
    if (!evaluation.contributors.empty() && evaluation.contributors.back() + 1 == signals.size()) {
        return SignalEffect::appended_to_waitpoint;
    }
    const SignalFacts& last = signals.back();
    // Alone, a signal that any node accepts contributes.
    if (!evaluate(condition, signals.last(1)).contributors.empty()) {
        return SignalEffect::appended_to_waitpoint_duplicate;
    }
    const std::vector<std::string> keys = keys_of(condition);
    const bool referred_to = std::ranges::find(keys, last.waitpoint_key) != keys.end();
    return referred_to ? SignalEffect::signal_ignored_matcher_failed : SignalEffect::signal_ignored_not_in_condition;
}

std::vector<std::string> keys_of(const ResumeCondition& condition) {
    std::vector<std::string> keys;
    std::set<std::string_view> seen;
    const auto add = [&](const std::string& key) {
        if (seen.insert(key).second) keys.push_back(key);
    };
    for_each_leaf(condition, [&](const auto& leaf) {
        if (const auto* single = std::get_if<Single>(&leaf)) add(single->waitpoint_key);
        if (const auto* count = std::get_if<Count>(&leaf)) std::ranges::for_each(count->waitpoints, add);
    });
    return keys;
}

std::vector<std::string> required_signal_names(const ResumeCondition& condition, std::string_view waitpoint_key) {
    std::vector<std::string> names;
    const auto add = [&](const SignalMatcher& matcher) {
        if (const auto* by_name = std::get_if<ByName>(&matcher)) add_once(names, by_name->name);
    };
    for_each_leaf(condition, [&](const auto& leaf) {
        if (std::holds_alternative<OperatorOnly>(leaf)) add_once(names, "__operator_only__");
        if (std::holds_alternative<TimeoutOnly>(leaf)) add_once(names, "__timeout_only__");
        const auto* single = std::get_if<Single>(&leaf);
        if (single != nullptr && single->waitpoint_key == waitpoint_key) add(single->matcher);
        const auto* count = std::get_if<Count>(&leaf);
        if (count != nullptr && count->matcher && names_key(*count, waitpoint_key)) add(*count->matcher);
    });
    return names;
}

}  // namespace flowfabric
