#pragma once

#include <string_view>

#include "flowfabric/submit_flow.hpp"

namespace flowfabric::cli {

// A flow as JSON: {"flow_kind", "flow_id", "namespace", "tags", "nodes": […], "edges": […]}, described in docs/cli.md.
// Errors name the node or edge, and the field.
Result<SubmitFlow> parse_flow(std::string_view text);

}  // namespace flowfabric::cli
