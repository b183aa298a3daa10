#include "remote/call_queue.hpp"

#include "api/json_text.hpp"

namespace flowfabric::remote {
namespace {

constexpr std::size_t max_together = 500;
constexpr std::size_t max_bytes_together = 4U << 20U;

std::chrono::milliseconds wait_in(const boost::json::value& request) {
    const auto* object = request.if_object();
    const auto* wait = object == nullptr ? nullptr : object->if_contains("max_wait_ms");
    boost::system::error_code failure;
    const auto ms = wait == nullptr ? 0 : wait->to_number<std::int64_t>(failure);
    return std::chrono::milliseconds(failure ? 0 : ms);
}

// The call may wait, or what many of its kind bring may be too large for one answer.
bool travels_alone(const Call& call) {
    const api::OperationEntry& operation = *call.operation;
    return call.max_wait.count() > 0 || !operation.changes || operation.operation.name == Claim::operation.name;
}

}  // namespace

Call call_of(const Asked& asked, Client::Reply reply, Client::AnswerOn where) {
    const api::OperationEntry& operation = api::operation_of(asked);
    const auto request = operation.write(asked);
    return {&operation, api::json_text(request), wait_in(request), std::move(reply), where};
}

std::vector<Call> CallQueue::take() {
    std::vector<Call> taken;
    std::size_t bytes = 0;
    while (!calls_.empty() && taken.size() < max_together) {
        const Call& next = calls_.front();
        const bool fits = taken.empty() || (next.operation == taken.front().operation && !travels_alone(next) &&
                                            bytes + next.request.size() <= max_bytes_together);
        if (!fits) break;
        bytes += next.request.size();
        taken.push_back(std::move(calls_.front()));
        calls_.pop_front();
        if (travels_alone(taken.back())) break;
    }
    return taken;
}

}  // namespace flowfabric::remote
