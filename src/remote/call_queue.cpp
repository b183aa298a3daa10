#include "remote/call_queue.hpp"

#include <iterator>

#include "api/json_text.hpp"

namespace flowfabric::remote {
namespace {

constexpr std::size_t max_together = 500;
constexpr std::size_t max_bytes_together = 4U << 20U;

std::chrono::milliseconds wait_in(const boost::json::value& request) {
    const auto* object = request.if_object();
    const auto* wait = object == nullptr ? nullptr : object->if_contains("max_wait_ms");
    if (object != nullptr && wait == nullptr) wait = object->if_contains("block_ms");
    boost::system::error_code failure;
    const auto ms = wait == nullptr ? 0 : wait->to_number<std::int64_t>(failure);
    return std::chrono::milliseconds(failure ? 0 : ms);
}

// The call may wait, or what many of its kind bring may be too large for one answer.
bool travels_alone(const Call& call) {
    const api::OperationEntry& operation = *call.operation;
    return call.max_wait.count() > 0 || !operation.changes || operation.operation.name == Claim::operation.name ||
           operation.operation.name == TailStream::operation.name;
}

bool is_frame(const Call& call) {
    return call.operation->operation.name == AppendFrame::operation.name;
}

}  // namespace

Call call_of(const Asked& asked, Client::Reply reply, Client::AnswerOn where) {
    const api::OperationEntry& operation = api::operation_of(asked);
    const auto request = operation.write(asked);
    return {&operation, api::json_text(request), wait_in(request), std::move(reply), where};
}

void CallQueue::put(Call call) {
    (is_frame(call) ? frames_ : calls_).push_back(std::move(call));
}

// Frames first: there are few of these requests, one at a time.
std::vector<Call> CallQueue::take() {
    const bool takes_frames = !frames_.empty() && !frames_travel_;
    frames_travel_ = frames_travel_ || takes_frames;
    std::deque<Call>& from = takes_frames ? frames_ : calls_;
    std::vector<Call> taken;
    std::size_t bytes = 0;
    while (!from.empty() && taken.size() < max_together) {
        const Call& next = from.front();
        const bool fits = taken.empty() || (next.operation == taken.front().operation && !travels_alone(next) &&
                                            bytes + next.request.size() <= max_bytes_together);
        if (!fits) break;
        bytes += next.request.size();
        taken.push_back(std::move(from.front()));
        from.pop_front();
        if (travels_alone(taken.back())) break;
    }
    return taken;
}

void CallQueue::answered(const std::vector<Call>& taken) {
    if (!taken.empty() && is_frame(taken.front())) frames_travel_ = false;
}

std::vector<Call> CallQueue::take_all() {
    std::vector<Call> all(std::make_move_iterator(calls_.begin()), std::make_move_iterator(calls_.end()));
    all.insert(all.end(), std::make_move_iterator(frames_.begin()), std::make_move_iterator(frames_.end()));
    calls_.clear();
    frames_.clear();
    return all;
}

}  // namespace flowfabric::remote
