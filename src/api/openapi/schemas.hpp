#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "api/struct_type.hpp"

// JSON Schemas of what the API's callers send and are sent (OpenAPI 3.1 takes them as they are).
namespace flowfabric::api {

// The schemas that stand under a name, each once, while others refer to them.
//
// What callers send is described first: a struct of theirs that answers carry as well keeps its description, which
// promises no more than it asks for.
class Schemas {
  public:
    enum class Side : std::uint8_t { request, answer };

    explicit Schemas(Side side) : side_(side) {}
    Side side() const { return side_; }
    void turn_to(Side side) { side_ = side; }

    // A reference to the schema of that name, which `make` gives at its first mention. It may mention itself.
    boost::json::object refer(std::string_view name, const std::function<boost::json::object()>& make);
    // All of them, by name.
    boost::json::object take() const;

  private:
    Side side_;
    std::map<std::string, boost::json::object, std::less<>> named_;
};

// The properties and required fields of a struct; `except` leaves fields out.
boost::json::object fields_schema(const StructType& type, Schemas& schemas,
                                  const std::function<bool(const Member&)>& except = {});
// One field, with its limits and what is said about it. A payload's is that of its bytes in base64.
boost::json::object field_schema(const Member& member, Schemas& schemas);
// The schema with one more sentence about it.
boost::json::object described(boost::json::object schema, std::string_view summary);

}  // namespace flowfabric::api
