#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/rows/side_tables.hpp"
#include "store/port.hpp"

// Everything that a store holds, read through its reader alone and brought into a form that is the same on every store:
// event ids and class ids are renumbered without gaps, JSON has sorted keys.
namespace flowfabric::test {

struct StoredExecution {
    ExecutionRow row;
    std::optional<Bytes> input;
    std::map<std::string, Bytes> flow_inputs;  // by reference
    std::optional<Bytes> result;
    std::vector<AttemptRow> attempts;  // ended ones

    bool operator==(const StoredExecution&) const = default;
};

template <class Row>
struct RowsByKey {
    std::map<typename Row::Key, Row> rows;

    bool operator==(const RowsByKey&) const = default;
};

struct Dump {
    // Compiled once: every test that looks at a store would take seconds more.
    Dump();
    Dump(const Dump&);
    Dump(Dump&&) noexcept;
    Dump& operator=(const Dump&);
    Dump& operator=(Dump&&) noexcept;
    ~Dump();

    std::map<ExecutionId, StoredExecution> executions;
    std::map<IdempotencyKey, IdempotencyRow> idempotency_keys;
    std::map<std::string, LaneCounts> lane_counts;
    std::map<std::int32_t, ClassSpec> classes;  // numbered in the order of their specs
    std::vector<LeaseEvent> lease_events;
    std::vector<CompletionEvent> completion_events;
    std::vector<SignalEvent> signal_events;
    std::vector<OperatorEvent> operator_events;
    ForSideTables<RowsByKey> side;
    ChannelPoints trimmed{};

    template <class Row>
    const std::map<typename Row::Key, Row>& of() const& {
        return side.of<Row>().rows;
    }
    template <class Row>
    std::map<typename Row::Key, Row> of() && {
        return std::move(side.of<Row>().rows);
    }

    bool operator==(const Dump&) const;
};

Dump dump(StoreReader& reader);
Dump dump(Backend& backend);

// One line per column of every row.
std::string to_text(const Dump& dump);
// The lines that only one of the two has, marked - and +.
std::string difference(const Dump& expected, const Dump& actual);

}  // namespace flowfabric::test
