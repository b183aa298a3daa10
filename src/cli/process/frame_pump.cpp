#include "cli/process/frame_pump.hpp"

#include <sys/eventfd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <utility>

#include "cli/text/output.hpp"
#include "flowfabric/stream.hpp"
#include "runtime/threads/guard.hpp"

namespace flowfabric::cli {
namespace {

constexpr std::size_t lines_at_once = 256;
constexpr std::size_t bytes_at_once = 1'048'576;
// While as much is under way.
constexpr std::size_t most_waiting_lines = lines_at_once;
constexpr std::size_t most_waiting_bytes = bytes_at_once;
constexpr std::chrono::milliseconds before_repeating{200};

bool means_the_end(const EngineError& error) {
    const ErrorFamily family = family_of(error.kind);
    return family == ErrorFamily::state || family == ErrorFamily::not_found ||
           error.kind == ErrorKind::execution_not_active;
}

// A frame whose answer was lost may stand there twice, which is better than not at all.
bool worth_repeating(const EngineError& error) {
    return is_retryable(error) || error.kind == ErrorKind::transport || family_of(error.kind) == ErrorFamily::timeout;
}

}  // namespace

void LineCutter::put(std::string_view bytes, const Take& take) {
    while (!bytes.empty()) {
        const auto newline = bytes.find('\n');
        const auto wanted = newline == std::string_view::npos ? bytes.size() : newline + 1;
        const auto fits = std::min(wanted, max_frame_payload_bytes - unfinished_.size());
        unfinished_ += bytes.substr(0, fits);
        bytes.remove_prefix(fits);
        const bool is_whole = unfinished_.ends_with('\n') || unfinished_.size() == max_frame_payload_bytes;
        if (is_whole) take(std::exchange(unfinished_, {}));
    }
}

void LineCutter::end(const Take& take) {
    if (!unfinished_.empty()) take(std::exchange(unfinished_, {}));
}

FramePump::FramePump(Client& client, const Handle& lease)
    : client_(client), lease_(lease), room_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!room_.is_open()) throw_errno("eventfd");
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

FramePump::~FramePump() {
    give_up();
}

bool FramePump::has_room() const {
    const std::scoped_lock lock(mutex_);
    return given_up_ || (waiting_.size() < most_waiting_lines && waiting_bytes_ < most_waiting_bytes);
}

void FramePump::await_room() const {
    eventfd_t count = 0;
    eventfd_read(room_.get(), &count);
}

void FramePump::tell_of_room() const {
    eventfd_write(room_.get(), 1);
}

void FramePump::put(FrameKind kind, std::string line) {
    const std::scoped_lock lock(mutex_);
    if (given_up_) return;
    waiting_bytes_ += line.size();
    waiting_.push_back({kind, std::move(line)});
    changed_.notify_all();
}

void FramePump::give_up() {
    const std::scoped_lock lock(mutex_);
    give_up_held();
}

// Under the mutex.
void FramePump::give_up_held() {
    given_up_ = true;
    waiting_.clear();
    waiting_bytes_ = 0;
    changed_.notify_all();
    tell_of_room();
}

void FramePump::finish(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const auto is_done = [this] { return given_up_ || (waiting_.empty() && !sending_); };
    if (!changed_.wait(lock, stop, is_done)) give_up_held();
}

void FramePump::run(const std::stop_token& stop) {
    const bool sound = contain("sending frames broke, and the rest of them is left out", [&] {
        for (auto lines = take_some(stop); !lines.empty(); lines = take_some(stop)) {
            tell_of_room();
            while (!lines.empty()) lines = append(std::move(lines));
        }
    });
    if (!sound) give_up();
}

// Waits for some. None: nothing more is to be sent.
std::vector<FramePump::Line> FramePump::take_some(const std::stop_token& stop) {
    std::vector<Line> taken;
    std::unique_lock lock(mutex_);
    sending_ = false;
    changed_.notify_all();
    changed_.wait(lock, stop, [this] { return given_up_ || !waiting_.empty(); });
    std::size_t bytes = 0;
    while (!waiting_.empty() && taken.size() < lines_at_once && bytes < bytes_at_once) {
        bytes += waiting_.front().text.size();
        taken.push_back(std::move(waiting_.front()));
        waiting_.pop_front();
    }
    waiting_bytes_ -= bytes;
    sending_ = !taken.empty();
    return taken;
}

// Those that are to be sent once more, in front of what waits.
std::vector<FramePump::Line> FramePump::append(std::vector<Line> lines) {
    std::vector<AppendFrame> frames(lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
        frames[i].lease = lease_;
        frames[i].kind = lines[i].kind;
        frames[i].payload = lines[i].text;
    }
    const auto answers = client_.run_all(std::move(frames));
    std::vector<Line> again;
    std::unique_lock lock(mutex_);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (answers[i]) continue;
        const EngineError& error = answers[i].error();
        if (means_the_end(error)) give_up_held();
        if (worth_repeating(error)) {
            again.push_back(std::move(lines[i]));
        } else if (!given_up_) {
            std::cerr << "ff: a frame is left out: " + printable(to_string(error)) + '\n';
        }
    }
    if (!again.empty()) changed_.wait_for(lock, before_repeating, [this] { return given_up_; });
    if (given_up_) again.clear();
    return again;
}

}  // namespace flowfabric::cli
