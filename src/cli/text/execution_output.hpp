#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "flowfabric/views.hpp"

namespace flowfabric::cli {

// Every field under the name it has in the view; times in milliseconds; unset ones are left out.
boost::json::object json_of(const ExecutionView& view);
boost::json::object json_of(const AttemptView& view);
boost::json::array json_of(const std::vector<AttemptView>& attempts);

void print_execution(const ExecutionView& view);
void print_attempts(const std::vector<AttemptView>& attempts);

}  // namespace flowfabric::cli
