#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "api/openapi/schemas.hpp"

// What routes need to describe answers that differ from their operation's.
namespace flowfabric::api {

// One answer in JSON, by its status. A text is the schema's own JSON.
boost::json::object answered(unsigned status, boost::json::object schema);
boost::json::object answered(unsigned status, std::string_view schema);

boost::json::object list_of(boost::json::object item);

// The struct that the operation answers, and the one in a list of that.
const StructType& answer_fields(std::string_view operation);
const StructType& list_items(std::string_view operation, std::string_view list);

// The operation's answer with more properties and required fields; those of the same name stand for its own.
boost::json::object with_fields(std::string_view operation, Schemas& schemas, std::string_view more);

using Renaming = std::span<const std::pair<std::string_view, std::string_view>>;
// The struct with fields under other names: each pair has the old and the new one. `except` leaves fields out.
boost::json::object renamed(const StructType& type, Renaming names, Schemas& schemas,
                            const std::function<bool(const Member&)>& except = {});

}  // namespace flowfabric::api
