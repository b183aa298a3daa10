#include <charconv>
#include <limits>
#include <optional>

#include "flowfabric/stream.hpp"

// The places of a stream, as text.
namespace flowfabric {
namespace {

constexpr std::int64_t last_seq = std::numeric_limits<std::int64_t>::max();

EngineError not_a_place(std::string_view wanted) {
    return invalid_input("frame_id", std::string("must be ").append(wanted));
}

// Digits and nothing else: no sign, no blank.
std::optional<std::int64_t> parse_number(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
    return static_cast<std::int64_t>(number);
}

struct Parts {
    std::int64_t ts_ms = 0;
    std::optional<std::int64_t> seq;
};

std::optional<Parts> parse_parts(std::string_view text) {
    const auto hyphen = text.find('-');
    const auto ts_ms = parse_number(text.substr(0, hyphen));
    if (!ts_ms) return std::nullopt;
    if (hyphen == std::string_view::npos) return Parts{*ts_ms, std::nullopt};
    const auto seq = parse_number(text.substr(hyphen + 1));
    if (!seq) return std::nullopt;
    return Parts{*ts_ms, seq};
}

}  // namespace

Result<FrameId> FrameId::parse(std::string_view text) {
    const auto parts = parse_parts(text);
    if (!parts) return not_a_place("the id of a frame, MS-SEQ, or MS for its first");
    return FrameId{parts->ts_ms, parts->seq.value_or(0)};
}

std::string FrameId::to_string() const {
    return std::to_string(ts_ms) + '-' + std::to_string(seq);
}

StreamBound StreamBound::start() {
    return {Form::start, {}};
}

StreamBound StreamBound::end() {
    return {Form::end, {}};
}

StreamBound StreamBound::at(const FrameId& id) {
    return {Form::frame, id};
}

StreamBound StreamBound::at(std::int64_t ts_ms) {
    return {Form::millisecond, {ts_ms, 0}};
}

Result<StreamBound> StreamBound::parse(std::string_view text) {
    if (text == "start") return start();
    if (text == "end") return end();
    const auto parts = parse_parts(text);
    if (!parts) return not_a_place("start, end, MS or MS-SEQ");
    return parts->seq ? at(FrameId{parts->ts_ms, *parts->seq}) : at(parts->ts_ms);
}

std::string StreamBound::to_string() const {
    switch (form_) {
        case Form::start:
            return "start";
        case Form::end:
            return "end";
        case Form::millisecond:
            return std::to_string(id_.ts_ms);
        case Form::frame:
            return id_.to_string();
    }
    return {};
}

FrameId StreamBound::lowest() const {
    return form_ == Form::end ? FrameId{max_time_ms, last_seq} : id_;
}

FrameId StreamBound::highest() const {
    switch (form_) {
        case Form::start:
        case Form::frame:
            return id_;
        case Form::end:
            return {max_time_ms, last_seq};
        case Form::millisecond:
            return {id_.ts_ms, last_seq};
    }
    return id_;
}

}  // namespace flowfabric
