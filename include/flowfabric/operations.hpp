#pragma once

#include <concepts>
#include <functional>
#include <variant>

#include "flowfabric/budget.hpp"
#include "flowfabric/bulk.hpp"
#include "flowfabric/commands.hpp"
#include "flowfabric/execution_lists.hpp"
#include "flowfabric/execution_reads.hpp"
#include "flowfabric/export.hpp"
#include "flowfabric/flow.hpp"
#include "flowfabric/flow_reads.hpp"
#include "flowfabric/result.hpp"
#include "flowfabric/search.hpp"
#include "flowfabric/statistics.hpp"
#include "flowfabric/stream.hpp"
#include "flowfabric/submit_flow.hpp"
#include "flowfabric/token.hpp"
#include "flowfabric/webhook.hpp"

// All operations. Each is a struct that names its answer and lists its fields (field.hpp).
namespace flowfabric {

// All commands.
using Commands = std::variant<
    CreateExecution, Claim, Renew, Complete, Fail, Progress, Delay, ReleaseUnstarted, Cancel, CancelExecution,
    SetExecutionTags, ChangePriority, ReplayExecution, RevokeLease, IssueGrantAndClaim, FireTimer, ResealSigningKeys,
    SetLaneState, SetSetting, RegisterConsumer, AcknowledgeEvents, RemoveConsumer, RegisterWorker, HeartbeatWorker,
    MarkWorkerDead, SetWorkerMode, IssueClaimGrant, ClaimForWorker, ClaimExecution, ClaimResumedExecution,
    ClaimFromResumeGrant, IssueReclaimGrant, ReclaimExecution, SeedWaitpointHmacSecret, RotateWaitpointHmacSecret,
    CreateWaitpoint, CloseWaitpoint, Suspend, DeliverSignal, DeliverApprovalSignal, ResumeExecution, SubmitFlow,
    CreateFlow, AddExecutionToFlow, StageDependencyEdge, ApplyDependencyToChild, SetEdgeGroupPolicy, SealFlow,
    SetFlowTag, CancelFlow, AckCancelMember, WaitChildren, ProjectFlowSummary, CreateToken, RotateToken, RevokeToken,
    StartBulkOperation, CancelBulkOperation, CreateWebhook, UpdateWebhook, RotateWebhookSecret, RemoveWebhook,
    RedeliverWebhookEvents, PurgeExecution, CreateBudget, UpdateBudget, DeleteBudget, ReportUsage, ReportUsageAdmin,
    RecordSpend, ReleaseBudget, ResetBudget, AppendFrame, TailStream>;

// All queries. Reads see committed state, take no lock and never wait behind writes.
using Queries = std::variant<
    DescribeExecution, ReadExecutionInfo, ReadExecutionState, GetExecutionResult, GetExecutionInput,
    GetExecutionNamespace, GetExecutionTag, ResolveExecutionFlowId, ListAttempts, ExplainExecution, ReadExecCoreFields,
    ReadExecutionContext, ReadCurrentAttemptIndex, ReadTotalAttemptCount, ListExecutions, ListExpiredLeases,
    DescribeLane, ListLanes, ListSettings, ListWorkers, ListWaitpointHmacKids, ListSigningKeys, ListConsumers,
    ListSuspended, ListPendingWaitpoints, ReadWaitpointToken, ObserveSignals, DescribeFlow, GetFlowTag, GetFlowSummary,
    ListFlows, ListEdges, DescribeEdge, EvaluateFlowEligibility, ListFlowMembers, ListFlowEdges, GetFlowGraph,
    ListTokens, SearchExecutions, ReadStatistics, FindExecutions, PreviewBulkOperation, GetBulkOperation,
    ListBulkOperations, ListWebhooks, GetWebhook, ListWebhookFailures, GetAttempt, GetAttemptResult, ExportExecutions,
    GetBudgetStatus, ReadBudgetUsageAndLimits, ListBudgets, ReadStream, ReadStreamSummary>;

namespace detail {
template <class T, class V>
inline constexpr bool is_alternative = false;
template <class T, class... Ts>
inline constexpr bool is_alternative<T, std::variant<Ts...>> = (std::same_as<T, Ts> || ...);
}  // namespace detail

template <class C>
concept CommandType = detail::is_alternative<C, Commands>;
template <class Q>
concept QueryType = detail::is_alternative<Q, Queries>;

template <CommandType C>
using Completion = std::function<void(Result<typename C::Answer>)>;

}  // namespace flowfabric
