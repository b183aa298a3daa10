#pragma once

#include "flowfabric/error.hpp"
#include "store/port.hpp"

namespace flowfabric {

// What a caller is told about a store's fault once the engine has stopped retrying.
EngineError to_engine_error(const StoreError& error);

}  // namespace flowfabric
