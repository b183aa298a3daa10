#pragma once

#include "flowfabric/build_flow.hpp"
#include "flowfabric/cancel_flow.hpp"
#include "flowfabric/flow_state.hpp"
#include "flowfabric/flow_views.hpp"
#include "flowfabric/project_flow_summary.hpp"

// Flows: graphs of executions. An edge makes its downstream execution wait for its upstream one; all edges into one
// execution are a group with one policy. Members live on their flow's partition.
