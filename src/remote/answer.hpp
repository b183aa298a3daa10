#pragma once

#include <any>
#include <string_view>

#include <boost/json/value.hpp>

#include "api/operations.hpp"
#include "flowfabric/result.hpp"

// What a server answered.
namespace flowfabric::remote {

// The answer of the operation, or the error that the server's document tells.
Result<std::any> answer_in(const api::OperationEntry& operation, unsigned status, const boost::json::value& document);
// The same from the text of the body, which need not be JSON when something in between has answered.
Result<std::any> answer_in_text(const api::OperationEntry& operation, unsigned status, std::string_view body);

Result<boost::json::value> document_in(unsigned status, std::string_view body);
EngineError error_in(unsigned status, const boost::json::value& document);

}  // namespace flowfabric::remote
