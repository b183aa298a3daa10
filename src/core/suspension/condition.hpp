#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/ids.hpp"
#include "flowfabric/suspension.hpp"

namespace flowfabric {

// ---- what suspend accepts -----------------------------------------------------------------------------------------

// A waitpoint that the suspension binds, in the caller's order: the first is the primary one.
struct BoundKey {
    std::string_view key;
    bool fresh = true;  // false: a pending waitpoint, with the key in its row
};

// All that the condition alone shows.
Result<void> check_condition(const ResumeCondition& condition, bool has_deadline);
// That condition and bindings name the same keys.
Result<void> check_bindings(const ResumeCondition& condition, std::span<const BoundKey> bindings);
Result<void> check_timeout_at(std::int64_t timeout_at_ms, std::int64_t now_ms);

// What a policy says to do; what we do not know is `fail`.
TimeoutBehavior timeout_behavior_of(std::string_view text);

// Names that no signal from outside may have.
bool is_reserved_signal_name(std::string_view name);

// ---- evaluation ---------------------------------------------------------------------------------------------------

// What a condition can see of a signal of its suspension, buffered ones included.
struct SignalFacts {
    std::string waitpoint_key;
    WaitpointId waitpoint_id;
    SignalId signal_id;
    std::string signal_name;
    std::string source_type;
    std::string source_identity;
};

struct Evaluation {
    bool satisfied = false;
    // Positions, ascending, of the signals that brought a node nearer: the first that a Single accepts and, of a Count,
    // the first of each discriminator. They are the satisfiers once the condition is satisfied.
    std::vector<std::size_t> contributors;

    bool operator==(const Evaluation&) const = default;
};

// `signals` in the order of their acceptance, which decides which of them contribute and never whether it is satisfied.
Evaluation evaluate(const ResumeCondition& condition, std::span<const SignalFacts> signals);

// The effect of the last of `signals` on an open suspension that the others did not satisfy; `evaluation` is of all.
SignalEffect effect_of_last(const ResumeCondition& condition, std::span<const SignalFacts> signals,
                            const Evaluation& evaluation);

// ---- what it names ------------------------------------------------------------------------------------------------

// The waitpoint keys in it, each once, first seen first.
std::vector<std::string> keys_of(const ResumeCondition& condition);
// The signal names that a listing shows for a waitpoint; none means any signal.
std::vector<std::string> required_signal_names(const ResumeCondition& condition, std::string_view waitpoint_key);

}  // namespace flowfabric
