#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/rows.hpp"
#include "store/port.hpp"

// Everything that a store holds, read through its reader alone and brought into a form that is the same on every store:
// event ids and class ids are renumbered without gaps, JSON has sorted keys.
namespace flowfabric::test {

struct StoredExecution {
    ExecutionRow row;
    std::optional<Bytes> input;
    std::optional<Bytes> result;
    std::vector<AttemptRow> attempts;  // ended ones

    bool operator==(const StoredExecution&) const = default;
};

struct Dump {
    std::map<ExecutionId, StoredExecution> executions;
    std::map<IdempotencyKey, IdempotencyRow> idempotency_keys;
    std::map<std::string, LaneRow> lanes;
    std::map<std::int32_t, ClassSpec> classes;  // numbered in the order of their specs
    std::vector<LeaseEvent> lease_events;
    std::vector<CompletionEvent> completion_events;
    std::vector<OperatorEvent> operator_events;
    std::map<ConsumerKey, ConsumerRow> consumers;
    TrimPoints trimmed{};

    bool operator==(const Dump&) const = default;
};

Dump dump(StoreReader& reader);
Dump dump(Backend& backend);

// One line per column of every row.
std::string to_text(const Dump& dump);
// The lines that only one of the two has, marked - and +.
std::string difference(const Dump& expected, const Dump& actual);

}  // namespace flowfabric::test
