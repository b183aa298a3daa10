#pragma once

#include "server/http/observer.hpp"

namespace flowfabric::server {

// Logs a line for every request: what failed in the server as a warning, probes and scrapes for debugging only.
void log_access(const Served& served);

}  // namespace flowfabric::server
