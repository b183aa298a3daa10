#include "core/stream/summary.hpp"

#include <algorithm>
#include <boost/json.hpp>

#include "flowfabric/stream.hpp"

namespace flowfabric {
namespace {

namespace json = boost::json;

// Deeper than what is allowed, so that what is refused as too deep is told from what is no JSON.
constexpr std::size_t parsed_depth = 2 * max_patch_depth;

std::size_t depth_of(const json::value& value) {
    std::size_t below = 0;
    if (const auto* object = value.if_object()) {
        for (const auto& [key, member] : *object) below = std::max(below, depth_of(member));
        return below + 1;
    }
    if (const auto* array = value.if_array()) {
        for (const auto& item : *array) below = std::max(below, depth_of(item));
        return below + 1;
    }
    return 0;
}

Result<json::object> parse_patch(std::string_view patch) {
    const EngineError too_deep = invalid_input("payload", "patch_depth_exceeded");
    json::parse_options options;
    options.max_depth = parsed_depth;
    boost::system::error_code failure;
    json::value value = json::parse(patch, failure, {}, options);
    if (failure == json::error::too_deep) return too_deep;
    if (failure) return invalid_input("payload", "patch payload is not valid JSON");
    if (!value.is_object()) return invalid_input("payload", "patch must be a JSON object");
    if (depth_of(value) > max_patch_depth) return too_deep;
    return std::move(value.get_object());
}

bool stands_for_null(const json::value& value) {
    const auto* text = value.if_string();
    return text != nullptr && *text == merge_patch_null;
}

// A value that replaces another, as it is stored.
void settle(json::value& value) {
    if (stands_for_null(value)) {
        value = nullptr;
    } else if (auto* array = value.if_array()) {
        for (json::value& item : *array) settle(item);
    } else if (auto* object = value.if_object()) {
        for (auto& member : *object) settle(member.value());
    }
}

void merge(json::object& target, json::object patch) {
    for (auto& member : patch) {
        json::value& value = member.value();
        if (value.is_null()) {
            target.erase(member.key());
        } else if (auto* changes = value.if_object()) {
            json::value& into = target[member.key()];
            if (!into.is_object()) into.emplace_object();
            merge(into.get_object(), std::move(*changes));
        } else {
            settle(value);
            target[member.key()] = std::move(value);
        }
    }
}

}  // namespace

Result<std::string> merge_patch(std::string_view document, std::string_view patch) {
    auto changes = parse_patch(patch);
    if (!changes) return changes.error();
    json::object merged;
    if (!document.empty()) {
        boost::system::error_code failure;
        json::value stored = json::parse(document, failure);
        if (failure || !stored.is_object()) return corruption("stored summary document is no JSON object");
        merged = std::move(stored.get_object());
    }
    merge(merged, *std::move(changes));
    std::string text = json::serialize(merged);
    if (text.size() > max_stream_summary_bytes) {
        return EngineError{.kind = ErrorKind::retention_limit_exceeded,
                           .detail = "payload: the summary document would have " + std::to_string(text.size()) +
                                     " bytes, at most " + std::to_string(max_stream_summary_bytes)};
    }
    return text;
}

Result<void> check_patch(std::string_view patch) {
    auto changes = parse_patch(patch);
    if (!changes) return changes.error();
    return {};
}

}  // namespace flowfabric
