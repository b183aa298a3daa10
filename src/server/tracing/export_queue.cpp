#include "server/tracing/export_queue.hpp"

#include <algorithm>
#include <iterator>

namespace flowfabric::server {

using std::chrono::milliseconds;

bool ExportQueue::add(Span span, Time now) {
    if (ended_ || waiting_.size() + under_way_ >= limits_.room) return false;
    if (waiting_.empty()) since_ = now;
    waiting_.push_back(std::move(span));
    return true;
}

std::optional<ExportQueue::Time> ExportQueue::due() const {
    if (waiting_.empty() || under_way_ > 0) return std::nullopt;
    if (ended_) return since_;
    const bool is_full = waiting_.size() >= limits_.batch;
    return std::max(paused_until_, is_full ? since_ : since_ + limits_.linger);
}

std::vector<Span> ExportQueue::take(Time now) {
    const auto time = due();
    if (!time || now < *time) return {};
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(limits_.batch, waiting_.size()));
    std::vector<Span> batch(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(end));
    waiting_.erase(waiting_.begin(), end);
    since_ = now;
    under_way_ = batch.size();
    return batch;
}

void ExportQueue::done() {
    under_way_ = 0;
    pause_ = milliseconds(0);
}

void ExportQueue::failed(std::vector<Span> batch, Time now, milliseconds wanted) {
    constexpr milliseconds longest_wanted = std::chrono::hours(1);
    waiting_.insert(waiting_.begin(), std::make_move_iterator(batch.begin()), std::make_move_iterator(batch.end()));
    under_way_ = 0;
    pause_ = pause_.count() == 0 ? limits_.first_pause : std::min(pause_ * 2, limits_.longest_pause);
    // From three quarters of it to all of it.
    constexpr double steady_part = 0.75;
    const auto spread =
        std::chrono::duration<double, std::milli>(pause_) * (steady_part + (1 - steady_part) * spread_());
    paused_until_ = now + std::max(std::chrono::duration_cast<milliseconds>(spread), std::min(wanted, longest_wanted));
}

std::size_t ExportQueue::clear() {
    const std::size_t count = waiting_.size();
    waiting_.clear();
    return count;
}

}  // namespace flowfabric::server
