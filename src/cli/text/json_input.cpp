#include "cli/text/json_input.hpp"

#include <boost/json/parse.hpp>

#include "flowfabric/json_fault.hpp"

namespace flowfabric::cli {

Result<boost::json::value> parse_json(std::string_view text) {
    boost::system::error_code failure;
    auto value = boost::json::parse(text, failure);
    if (failure) return invalid_input("JSON", json_fault(text));
    return value;
}

}  // namespace flowfabric::cli
