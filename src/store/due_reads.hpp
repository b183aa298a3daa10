#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/execution/execution_filter.hpp"
#include "core/rows/due_rows.hpp"
#include "store/result.hpp"

namespace flowfabric {

// A row that is its own subject.
struct DueKey {
    std::uint16_t partition = 0;
    Uuid id;

    bool operator==(const DueKey&) const = default;
};

struct Due {
    std::int64_t now_ms = 0;
    std::vector<ExecutionId> executions;       // that due rows lead to, in order of their time …
    std::vector<FlowKey> flows;                // … or flows
    std::vector<DueKey> rows;                  // … or those rows
    std::optional<std::int64_t> oldest_at_ms;  // since when the first of them has been due
    std::optional<std::int64_t> next_at_ms;    // the earliest time that is not due yet

    void add(DueSubject subject, std::uint16_t partition, const Uuid& id) {
        switch (subject) {
            case DueSubject::execution:
                executions.push_back({partition, id});
                return;
            case DueSubject::flow:
                flows.push_back({partition, {id}});
                return;
            case DueSubject::itself:
                rows.push_back({partition, id});
                return;
        }
    }
};

// The store's clock, and what has come due by it.
class DueReads {
  public:
    virtual ~DueReads() = default;

    virtual StoreResult<std::int64_t> now() = 0;
    // Of those whose namespace and tags the filter admits; a row that is its own subject has neither.
    virtual StoreResult<Due> select_due(const DueRows& rows, std::uint32_t limit, const ExecutionFilter& filter) = 0;
};

}  // namespace flowfabric
