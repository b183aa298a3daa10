#pragma once

#include "flowfabric/commands.hpp"
#include "flowfabric/execution_lists.hpp"
#include "flowfabric/execution_views.hpp"
#include "flowfabric/health.hpp"

// What reads return. Reads see committed state, take no lock and never wait behind writes.
