#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/names.hpp"
#include "flowfabric/consumer.hpp"
#include "flowfabric/execution_lists.hpp"
#include "flowfabric/search.hpp"
#include "flowfabric/suspend.hpp"
#include "flowfabric/worker.hpp"

// Where the next page of a list begins, as one word.
namespace flowfabric {
namespace {

struct Numbered {
    std::int64_t number = 0;
    std::string_view rest;
};

// `NUMBER:REST`
std::optional<Numbered> split_number(std::string_view text) {
    Numbered split;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), split.number);
    const auto colon = static_cast<std::size_t>(end - text.data());
    if (failure != std::errc{} || colon == text.size() || text[colon] != ':') return std::nullopt;
    split.rest = text.substr(colon + 1);
    return split;
}

EngineError not_a_place() {
    return invalid_input("after", "must be the next_cursor of a page");
}

struct Timed {
    std::int64_t at_ms = 0;
    ExecutionId execution_id;
};

Result<Timed> parse_timed(std::string_view text) {
    const auto split = split_number(text);
    if (!split) return not_a_place();
    const auto id = ExecutionId::parse(split->rest);
    if (!id) return not_a_place();
    return Timed{split->number, *id};
}

std::string timed_text(std::int64_t at_ms, const ExecutionId& id) {
    return std::to_string(at_ms) + ':' + id.to_string();
}

}  // namespace

Result<SuspendedPlace> SuspendedPlace::parse(std::string_view text) {
    const auto place = parse_timed(text);
    if (!place) return place.error();
    return SuspendedPlace{place->at_ms, place->execution_id};
}

std::string SuspendedPlace::to_string() const {
    return timed_text(suspended_at_ms, execution_id);
}

Result<ExpiredLeasePlace> ExpiredLeasePlace::parse(std::string_view text) {
    const auto place = parse_timed(text);
    if (!place) return place.error();
    return ExpiredLeasePlace{place->at_ms, place->execution_id};
}

std::string ExpiredLeasePlace::to_string() const {
    return timed_text(expires_at_ms, execution_id);
}

Result<SearchPlace> SearchPlace::parse(std::string_view text) {
    const auto place = parse_timed(text);
    if (!place) return place.error();
    return SearchPlace{place->at_ms, place->execution_id};
}

std::string SearchPlace::to_string() const {
    return timed_text(created_at_ms, execution_id);
}

// Both names may contain colons, so the text begins with the length of the first.
Result<WorkerPlace> WorkerPlace::parse(std::string_view text) {
    const auto split = split_number(text);
    if (!split || split->number < 0) return not_a_place();
    const auto length = static_cast<std::size_t>(split->number);
    if (split->rest.size() <= length || split->rest[length] != ':') return not_a_place();
    return WorkerPlace{std::string(split->rest.substr(0, length)), std::string(split->rest.substr(length + 1))};
}

std::string WorkerPlace::to_string() const {
    return std::to_string(namespace_name.size()) + ':' + namespace_name + ':' + worker_instance_id;
}

// `CHANNEL:NAME`
Result<ConsumerPlace> ConsumerPlace::parse(std::string_view text) {
    const auto colon = text.find(':');
    const auto channel = parse_enum<Channel>(text.substr(0, colon));
    if (colon == std::string_view::npos || !channel) return not_a_place();
    return ConsumerPlace{*channel, std::string(text.substr(colon + 1))};
}

std::string ConsumerPlace::to_string() const {
    return std::string(flowfabric::to_string(channel)) + ':' + name;
}

}  // namespace flowfabric
