#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/execution/execution_filter.hpp"
#include "core/execution/idempotency_row.hpp"
#include "core/flow/flow_rows.hpp"
#include "core/rows/execution_row.hpp"
#include "core/rows/side_tables.hpp"
#include "flowfabric/search.hpp"
#include "flowfabric/views.hpp"
#include "store/result.hpp"

namespace flowfabric {

// A walk from newer executions to older ones, along one index.
struct SearchWalk {
    enum class By : std::uint8_t { time, lane, namespace_name, kind, term, flow };
    static constexpr std::array all{By::time, By::lane, By::namespace_name, By::kind, By::term, By::flow};

    By by = By::time;
    std::string name = {};                                                  // of the lane, the namespace or the kind
    Uuid term = {};                                                         // of SearchTermRow
    FlowKey flow = {};                                                      // its members come by id
    SearchPlace before = {};                                                // strictly older
    std::int64_t not_before_ms = std::numeric_limits<std::int64_t>::min();  // created then or later; not of a flow
    std::uint32_t limit = 0;
};

// Executions, alone and in lists.
class ExecutionReads {
  public:
    virtual ~ExecutionReads() = default;

    virtual StoreResult<std::optional<ExecutionRow>> execution(const ExecutionId& id) = 0;
    virtual StoreResult<std::optional<Bytes>> input(const ExecutionId& id) = 0;
    virtual StoreResult<std::optional<Bytes>> result(const ExecutionId& id) = 0;
    // What edges with a data reference have brought, by reference; of several edges with the same, the highest one's.
    virtual StoreResult<std::map<std::string, Bytes>> inputs(const ExecutionId& id) = 0;
    // Ended attempts by index, strictly after `after`.
    virtual StoreResult<std::vector<AttemptRow>> attempts(const ExecutionId& id,
                                                          const std::optional<std::uint32_t>& after,
                                                          std::uint32_t limit) = 0;
    // How those of these that are there have ended; `none` if they have not.
    virtual StoreResult<std::map<ExecutionId, TerminalOutcome>> outcomes(const std::vector<ExecutionId>& ids) = 0;
    // By (partition, id), strictly after `after`, at most `limit`.
    virtual StoreResult<std::vector<ExecutionRow>> list(const ListExecutions& query) = 0;
    virtual StoreResult<std::vector<ExecutionSummary>> newest(const SearchWalk& walk) = 0;
    // Open suspensions, by (time, id), strictly after `after`.
    virtual StoreResult<std::vector<SuspensionRow>> suspended(const ListSuspended& query) = 0;
    // Leases that have ended by then and that nobody has taken over, by (expiry, id), strictly after `after`.
    virtual StoreResult<std::vector<ExecutionRow>> expired_leases(const ListExpiredLeases& query,
                                                                  std::int64_t as_of_ms) = 0;
    virtual StoreResult<std::vector<IdempotencyRow>> idempotency_keys() = 0;
};

}  // namespace flowfabric
