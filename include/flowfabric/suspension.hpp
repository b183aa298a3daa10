#pragma once

#include "flowfabric/condition.hpp"
#include "flowfabric/handle.hpp"
#include "flowfabric/lease_ref.hpp"
#include "flowfabric/signal.hpp"
#include "flowfabric/suspend.hpp"
#include "flowfabric/waitpoint.hpp"

// Parking an execution until signals arrive, an operator says so, or time runs out.
