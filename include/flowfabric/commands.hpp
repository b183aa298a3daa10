#pragma once

#include "flowfabric/claim.hpp"
#include "flowfabric/consumer.hpp"
#include "flowfabric/execution.hpp"
#include "flowfabric/grant.hpp"
#include "flowfabric/lane.hpp"
#include "flowfabric/lease.hpp"
#include "flowfabric/setting.hpp"
#include "flowfabric/signing.hpp"
#include "flowfabric/suspension.hpp"
#include "flowfabric/values.hpp"
#include "flowfabric/worker.hpp"

// All commands except those on flows (flow.hpp, submit_flow.hpp), with their answers. Times are milliseconds since the
// epoch on the store's clock; a caller's clock decides nothing.
