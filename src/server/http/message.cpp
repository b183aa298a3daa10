#include "server/http/message.hpp"

#include <algorithm>

#include <boost/beast/core/string.hpp>

namespace flowfabric::server {

void Headers::add(std::string name, std::string value) {
    all_.emplace_back(std::move(name), std::move(value));
}

std::optional<std::string_view> Headers::find(std::string_view name) const {
    const auto found =
        std::ranges::find_if(all_, [name](const auto& header) { return boost::beast::iequals(header.first, name); });
    if (found == all_.end()) return std::nullopt;
    return found->second;
}

std::optional<std::string_view> Request::query_value(std::string_view name) const {
    const auto found = std::ranges::find(query, name, &std::pair<std::string, std::string>::first);
    if (found == query.end()) return std::nullopt;
    return found->second;
}

}  // namespace flowfabric::server
