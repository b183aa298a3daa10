#include "cli/text/json_fields.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include "cli/text/duration.hpp"
#include "flowfabric/json_fault.hpp"

namespace flowfabric::cli {

namespace json = boost::json;

Complaint read(const json::value& value, std::string& out) {
    if (!value.is_string()) return "expected a string";
    out = value.get_string();
    return accepted;
}

Complaint read(const json::value& value, std::chrono::milliseconds& out) {
    constexpr Complaint expected = "expected a duration such as \"30s\", or milliseconds";
    const auto duration = value.is_string()  ? parse_duration(value.get_string())
                          : value.is_int64() ? parse_duration(std::to_string(value.get_int64()))
                                             : std::nullopt;
    if (!duration) return expected;
    out = *duration;
    return accepted;
}

Complaint read(const json::value& value, std::vector<std::string>& out) {
    constexpr Complaint expected = "expected an array of strings";
    if (!value.is_array()) return expected;
    out.clear();
    for (const auto& item : value.get_array()) {
        if (!item.is_string()) return expected;
        out.emplace_back(item.get_string());
    }
    return accepted;
}

Complaint read(const json::value& value, Tags& out) {
    constexpr Complaint expected = "expected an object of strings";
    if (!value.is_object()) return expected;
    for (const auto& [key, text] : value.get_object()) {
        if (!text.is_string()) return expected;
        out.insert_or_assign(std::string(key), std::string(text.get_string()));
    }
    return accepted;
}

Result<json::object> parse_object(std::string_view text) {
    boost::system::error_code failure;
    auto value = json::parse(text, failure);
    if (failure) return invalid_input("JSON", json_fault(text));
    if (!value.is_object()) return invalid_input("JSON", "expected an object");
    return std::move(value.get_object());
}

}  // namespace flowfabric::cli
