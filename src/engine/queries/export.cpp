#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/execution/view.hpp"
#include "engine/queries/find_execution.hpp"
#include "engine/queries/search.hpp"

namespace flowfabric {
namespace {

// A page holds no more payloads than that, and those of one execution.
constexpr std::size_t max_page_bytes = 4'194'304;

StoreResult<std::vector<AttemptView>> all_attempts(StoreReader& reader, const ExecutionRow& row) {
    std::vector<AttemptRow> ended;
    for (std::optional<std::uint32_t> after;;) {
        auto some = reader.attempts(row.id, after, max_page);
        if (!some) return some.error();
        ended.insert(ended.end(), some->begin(), some->end());
        if (some->size() < max_page) return attempts_of(ended, row);
        after = static_cast<std::uint32_t>(ended.back().attempt_index);
    }
}

bool is_damage(const QueryError& error) {
    const auto* store = std::get_if<StoreError>(&error);
    return store != nullptr && store->fault == StoreFault::unreadable;
}

// Nothing: it has gone since it was found.
QueryResult<std::optional<ExportedExecution>> exported(const ExportExecutions& query, const ExecutionId& id,
                                                       StoreReader& reader, const QueryContext& context) {
    // The row first: an attempt that ends in between is then seen as ended.
    const auto row = reader.execution(id);
    if (!row) return row.error();
    if (!*row) return std::optional<ExportedExecution>();
    auto attempts = all_attempts(reader, **row);
    if (!attempts) return attempts.error();
    ExportedExecution whole{.execution = view_of(**row), .attempts = *std::move(attempts), .input = {}, .result = {}};
    if (query.with_input) {
        auto input = answer(GetExecutionInput{id}, reader, context);
        if (!input) return input.error();
        whole.input = *std::move(input);
    }
    if (query.with_result) {
        auto result = answer(GetExecutionResult{id}, reader, context);
        if (!result) return result.error();
        whole.result = *std::move(result);
    }
    return std::optional(std::move(whole));
}

std::size_t bytes_of(const ExportedExecution& whole) {
    constexpr std::size_t fields = 1024;  // of an execution or an attempt, about
    std::size_t bytes = fields * (1 + whole.attempts.size());
    for (const AttemptView& attempt : whole.attempts) bytes += attempt.failure_reason.value_or("").size();
    if (whole.input) bytes += whole.input->input.size();
    if (whole.result && whole.result->result) bytes += whole.result->result->size();
    return bytes;
}

}  // namespace

AnswerTo<ExportExecutions> answer(const ExportExecutions& query, StoreReader& reader, const QueryContext& context) {
    const auto found = answer(SearchExecutions{static_cast<const ExecutionCriteria&>(query), query.after, query.limit},
                              reader, context);
    if (!found) return found.error();
    ExportPage page;
    std::size_t bytes = 0;
    for (const ExecutionSummary& execution : found->executions) {
        if (bytes >= max_page_bytes) return page;
        auto whole = exported(query, execution.execution_id, reader, context);
        // Lists pass over what is damaged.
        if (!whole && !is_damage(whole.error())) return whole.error();
        page.next = SearchPlace{execution.created_at_ms, execution.execution_id};
        if (!whole || !*whole) continue;
        bytes += bytes_of(**whole);
        page.executions.push_back(**std::move(whole));
    }
    page.next = found->next;
    return page;
}

}  // namespace flowfabric
