#pragma once

#include <vector>

#include <boost/json/object.hpp>

#include "flowfabric/error.hpp"

// How every scenario answers.
namespace flowfabric::bench {

// For programs one object per line. For people a table with a row for each report and a column for each of its fields,
// then one of the latencies in it; a field within another is named as in `chains.seconds`.
void print_reports(const std::vector<boost::json::object>& reports, bool json);

// Writes the error to standard error and returns the exit code for it.
int fail_with(const EngineError& error, bool json);

}  // namespace flowfabric::bench
