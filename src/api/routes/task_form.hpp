#pragma once

#include <cstdint>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "flowfabric/client.hpp"

namespace flowfabric::api {

class Schemas;

// How long a claim over HTTP may wait.
inline constexpr std::uint64_t longest_claim_wait_ms = 50'000;

// Claimed executions as workers over HTTP know them: a task has a `lease`, a `kind` and the number of its `attempt`.
boost::json::array tasks_of(boost::json::value claimed);
// A reference to the schema of a task.
boost::json::object task_schema(Schemas& schemas);

// Releases tasks that never reached their worker.
void give_back(Client& client, const boost::json::array& tasks);

}  // namespace flowfabric::api
