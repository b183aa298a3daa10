#include <algorithm>

#include "core/base/partition.hpp"
#include "core/base/tags.hpp"
#include "core/execution/explain.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/fields.hpp"
#include "core/execution/view.hpp"
#include "engine/queries/find_execution.hpp"
#include "engine/queries/page.hpp"
#include "engine/queries/queries.hpp"

// What is asked of one execution.
namespace flowfabric {
namespace {

// What `from` makes of the row, if there is one.
template <class Pick>
auto pick(StoreReader& reader, const QueryContext& context, const ExecutionId& id, Pick from)
    -> StoreResult<std::optional<decltype(from(ExecutionRow{}))>> {
    auto found = find_execution(reader, context, id);
    if (!found) return found.error();
    using Picked = std::optional<decltype(from(ExecutionRow{}))>;
    return *found ? Picked(from((*found)->row)) : Picked();
}

template <class T>
QueryResult<std::optional<T>> as_answer(StoreResult<std::optional<T>> picked) {
    if (!picked) return picked.error();
    return *std::move(picked);
}

template <class T>
QueryResult<T> or_not_found(StoreResult<std::optional<T>> picked, const ExecutionId& id) {
    if (!picked) return picked.error();
    if (!*picked) return execution_not_found(id);
    return **std::move(picked);
}

// From the row, else from the inbox, else from the row that the submission has become meanwhile.
StoreResult<std::optional<Bytes>> read_input(StoreReader& reader, const QueryContext& context, const ExecutionId& id) {
    for (bool again = false;; again = true) {
        auto input = reader.input(id);
        if (!input || *input || again || !context.inbox) return input;
        const auto submitted = reader.submissions_of({id});
        if (!submitted) return submitted.error();
        if (!submitted->empty()) return std::optional(submitted->front().payload);
    }
}

// The attempt in a list of one, if it has ended.
StoreResult<std::vector<AttemptRow>> ended_attempt(StoreReader& reader, const ExecutionId& id, std::uint32_t index) {
    return reader.attempts(id, index > 0 ? std::optional(index - 1) : std::nullopt, 1);
}

// Among the ended ones, or the one that the row has open.
std::optional<AttemptView> pick_attempt(const std::vector<AttemptRow>& ended, const ExecutionRow& row,
                                        std::uint32_t index) {
    auto attempts = attempts_of(ended, row);
    const auto found = std::ranges::find(attempts, index, &AttemptView::attempt_index);
    return found == attempts.end() ? std::nullopt : std::optional(std::move(*found));
}

EngineError attempt_not_found(const ExecutionId& id, std::uint32_t index) {
    return {.kind = ErrorKind::attempt_not_found, .detail = std::to_string(index) + " of " + id.to_string()};
}

// Adds the edges that hold the execution.
StoreResult<ExplainFacts> read_hold(StoreReader& reader, const ExecutionRow& row, ExplainFacts facts) {
    const GroupKey key{{row.id.partition, *row.flow_id}, row.id.uuid};
    SideRowsWanted wanted;
    wanted.of<EdgeGroupRow>().keys = {key};
    wanted.of<EdgeRow>().groups = {key};
    auto found = reader.side_rows(wanted);
    if (!found) return found.error();
    if (const EdgeGroupRow* group = found->of<EdgeGroupRow>().find(key)) facts.group = *group;
    for (const EdgeRow& edge : found->of<EdgeRow>().rows()) {
        const bool open = edge.dependency_state == DependencyState::unsatisfied;
        if (open) facts.open.push_back({row.id.partition, edge.upstream});
    }
    return facts;
}

}  // namespace

AnswerTo<DescribeExecution> answer(const DescribeExecution& query, StoreReader& reader, const QueryContext& context) {
    return as_answer(pick(reader, context, query.execution_id, [](const ExecutionRow& row) { return view_of(row); }));
}

// A look at the primary key for each partition, all of them in one statement.
AnswerTo<FindExecutions> answer(const FindExecutions& query, StoreReader& reader, const QueryContext&) {
    std::vector<ExecutionId> possible;
    possible.reserve(flow_partitions);
    for (std::uint16_t partition = 0; partition < flow_partitions; ++partition) {
        possible.push_back({partition, query.uuid});
    }
    const auto found = reader.outcomes(possible);
    if (!found) return found.error();
    FoundExecutions answer;
    answer.executions.reserve(found->size());
    for (const auto& [id, outcome] : *found) answer.executions.push_back(id);
    return answer;
}

AnswerTo<ReadExecutionInfo> answer(const ReadExecutionInfo& query, StoreReader& reader, const QueryContext& context) {
    return as_answer(pick(reader, context, query.execution_id, [](const ExecutionRow& row) { return info_of(row); }));
}

AnswerTo<ReadExecutionState> answer(const ReadExecutionState& query, StoreReader& reader, const QueryContext& context) {
    return as_answer(
        pick(reader, context, query.execution_id, [](const ExecutionRow& row) { return row.vector.public_state; }));
}

// The result first: a row that is read behind it knows the encoding, or is gone with it. One that has completed in
// between is read again.
AnswerTo<GetExecutionResult> answer(const GetExecutionResult& query, StoreReader& reader, const QueryContext& context) {
    for (bool again = false;; again = true) {
        auto result = reader.result(query.execution_id);
        if (!result) return result.error();
        auto found = find_execution(reader, context, query.execution_id);
        if (!found) return found.error();
        if (!*found) return std::optional<ExecutionResult>{};
        ExecutionRow& row = (*found)->row;
        const PublicState state = row.vector.public_state;
        if (state != PublicState::completed) return std::optional(ExecutionResult{.public_state = state});
        if (!*result && !again) continue;
        return std::optional(ExecutionResult{
            .public_state = state, .result = *std::move(result), .result_encoding = std::move(row.result_encoding)});
    }
}

AnswerTo<GetExecutionInput> answer(const GetExecutionInput& query, StoreReader& reader, const QueryContext& context) {
    auto input = read_input(reader, context, query.execution_id);
    if (!input) return input.error();
    if (!*input) return std::optional<ExecutionInput>{};
    auto encoding =
        pick(reader, context, query.execution_id, [](const ExecutionRow& row) { return row.payload_encoding; });
    if (!encoding) return encoding.error();
    return std::optional(
        ExecutionInput{.input = **std::move(input), .payload_encoding = encoding->value_or(std::nullopt)});
}

AnswerTo<GetExecutionNamespace> answer(const GetExecutionNamespace& query, StoreReader& reader,
                                       const QueryContext& context) {
    return as_answer(
        pick(reader, context, query.execution_id, [](const ExecutionRow& row) { return row.namespace_name; }));
}

AnswerTo<GetExecutionTag> answer(const GetExecutionTag& query, StoreReader& reader, const QueryContext& context) {
    auto tags = pick(reader, context, query.execution_id, [](const ExecutionRow& row) { return tags_of(row.tags); });
    if (!tags) return tags.error();
    if (!*tags) return std::optional<std::string>{};
    const auto tag = (*tags)->find(query.key);
    return tag == (*tags)->end() ? std::nullopt : std::optional(tag->second);
}

AnswerTo<ResolveExecutionFlowId> answer(const ResolveExecutionFlowId& query, StoreReader& reader,
                                        const QueryContext& context) {
    auto flow = pick(reader, context, query.execution_id, [](const ExecutionRow& row) { return row.flow_id; });
    if (!flow) return flow.error();
    return flow->value_or(std::nullopt);
}

AnswerTo<ReadExecCoreFields> answer(const ReadExecCoreFields& query, StoreReader& reader, const QueryContext& context) {
    auto fields =
        pick(reader, context, query.execution_id, [&](const ExecutionRow& row) { return fields_of(row, query.names); });
    if (!fields) return fields.error();
    if (*fields) return **std::move(fields);
    std::map<std::string, std::optional<std::string>> nothing;
    for (const std::string& name : query.names) nothing.emplace(name, std::nullopt);
    return nothing;
}

AnswerTo<ReadExecutionContext> answer(const ReadExecutionContext& query, StoreReader& reader,
                                      const QueryContext& context) {
    auto found = or_not_found(pick(reader, context, query.execution_id,
                                   [](const ExecutionRow& row) {
                                       return ExecutionContext{.input_payload = {},
                                                               .payload_encoding = row.payload_encoding,
                                                               .execution_kind = row.execution_kind,
                                                               .tags = tags_of(row.tags)};
                                   }),
                              query.execution_id);
    if (!found) return found.error();
    auto input = read_input(reader, context, query.execution_id);
    if (!input) return input.error();
    found->input_payload = std::move(*input).value_or(Bytes{});
    return *std::move(found);
}

AnswerTo<ReadCurrentAttemptIndex> answer(const ReadCurrentAttemptIndex& query, StoreReader& reader,
                                         const QueryContext& context) {
    return or_not_found(pick(reader, context, query.execution_id,
                             [](const ExecutionRow& row) { return static_cast<std::uint32_t>(row.attempt_index); }),
                        query.execution_id);
}

AnswerTo<ReadTotalAttemptCount> answer(const ReadTotalAttemptCount& query, StoreReader& reader,
                                       const QueryContext& context) {
    return or_not_found(
        pick(reader, context, query.execution_id,
             [](const ExecutionRow& row) { return static_cast<std::uint32_t>(row.total_attempt_count); }),
        query.execution_id);
}

AnswerTo<ListAttempts> answer(const ListAttempts& query, StoreReader& reader, const QueryContext& context) {
    // The row first: an attempt that ends in between is then seen twice rather than not at all, and merged by index.
    auto found = find_execution(reader, context, query.execution_id);
    if (!found) return found.error();
    if (!*found || query.limit == 0) return AttemptPage{};
    const std::uint32_t limit = std::min(query.limit, max_page);
    const auto ended = reader.attempts(query.execution_id, query.after, limit + 1);
    if (!ended) return ended.error();
    return page_of(query, attempts_of(*ended, (*found)->row), &AttemptPage::attempts, &AttemptView::attempt_index);
}

AnswerTo<GetAttempt> answer(const GetAttempt& query, StoreReader& reader, const QueryContext& context) {
    const auto found = find_execution(reader, context, query.execution_id);
    if (!found) return found.error();
    if (!*found) return execution_not_found(query.execution_id);
    const auto ended = ended_attempt(reader, query.execution_id, query.attempt_index);
    if (!ended) return ended.error();
    auto attempt = pick_attempt(*ended, (*found)->row, query.attempt_index);
    if (!attempt) return attempt_not_found(query.execution_id, query.attempt_index);
    return *std::move(attempt);
}

// An execution keeps one result, that of the attempt that completed it, and gives it up when it is replayed. So what is
// read between two looks that show it completed and not replayed in between is of its last attempt.
AnswerTo<GetAttemptResult> answer(const GetAttemptResult& query, StoreReader& reader, const QueryContext& context) {
    for (bool again = false;; again = true) {
        const auto ended = ended_attempt(reader, query.execution_id, query.attempt_index);
        if (!ended) return ended.error();
        const auto before = find_execution(reader, context, query.execution_id);
        if (!before) return before.error();
        if (!*before) return execution_not_found(query.execution_id);
        const ExecutionRow& row = (*before)->row;
        const auto attempt = pick_attempt(*ended, row, query.attempt_index);
        // It may have ended between the two looks.
        if (!attempt && !again) continue;
        if (!attempt) return attempt_not_found(query.execution_id, query.attempt_index);
        AttemptResult answer{.outcome = attempt->outcome};
        if (answer.outcome != AttemptOutcome::ended_success) return answer;
        answer.superseded = row.vector.public_state != PublicState::completed ||
                            static_cast<std::uint32_t>(row.attempt_index) != query.attempt_index;
        if (answer.superseded) return answer;
        auto result = reader.result(query.execution_id);
        if (!result) return result.error();
        const auto after = find_execution(reader, context, query.execution_id);
        if (!after) return after.error();
        if (!*after || (*after)->row.replay_count != row.replay_count) continue;
        answer.result = *std::move(result);
        answer.result_encoding = row.result_encoding;
        return answer;
    }
}

AnswerTo<ExplainExecution> answer(const ExplainExecution& query, StoreReader& reader, const QueryContext& context) {
    auto found = find_execution(reader, context, query.execution_id);
    if (!found) return found.error();
    if (!*found) return std::optional<Explanation>{};
    const ExecutionRow& row = (*found)->row;
    const auto lane = reader.row<LaneRow>({row.lane_id});
    if (!lane) return lane.error();
    const auto now = reader.now();
    if (!now) return now.error();
    ExplainFacts facts;
    if (*lane) facts.lane = **lane;
    if (row.deps_blocked && row.flow_id) {
        auto held = read_hold(reader, row, std::move(facts));
        if (!held) return held.error();
        facts = *std::move(held);
    }
    Explanation explanation = explain(row, facts, *now);
    if ((*found)->submitted) explanation.obstacles.back().detail = *row.blocking_detail;
    return std::optional(std::move(explanation));
}

}  // namespace flowfabric
