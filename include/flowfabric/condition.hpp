#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "flowfabric/result.hpp"
#include "flowfabric/state.hpp"

// When a suspended execution goes on. Conditions speak of waitpoints by their keys.
namespace flowfabric {

struct Wildcard {
    bool operator==(const Wildcard&) const = default;
};

struct ByName {
    std::string name;
    bool operator==(const ByName&) const = default;
};

using SignalMatcher = std::variant<Wildcard, ByName>;

// What tells the signals of a Count apart: signals that agree in it count once.
enum class CountKind : std::uint8_t { distinct_waitpoints, distinct_signals, distinct_sources };

template <>
inline constexpr std::array enum_names<CountKind> =
    std::to_array<std::string_view>({"DistinctWaitpoints", "DistinctSignals", "DistinctSources"});

struct ResumeCondition;

struct Single {
    std::string waitpoint_key;
    SignalMatcher matcher;
    bool operator==(const Single&) const = default;
};

// Only an operator resumes it.
struct OperatorOnly {
    bool operator==(const OperatorOnly&) const = default;
};

// Only the deadline ends it.
struct TimeoutOnly {
    bool operator==(const TimeoutOnly&) const = default;
};

struct AllOf {
    std::vector<ResumeCondition> members;
    bool operator==(const AllOf&) const;
};

// "Any of" is a Count of 1.
struct Count {
    std::uint32_t n = 1;
    CountKind kind = CountKind::distinct_waitpoints;
    std::optional<SignalMatcher> matcher;  // absent: every signal
    std::vector<std::string> waitpoints;
    bool operator==(const Count&) const = default;
};

// A condition that a later version stored: never true, and refused by suspend.
struct UnknownCondition {
    std::string json;
    bool operator==(const UnknownCondition&) const = default;
};

struct ResumeCondition {
    std::variant<Single, OperatorOnly, TimeoutOnly, AllOf, Count, UnknownCondition> node;

    // Fails with invalid_input and says where.
    static Result<ResumeCondition> parse(std::string_view json);
    std::string to_json() const;

    bool operator==(const ResumeCondition&) const = default;
};

inline bool AllOf::operator==(const AllOf&) const = default;

}  // namespace flowfabric
