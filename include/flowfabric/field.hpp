#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "flowfabric/limits.hpp"

// How operations describe themselves. A command, a read and every struct that they carry list their fields once:
//
//     template <class Visit>
//     static void fields(Visit&& visit) {
//         visit("reason", &Fail::reason, field::text(max_reason_bytes), "Why, for people.");
//     }
//
// JSON in and out, the API's description and the command line come from that listing. `type_name` is the struct's own
// name in that description, and no other struct has it. In a variant a struct goes by its `variant_name`, which is its
// type's name unless it says otherwise and need only differ from the other alternatives. A member that stands deeper is
// named by a function: [](auto& view) -> auto& { return view.vector.public_state; }.
namespace flowfabric {

// What a command or a read is called, and what it does.
struct Operation {
    std::string_view name;
    std::string_view summary;
};

struct FieldRule {
    enum class Form : std::uint8_t {
        value,      // as its type says
        partition,  // the number of one
        text,       // valid UTF-8 without NUL
        line,       // text without control characters
        identity,   // not empty, no blanks, no control characters
        lane,       // not empty, printable ASCII characters
        tag_key,    // owner.name in a-z, 0-9 and _
        payload,    // bytes: any JSON value under the field's name (null is one), or base64 under NAME_b64
        secret,     // text that no log and no page shows
        cursor,     // bytes: opaque to callers, in hex
    };
    static constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

    Form form = Form::value;             // of a list or a map: of each item
    bool is_required = false;            // in a request; without any other field its struct's default holds
    std::uint64_t min = 0;               // of a number
    std::uint64_t max = no_limit;        // of a number, or of the bytes of a text
    std::uint64_t min_items = 0;         // of a list
    std::uint64_t max_items = no_limit;  // of a list
    std::string_view encoding = {};      // of a payload: the field that says how it is encoded
};

namespace field {

inline constexpr FieldRule optional{};
inline constexpr FieldRule identity{.form = FieldRule::Form::identity, .max = max_identity_bytes};
inline constexpr FieldRule lane{.form = FieldRule::Form::lane, .max = max_lane_bytes};
inline constexpr FieldRule tag_key{.form = FieldRule::Form::tag_key, .max = max_label_bytes};
inline constexpr FieldRule cursor{.form = FieldRule::Form::cursor};
inline constexpr FieldRule partition{.form = FieldRule::Form::partition, .max = max_partition};
inline constexpr FieldRule time{.max = max_time_ms};  // not negative

constexpr FieldRule required(FieldRule rule = {}) {
    rule.is_required = true;
    return rule;
}
constexpr FieldRule text(std::uint64_t max_bytes) {
    return {.form = FieldRule::Form::text, .max = max_bytes};
}
constexpr FieldRule line(std::uint64_t max_bytes) {
    return {.form = FieldRule::Form::line, .max = max_bytes};
}
constexpr FieldRule secret(std::uint64_t max_bytes) {
    return {.form = FieldRule::Form::secret, .max = max_bytes};
}
constexpr FieldRule between(std::uint64_t min, std::uint64_t max) {
    return {.min = min, .max = max};
}
constexpr FieldRule payload(std::string_view encoding, std::uint64_t max_bytes = FieldRule::no_limit) {
    return {.form = FieldRule::Form::payload, .max = max_bytes, .encoding = encoding};
}
constexpr FieldRule list(std::uint64_t min_items, std::uint64_t max_items, FieldRule item = {}) {
    item.min_items = min_items;
    item.max_items = max_items;
    return item;
}

}  // namespace field
}  // namespace flowfabric
