#pragma once

#include "core/search/search.hpp"
#include "engine/queries/queries.hpp"

namespace flowfabric {

// How many executions or flows one page may look at.
inline constexpr std::uint32_t max_examined = 10'000;

struct SearchFound {
    std::vector<ExecutionSummary> executions;
    std::optional<SearchPlace> next;  // where to go on; nothing: there are no more
};

// Up to `limit` that match, the newest first, strictly behind `after`.
StoreResult<SearchFound> search(StoreReader& reader, const ExecutionCriteria& criteria,
                                const std::optional<SearchPlace>& after, std::uint32_t limit);

}  // namespace flowfabric
