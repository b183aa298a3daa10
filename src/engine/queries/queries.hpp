#pragma once

#include <any>

#include "core/command/command.hpp"
#include "engine/queries/query_result.hpp"
#include "flowfabric/operations.hpp"
#include "store/port.hpp"

// What reads answer, a file per concept. They see the store through a reader alone, so that an engine, a simulation and
// a test ask alike.
namespace flowfabric {

class RateHistory;

struct QueryContext {
    const Settings& settings;
    bool inbox = false;                  // others may submit to the store through SQL
    const RateHistory* rates = nullptr;  // absent: rates are not told
};

template <QueryType Q>
using AnswerTo = QueryResult<typename Q::Answer>;

// The answer is of the query's `Answer`. What is out of its listed limits is refused by the name of its field.
QueryResult<std::any> answer_any(const Queries& query, StoreReader& reader, const QueryContext& context);

// ---- executions -------------------------------------------------------------------------------------------------

AnswerTo<DescribeExecution> answer(const DescribeExecution& query, StoreReader& reader, const QueryContext& context);
AnswerTo<FindExecutions> answer(const FindExecutions& query, StoreReader& reader, const QueryContext& context);
AnswerTo<ReadExecutionInfo> answer(const ReadExecutionInfo& query, StoreReader& reader, const QueryContext& context);
AnswerTo<ReadExecutionState> answer(const ReadExecutionState& query, StoreReader& reader, const QueryContext& context);
AnswerTo<GetExecutionResult> answer(const GetExecutionResult& query, StoreReader& reader, const QueryContext& context);
AnswerTo<GetExecutionInput> answer(const GetExecutionInput& query, StoreReader& reader, const QueryContext& context);
AnswerTo<GetExecutionNamespace> answer(const GetExecutionNamespace& query, StoreReader& reader,
                                       const QueryContext& context);
AnswerTo<GetExecutionTag> answer(const GetExecutionTag& query, StoreReader& reader, const QueryContext& context);
AnswerTo<ResolveExecutionFlowId> answer(const ResolveExecutionFlowId& query, StoreReader& reader,
                                        const QueryContext& context);
AnswerTo<ListAttempts> answer(const ListAttempts& query, StoreReader& reader, const QueryContext& context);
AnswerTo<GetAttempt> answer(const GetAttempt& query, StoreReader& reader, const QueryContext& context);
AnswerTo<GetAttemptResult> answer(const GetAttemptResult& query, StoreReader& reader, const QueryContext& context);
AnswerTo<ExplainExecution> answer(const ExplainExecution& query, StoreReader& reader, const QueryContext& context);
AnswerTo<ReadExecCoreFields> answer(const ReadExecCoreFields& query, StoreReader& reader, const QueryContext& context);
AnswerTo<ReadExecutionContext> answer(const ReadExecutionContext& query, StoreReader& reader,
                                      const QueryContext& context);
AnswerTo<ReadCurrentAttemptIndex> answer(const ReadCurrentAttemptIndex& query, StoreReader& reader,
                                         const QueryContext& context);
AnswerTo<ReadTotalAttemptCount> answer(const ReadTotalAttemptCount& query, StoreReader& reader,
                                       const QueryContext& context);
AnswerTo<ListExecutions> answer(const ListExecutions& query, StoreReader& reader, const QueryContext& context);
AnswerTo<ListExpiredLeases> answer(const ListExpiredLeases& query, StoreReader& reader, const QueryContext& context);
AnswerTo<SearchExecutions> answer(const SearchExecutions& query, StoreReader& reader, const QueryContext& context);
AnswerTo<ExportExecutions> answer(const ExportExecutions& query, StoreReader& reader, const QueryContext& context);
AnswerTo<PreviewBulkOperation> answer(const PreviewBulkOperation& query, StoreReader& reader,
                                      const QueryContext& context);
AnswerTo<GetBulkOperation> answer(const GetBulkOperation& query, StoreReader& reader, const QueryContext& context);
AnswerTo<ListBulkOperations> answer(const ListBulkOperations& query, StoreReader& reader, const QueryContext& context);

// ---- suspensions ------------------------------------------------------------------------------------------------

AnswerTo<ListSuspended> answer(const ListSuspended& query, StoreReader& reader, const QueryContext& context);
AnswerTo<ListPendingWaitpoints> answer(const ListPendingWaitpoints& query, StoreReader& reader,
                                       const QueryContext& context);
AnswerTo<ReadWaitpointToken> answer(const ReadWaitpointToken& query, StoreReader& reader, const QueryContext& context);
AnswerTo<ObserveSignals> answer(const ObserveSignals& query, StoreReader& reader, const QueryContext& context);

// ---- streams ----------------------------------------------------------------------------------------------------

AnswerTo<ReadStream> answer(const ReadStream& query, StoreReader& reader, const QueryContext& context);
AnswerTo<ReadStreamSummary> answer(const ReadStreamSummary& query, StoreReader& reader, const QueryContext& context);

// ---- flows ------------------------------------------------------------------------------------------------------

AnswerTo<DescribeFlow> answer(const DescribeFlow& query, StoreReader& reader, const QueryContext& context);
AnswerTo<GetFlowTag> answer(const GetFlowTag& query, StoreReader& reader, const QueryContext& context);
AnswerTo<GetFlowSummary> answer(const GetFlowSummary& query, StoreReader& reader, const QueryContext& context);
AnswerTo<ListFlows> answer(const ListFlows& query, StoreReader& reader, const QueryContext& context);
AnswerTo<ListEdges> answer(const ListEdges& query, StoreReader& reader, const QueryContext& context);
AnswerTo<ListFlowMembers> answer(const ListFlowMembers& query, StoreReader& reader, const QueryContext& context);
AnswerTo<ListFlowEdges> answer(const ListFlowEdges& query, StoreReader& reader, const QueryContext& context);
AnswerTo<GetFlowGraph> answer(const GetFlowGraph& query, StoreReader& reader, const QueryContext& context);
AnswerTo<DescribeEdge> answer(const DescribeEdge& query, StoreReader& reader, const QueryContext& context);
AnswerTo<EvaluateFlowEligibility> answer(const EvaluateFlowEligibility& query, StoreReader& reader,
                                         const QueryContext& context);

// ---- for operators ----------------------------------------------------------------------------------------------

AnswerTo<DescribeLane> answer(const DescribeLane& query, StoreReader& reader, const QueryContext& context);
AnswerTo<ListLanes> answer(const ListLanes& query, StoreReader& reader, const QueryContext& context);
AnswerTo<ListSettings> answer(const ListSettings& query, StoreReader& reader, const QueryContext& context);
AnswerTo<ListWorkers> answer(const ListWorkers& query, StoreReader& reader, const QueryContext& context);
AnswerTo<ListWaitpointHmacKids> answer(const ListWaitpointHmacKids& query, StoreReader& reader,
                                       const QueryContext& context);
AnswerTo<ListSigningKeys> answer(const ListSigningKeys& query, StoreReader& reader, const QueryContext& context);
AnswerTo<ListConsumers> answer(const ListConsumers& query, StoreReader& reader, const QueryContext& context);
AnswerTo<ListTokens> answer(const ListTokens& query, StoreReader& reader, const QueryContext& context);
AnswerTo<ListWebhooks> answer(const ListWebhooks& query, StoreReader& reader, const QueryContext& context);
AnswerTo<GetWebhook> answer(const GetWebhook& query, StoreReader& reader, const QueryContext& context);
AnswerTo<ListWebhookFailures> answer(const ListWebhookFailures& query, StoreReader& reader,
                                     const QueryContext& context);
AnswerTo<GetBudgetStatus> answer(const GetBudgetStatus& query, StoreReader& reader, const QueryContext& context);
AnswerTo<ReadBudgetUsageAndLimits> answer(const ReadBudgetUsageAndLimits& query, StoreReader& reader,
                                          const QueryContext& context);
AnswerTo<ListBudgets> answer(const ListBudgets& query, StoreReader& reader, const QueryContext& context);
AnswerTo<ReadStatistics> answer(const ReadStatistics& query, StoreReader& reader, const QueryContext& context);

}  // namespace flowfabric
