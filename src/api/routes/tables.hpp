#pragma once

#include <vector>

#include "api/routes/route.hpp"

// The routes of each concept.
namespace flowfabric::api {

std::vector<Route> execution_routes();
std::vector<Route> suspension_routes();
std::vector<Route> task_routes();
std::vector<Route> stream_routes();
std::vector<Route> grant_routes();
std::vector<Route> flow_routes();
std::vector<Route> operator_routes();
std::vector<Route> token_routes();
std::vector<Route> bulk_routes();
std::vector<Route> webhook_routes();
std::vector<Route> budget_routes();

}  // namespace flowfabric::api
