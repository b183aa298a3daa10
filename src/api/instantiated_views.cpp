#include <vector>

#include "api/types.hpp"
#include "flowfabric/events.hpp"
#include "flowfabric/flow.hpp"
#include "flowfabric/subscription.hpp"
#include "flowfabric/suspension.hpp"
#include "flowfabric/views.hpp"

// type_of of what reads take and return, and of events. Commands, their answers and what these carry have it in
// api/operations.cpp.
namespace flowfabric::api {

// ---- executions -----------------------------------------------------------------------------------------------------

template const Type& type_of<PublicState>();
template const Type& type_of<StateVector>();
template const Type& type_of<LeaseView>();
template const Type& type_of<AttemptView>();
template const Type& type_of<std::vector<AttemptView>>();
template const Type& type_of<ExecutionView>();
template const Type& type_of<ExecutionInfo>();
template const Type& type_of<ExecutionContext>();
template const Type& type_of<Explanation>();
template const Type& type_of<ExecutionListQuery>();
template const Type& type_of<ExecutionPage>();
template const Type& type_of<ExpiredLeaseQuery>();
template const Type& type_of<ExpiredLeasePage>();

// ---- suspensions ----------------------------------------------------------------------------------------------------

template const Type& type_of<SuspendedListQuery>();
template const Type& type_of<SuspendedPage>();
template const Type& type_of<WaitpointListQuery>();
template const Type& type_of<WaitpointPage>();
template const Type& type_of<std::vector<ResumeSignal>>();

// ---- flows ----------------------------------------------------------------------------------------------------------

template const Type& type_of<FlowSnapshot>();
template const Type& type_of<FlowProjection>();
template const Type& type_of<FlowListQuery>();
template const Type& type_of<FlowPage>();
template const Type& type_of<EdgesOf>();
template const Type& type_of<EdgeSnapshot>();
template const Type& type_of<std::vector<EdgeSnapshot>>();
template const Type& type_of<FlowEligibility>();

// ---- for operators --------------------------------------------------------------------------------------------------

template const Type& type_of<LaneView>();
template const Type& type_of<LaneListQuery>();
template const Type& type_of<LanePage>();
template const Type& type_of<SettingView>();
template const Type& type_of<std::vector<SettingView>>();
template const Type& type_of<WorkerListQuery>();
template const Type& type_of<WorkerPage>();
template const Type& type_of<SigningKids>();
template const Type& type_of<SigningKeyView>();
template const Type& type_of<std::vector<SigningKeyView>>();
template const Type& type_of<Finding>();
template const Type& type_of<std::vector<Finding>>();
template const Type& type_of<ReconcilerView>();
template const Type& type_of<std::vector<ReconcilerView>>();
template const Type& type_of<ConsumerView>();
template const Type& type_of<std::vector<ConsumerView>>();

// ---- events ---------------------------------------------------------------------------------------------------------

template const Type& type_of<LeaseEvent>();
template const Type& type_of<CompletionEvent>();
template const Type& type_of<SignalEvent>();
template const Type& type_of<OperatorEvent>();
template const Type& type_of<Event>();
template const Type& type_of<StreamDisconnected>();

}  // namespace flowfabric::api
