#pragma once

#include <string>
#include <vector>

#include "support/dump.hpp"

namespace flowfabric::test {

// Replays the outboxes, execution by execution, and compares where they lead with the rows.
void check_event_log(const Dump& dump, std::vector<std::string>& violations);

}  // namespace flowfabric::test
