#include "server/http/target.hpp"

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

namespace flowfabric::server {
namespace {

std::string with_encoded_braces(std::string_view target) {
    std::string encoded;
    encoded.reserve(target.size());
    for (const char c : target) {
        if (c == '{') {
            encoded += "%7B";
        } else if (c == '}') {
            encoded += "%7D";
        } else {
            encoded += c;
        }
    }
    return encoded;
}

}  // namespace

std::optional<Target> parse_target(std::string_view text) {
    const std::string encoded = with_encoded_braces(text);
    const auto url = boost::urls::parse_origin_form(encoded);
    if (!url) return std::nullopt;
    Target target;
    for (const auto& segment : url->segments()) target.path.emplace_back(segment);
    for (const auto& parameter : url->params()) {
        target.query.emplace_back(std::string(parameter.key), std::string(parameter.value));
    }
    return target;
}

}  // namespace flowfabric::server
