#include "engine/queries/search.hpp"

#include <algorithm>

#include "core/command/admission.hpp"
#include "core/flow/flow.hpp"
#include "core/search/search_term_row.hpp"

namespace flowfabric {
namespace {

constexpr std::uint32_t first_chunk = 100;
constexpr std::uint32_t largest_chunk = 1000;

SearchPlace newest_place() {
    SearchPlace place{.created_at_ms = std::numeric_limits<std::int64_t>::max(), .execution_id = {}};
    place.execution_id.partition = max_partition;
    place.execution_id.uuid.bytes.fill(0xFF);
    return place;
}

// Along what is likely to lead to the fewest.
SearchWalk walk_for(const ExecutionCriteria& criteria) {
    using By = SearchWalk::By;
    SearchWalk walk{.before = newest_place()};
    const bool failures = !criteria.states.empty() && std::ranges::all_of(criteria.states, counts_as_failure);
    if (criteria.tag_key) {
        walk.by = By::term;
        walk.term = term_of_tag(*criteria.tag_key, *criteria.tag_value);
    } else if (criteria.flow_id) {
        walk.by = By::flow;
        walk.flow = key_of(*criteria.flow_id);
        return walk;
    } else if (failures) {
        walk.by = By::term;
        walk.term = term_of_failure();
    } else if (criteria.execution_kind) {
        walk.by = By::kind;
        walk.name = *criteria.execution_kind;
    } else if (criteria.lane_id) {
        walk.by = By::lane;
        walk.name = *criteria.lane_id;
    } else if (criteria.namespace_name) {
        walk.by = By::namespace_name;
        walk.name = *criteria.namespace_name;
    }
    if (criteria.created_before_ms) walk.before = {*criteria.created_before_ms, {}};
    if (criteria.created_after_ms) walk.not_before_ms = *criteria.created_after_ms;
    return walk;
}

}  // namespace

StoreResult<SearchFound> search(StoreReader& reader, const ExecutionCriteria& criteria,
                                const std::optional<SearchPlace>& after, std::uint32_t limit) {
    SearchWalk walk = walk_for(criteria);
    if (after) walk.before = std::min(walk.before, *after);
    SearchFound found;
    walk.limit = std::clamp(limit, first_chunk, largest_chunk);
    for (std::uint32_t examined = 0; examined < max_examined; walk.limit = largest_chunk) {
        auto rows = reader.newest(walk);
        if (!rows) return rows.error();
        for (ExecutionSummary& row : *rows) {
            if (found.executions.size() == limit) {
                found.next = walk.before;
                return found;
            }
            walk.before = {row.created_at_ms, row.execution_id};
            if (matches(criteria, row)) found.executions.push_back(std::move(row));
        }
        if (rows->size() < walk.limit) return found;
        examined += walk.limit;
    }
    found.next = walk.before;
    return found;
}

AnswerTo<SearchExecutions> answer(const SearchExecutions& query, StoreReader& reader, const QueryContext&) {
    if (auto checked = check_criteria(query); !checked) return checked.error();
    if (query.after) {
        if (auto checked = check_partition("cursor", query.after->execution_id.partition); !checked) {
            return checked.error();
        }
    }
    if (query.limit == 0) return SearchPage{};
    auto found = search(reader, query, query.after, std::min(query.limit, max_page));
    if (!found) return found.error();
    return SearchPage{.executions = std::move(found->executions), .next = found->next};
}

}  // namespace flowfabric
