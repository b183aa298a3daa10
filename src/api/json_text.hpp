#pragma once

#include <string>

#include <boost/json/value.hpp>

namespace flowfabric::api {

// On one line, without blanks between the parts. Numbers as people write them, 40.181 and not 4.0181E1, unless they are
// very large or very small.
std::string json_text(const boost::json::value& value);

}  // namespace flowfabric::api
