#pragma once

#include <chrono>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "flowfabric/commands.hpp"

// The fields of JSON that people write: each is read into a value, or it is said what was expected instead.
namespace flowfabric::cli {

using Complaint = std::string_view;
inline constexpr Complaint accepted;

Complaint read(const boost::json::value& value, std::string& out);
// "30s", or milliseconds.
Complaint read(const boost::json::value& value, std::chrono::milliseconds& out);
Complaint read(const boost::json::value& value, std::vector<std::string>& out);
// Added to those that are there.
Complaint read(const boost::json::value& value, Tags& out);

template <std::integral T>
Complaint read(const boost::json::value& value, T& out) {
    boost::system::error_code failure;
    out = value.to_number<T>(failure);
    return failure || value.is_double() ? "expected an integer in range" : accepted;
}

template <class T>
Complaint read(const boost::json::value& value, std::optional<T>& out) {
    return read(value, out.emplace());
}

// Of a text that is one JSON object and nothing else.
Result<boost::json::object> parse_object(std::string_view text);

}  // namespace flowfabric::cli
