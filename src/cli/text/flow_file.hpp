#pragma once

#include <string_view>

#include "flowfabric/submit_flow.hpp"

namespace flowfabric::cli {

// A flow as JSON with the fields of SubmitFlow. A member that names no namespace belongs to the flow's.
Result<SubmitFlow> parse_flow(std::string_view text);

}  // namespace flowfabric::cli
