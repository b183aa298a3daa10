#pragma once

#include <vector>

#include "flowfabric/views.hpp"

// Executions for people. A fact has the name of its field in the view; a time is a date, and its name lacks the `_ms`.
namespace flowfabric::cli {

void print_execution(const ExecutionView& view);
void print_attempts(const std::vector<AttemptView>& attempts);
// Text as it is, other bytes in base64.
void print_result(const Bytes& result);

}  // namespace flowfabric::cli
