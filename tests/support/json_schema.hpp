#pragma once

#include <string>

#include <boost/json/value.hpp>

namespace flowfabric::test {

// Where and how the value departs from the schema; empty: it fits. `document` is what a $ref leads through.
//
// Knows what the API's description uses: types, enums, limits, patterns, fields, items and combinations.
std::string departure(const boost::json::value& value, const boost::json::value& schema,
                      const boost::json::value& document);

}  // namespace flowfabric::test
