#pragma once

#include <string>
#include <string_view>

#include <boost/json/object.hpp>

namespace flowfabric::api {

// Tells requests apart. The order in which a client writes the keys of an object, and its blanks, make no difference.
std::string digest_of(std::string_view operation, boost::json::object request);

}  // namespace flowfabric::api
