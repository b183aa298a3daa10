#pragma once

#include "flowfabric/condition.hpp"
#include "flowfabric/handle.hpp"
#include "flowfabric/lease_ref.hpp"
#include "flowfabric/signal.hpp"
#include "flowfabric/suspend.hpp"
#include "flowfabric/waitpoint.hpp"

// Suspending an execution until signals arrive, an operator resumes it, or its deadline passes.
