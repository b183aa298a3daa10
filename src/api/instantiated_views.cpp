#include <vector>

#include "api/types.hpp"
#include "flowfabric/budget.hpp"
#include "flowfabric/events.hpp"
#include "flowfabric/export.hpp"
#include "flowfabric/flow_views.hpp"
#include "flowfabric/stream.hpp"
#include "flowfabric/subscription.hpp"
#include "flowfabric/token.hpp"
#include "flowfabric/views.hpp"
#include "flowfabric/webhook.hpp"

// type_of of views that stand in answers, of those that no operation returns, and of events. Commands, queries and
// their answers have it in api/operations.cpp.
namespace flowfabric::api {

// ---- executions -----------------------------------------------------------------------------------------------------

template const Type& type_of<PublicState>();
template const Type& type_of<StateVector>();
template const Type& type_of<LeaseView>();
template const Type& type_of<AttemptView>();
template const Type& type_of<std::vector<AttemptView>>();
template const Type& type_of<ExecutionView>();
template const Type& type_of<ExecutionInfo>();
template const Type& type_of<ExecutionResult>();
template const Type& type_of<Explanation>();
template const Type& type_of<ExportedExecution>();

template const Type& type_of<StreamFrame>();
template const Type& type_of<StreamSummary>();

// ---- flows ----------------------------------------------------------------------------------------------------------

template const Type& type_of<FlowSnapshot>();
template const Type& type_of<FlowProjection>();
template const Type& type_of<EdgeSnapshot>();
template const Type& type_of<std::vector<EdgeSnapshot>>();

// ---- for operators --------------------------------------------------------------------------------------------------

template const Type& type_of<LaneView>();
template const Type& type_of<std::vector<LaneView>>();
template const Type& type_of<SettingView>();
template const Type& type_of<std::vector<SettingView>>();
template const Type& type_of<SigningKeyView>();
template const Type& type_of<std::vector<SigningKeyView>>();
template const Type& type_of<Finding>();
template const Type& type_of<std::vector<Finding>>();
template const Type& type_of<ReconcilerView>();
template const Type& type_of<std::vector<ReconcilerView>>();
template const Type& type_of<ConsumerView>();
template const Type& type_of<std::vector<ConsumerView>>();
template const Type& type_of<std::vector<TokenView>>();
template const Type& type_of<std::vector<WebhookView>>();
template const Type& type_of<BudgetStatus>();
template const Type& type_of<std::vector<BudgetStatus>>();
template const Type& type_of<std::vector<WorkerView>>();

// ---- events ---------------------------------------------------------------------------------------------------------

template const Type& type_of<LeaseEvent>();
template const Type& type_of<CompletionEvent>();
template const Type& type_of<SignalEvent>();
template const Type& type_of<OperatorEvent>();
template const Type& type_of<AuditEvent>();
template const Type& type_of<Event>();
template const Type& type_of<StreamDisconnected>();

}  // namespace flowfabric::api
