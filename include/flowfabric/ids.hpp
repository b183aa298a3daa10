#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "flowfabric/result.hpp"

namespace flowfabric {

struct Uuid {
    std::array<std::uint8_t, 16> bytes{};

    // Accepts the 36-character hyphenated form in either case, nothing else.
    static Result<Uuid> parse(std::string_view text);
    std::string to_string() const;

    auto operator<=>(const Uuid&) const = default;
};

// One type per kind of UUID, so that a lease id cannot stand where an attempt id is meant.
template <class Tag>
struct UuidOf {
    Uuid uuid;

    static Result<UuidOf> parse(std::string_view text) {
        auto parsed = Uuid::parse(text);
        if (!parsed) return parsed.error();
        return UuidOf{*parsed};
    }
    std::string to_string() const { return uuid.to_string(); }

    auto operator<=>(const UuidOf&) const = default;
};

using LeaseId = UuidOf<struct LeaseTag>;
using AttemptId = UuidOf<struct AttemptTag>;
using FlowId = UuidOf<struct FlowTag>;
using SuspensionId = UuidOf<struct SuspensionTag>;
using WaitpointId = UuidOf<struct WaitpointTag>;
using SignalId = UuidOf<struct SignalTag>;
using EdgeId = UuidOf<struct EdgeTag>;
using BudgetId = UuidOf<struct BudgetTag>;

struct LeaseEpoch {
    std::uint64_t value = 0;
    auto operator<=>(const LeaseEpoch&) const = default;
};

// `{fp:N}:<uuid>`: the partition travels in the id and is never recomputed from the UUID.
struct ExecutionId {
    std::uint16_t partition = 0;
    Uuid uuid;

    static Result<ExecutionId> parse(std::string_view text);
    std::string to_string() const;

    auto operator<=>(const ExecutionId&) const = default;
};

}  // namespace flowfabric

template <>
struct std::hash<flowfabric::Uuid> {
    std::size_t operator()(const flowfabric::Uuid& id) const noexcept {
        // The low half of a UUID of any version we mint is random; the high half tells v1 and sequential ids apart.
        std::uint64_t high = 0;
        std::uint64_t low = 0;
        for (std::size_t i = 0; i < 8; ++i) {
            high = high << 8U | id.bytes[i];
            low = low << 8U | id.bytes[8 + i];
        }
        return static_cast<std::size_t>(low ^ high * 0x9e3779b97f4a7c15ULL);
    }
};

template <>
struct std::hash<flowfabric::ExecutionId> {
    std::size_t operator()(const flowfabric::ExecutionId& id) const noexcept {
        return std::hash<flowfabric::Uuid>{}(id.uuid) ^ id.partition;
    }
};
