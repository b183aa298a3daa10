#pragma once

#include <string_view>

#include <boost/json/value.hpp>

#include "flowfabric/result.hpp"

namespace flowfabric::cli {

// An error says where the text is not JSON.
Result<boost::json::value> parse_json(std::string_view text);

}  // namespace flowfabric::cli
