#include "api/streams/output_walk.hpp"

#include <algorithm>
#include <utility>

namespace flowfabric::api {
namespace {

constexpr char cursor_tag = 0x04;
constexpr std::size_t cursor_bytes = 1 + 4 + 8 + 8;
constexpr std::uint64_t first_patience_ms = 1'000;

void append(Bytes& bytes, std::uint64_t number, unsigned width) {
    for (unsigned i = width; i > 0; --i) bytes.push_back(static_cast<char>(number >> (8U * (i - 1)) & 0xFFU));
}

std::uint64_t number_in(const Bytes& bytes, std::size_t at, std::size_t width) {
    std::uint64_t number = 0;
    for (std::size_t i = at; i < at + width; ++i) number = number << 8U | static_cast<unsigned char>(bytes[i]);
    return number;
}

}  // namespace

Bytes OutputPlace::cursor() const {
    Bytes bytes(1, cursor_tag);
    append(bytes, attempt_index, 4);
    append(bytes, static_cast<std::uint64_t>(after.ts_ms), 8);
    append(bytes, static_cast<std::uint64_t>(after.seq), 8);
    return bytes;
}

Result<OutputPlace> OutputPlace::of_cursor(const Bytes& cursor) {
    if (cursor.size() != cursor_bytes || cursor.front() != cursor_tag) {
        return invalid_input("cursor", "is not one of an execution's output");
    }
    OutputPlace place;
    place.attempt_index = static_cast<std::uint32_t>(number_in(cursor, 1, 4));
    place.after.ts_ms = static_cast<std::int64_t>(number_in(cursor, 5, 8));
    place.after.seq = static_cast<std::int64_t>(number_in(cursor, 13, 8));
    if (place.after.ts_ms < 0 || place.after.seq < 0) return invalid_input("cursor", "is negative");
    return place;
}

OutputWalk::OutputWalk(const ExecutionId& id, const Options& options)
    : id_(id), options_(options), patience_ms_(first_patience_ms) {
    if (options_.from) place_ = *options_.from;
    if (const auto only = options_.only_attempt) {
        if (place_.attempt_index > *only) step_ = Step::done;
        if (place_.attempt_index < *only) place_ = {.attempt_index = *only, .after = {}};
    }
    placed_ = options_.from || options_.from_first || options_.only_attempt;
    written_to_ = place_.after != FrameId{};
}

TailStream OutputWalk::tail() const {
    TailStream tail;
    tail.execution_id = id_;
    tail.attempt_index = place_.attempt_index;
    tail.after = place_.after;
    if (!attempt_over_) tail.block_ms = written_to_ ? max_tail_block_ms : patience_ms_;
    tail.limit = options_.limit;
    tail.visibility = options_.visibility;
    return tail;
}

void OutputWalk::learn(const ExecutionView& execution) {
    current_attempt_ = execution.current_attempt_index;
    ended_ = execution.vector.lifecycle_phase == LifecyclePhase::terminal;
    if (!placed_) place_.attempt_index = current_attempt_;
    placed_ = true;
    attempt_over_ = ended_ || current_attempt_ > place_.attempt_index;
    step_ = Step::tail;
}

// What was there before the last look is drained by the answer that is empty.
std::vector<OutputItem> OutputWalk::take(StreamPage page) {
    std::vector<OutputItem> items;
    items.reserve(page.frames.size());
    for (StreamFrame& frame : page.frames) {
        place_.after = frame.id;
        items.push_back(
            {.attempt_index = place_.attempt_index, .frame = std::move(frame), .end = {}, .behind = place_});
    }
    is_up_to_date_ = false;
    if (!items.empty()) {
        written_to_ = true;
    } else if (page.closed_at_ms) {
        OutputItem end{
            .attempt_index = place_.attempt_index, .frame = std::nullopt, .end = std::move(page), .behind = {}};
        leave_attempt();
        end.behind = place_;
        items.push_back(std::move(end));
    } else if (attempt_over_) {
        leave_attempt();
    } else {
        is_up_to_date_ = true;
        patience_ms_ = std::min(patience_ms_ * 2, max_tail_block_ms);
        step_ = Step::look;
    }
    return items;
}

void OutputWalk::look_again() {
    if (step_ != Step::done) step_ = Step::look;
}

void OutputWalk::leave_attempt() {
    const bool is_last = ended_ && place_.attempt_index >= current_attempt_;
    place_ = {.attempt_index = place_.attempt_index + 1, .after = {}};
    written_to_ = false;
    patience_ms_ = first_patience_ms;
    step_ = options_.only_attempt || is_last ? Step::done : Step::look;
}

}  // namespace flowfabric::api
