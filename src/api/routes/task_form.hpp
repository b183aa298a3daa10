#pragma once

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

namespace flowfabric::api {

// Claimed executions as workers over HTTP know them: a task has a `lease`, a `kind` and the number of its `attempt`.
boost::json::array tasks_of(boost::json::value claimed);

}  // namespace flowfabric::api
