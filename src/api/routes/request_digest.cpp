#include "api/routes/request_digest.hpp"

#include <map>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "core/base/hex.hpp"
#include "core/signing/signing.hpp"

namespace flowfabric::api {
namespace {

namespace json = boost::json;

// NOLINTNEXTLINE(misc-no-recursion): as deep as the document, whose depth the parser limits
void append(const json::value& value, std::string& text) {
    if (const auto* object = value.if_object()) {
        std::map<std::string_view, const json::value*> members;
        for (const auto& [key, member] : *object) members.emplace(key, &member);
        text += '{';
        for (const auto& [key, member] : members) {
            text += json::serialize(key) + ':';
            append(*member, text);
            text += ',';
        }
        text += '}';
    } else if (const auto* items = value.if_array()) {
        text += '[';
        for (const json::value& item : *items) {
            append(item, text);
            text += ',';
        }
        text += ']';
    } else {
        text += json::serialize(value);
    }
}

}  // namespace

std::string digest_of(std::string_view operation, json::object request) {
    request.erase("traceparent");
    request.erase("tracestate");
    std::string text = std::string(operation) + '\n';
    append(json::value(std::move(request)), text);
    return hex_of(sha256(text));
}

}  // namespace flowfabric::api
