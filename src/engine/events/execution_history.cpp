#include "engine/events/execution_history.hpp"

#include <algorithm>
#include <iterator>

namespace flowfabric {
namespace {

constexpr std::int64_t history_piece = 131'072;  // ids that one statement looks through
constexpr std::uint32_t history_page = 500;
// Events are written within a command's deadline of the clock that they tell.
constexpr std::int64_t clock_slack_ms = 60'000;
constexpr std::int64_t near_enough = 1'000;  // ids

std::int64_t time_of_any(const Event& event) {
    return std::visit([](const auto& one) { return time_of(one); }, event);
}

}  // namespace

ExecutionHistory::ExecutionHistory(const ExecutionId& id, const ChannelPositions& after, const ChannelPositions& up_to)
    : id_(id), positions_(after) {
    for (std::size_t i = 0; i < lanes_.size(); ++i) lanes_[i] = {{}, after[i], up_to[i]};
}

bool ExecutionHistory::is_read() const {
    return std::ranges::none_of(lanes_, &Lane::wants_more);
}

std::optional<Event> ExecutionHistory::take() {
    if (!is_read()) return std::nullopt;
    std::optional<Channel> first;
    const auto time = [&](Channel channel) { return time_of_any(lanes_[index_of(channel)].events.front()); };
    for (const Channel channel : execution_channels) {
        if (lanes_[index_of(channel)].events.empty()) continue;
        if (!first || time(channel) < time(*first)) first = channel;
    }
    if (!first) return std::nullopt;
    Lane& lane = lanes_[index_of(*first)];
    Event event = std::move(lane.events.front());
    lane.events.pop_front();
    positions_[index_of(*first)] = lane.events.empty() ? lane.looked_up_to : id_of(event);
    return event;
}

StoreResult<void> ExecutionHistory::read(StoreReader& reader) {
    for (const Channel channel : execution_channels) {
        while (lanes_[index_of(channel)].wants_more()) {
            if (auto done = read(reader, channel); !done) return done;
        }
    }
    return {};
}

StoreResult<void> ExecutionHistory::read(StoreReader& reader, Channel channel) {
    Lane& lane = lanes_[index_of(channel)];
    const std::int64_t end = std::min(lane.up_to, lane.looked_up_to + history_piece);
    auto found = reader.tail_of(id_, channel, lane.looked_up_to, end, history_page);
    if (!found) return found.error();
    lane.looked_up_to = found->events.size() < history_page ? end : id_of(found->events.back());
    if (found->events.empty()) positions_[index_of(channel)] = lane.looked_up_to;
    std::ranges::move(found->events, std::back_inserter(lane.events));
    return {};
}

StoreResult<std::int64_t> position_before(StoreReader& reader, Channel channel, std::int64_t time_ms,
                                          std::int64_t up_to) {
    auto nothing = reader.tail(channel, 0, 0, 1);
    if (!nothing) return nothing.error();
    std::int64_t before = nothing->trimmed;
    while (up_to - before > near_enough) {
        const std::int64_t middle = before + (up_to - before) / 2;
        auto next = reader.tail(channel, middle, up_to, 1);
        if (!next) return next.error();
        const bool older = !next->events.empty() && time_of_any(next->events.front()) < time_ms - clock_slack_ms;
        if (older) {
            before = id_of(next->events.front());
        } else {
            up_to = middle;
        }
    }
    return before;
}

}  // namespace flowfabric
