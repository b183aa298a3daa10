#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "api/problem.hpp"
#include "flowfabric/client.hpp"

namespace flowfabric::api {

class Schemas;

// Sets how long a claim over HTTP waits: as long as it says, `otherwise` if it does not, 50 s at the most. A refusal
// calls the field `name`.
std::optional<Problem> limit_claim_wait(boost::json::object& claim, std::string_view name, std::uint64_t otherwise);

// Claimed executions as workers over HTTP know them: a task has a `lease`, a `kind` and the number of its `attempt`.
boost::json::array tasks_of(boost::json::value claimed);
// A reference to the schema of a task.
boost::json::object task_schema(Schemas& schemas);

// Releases tasks that never reached their worker.
void give_back(Client& client, const boost::json::array& tasks);

}  // namespace flowfabric::api
