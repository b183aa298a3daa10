#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <variant>
#include <vector>

#include <boost/json/value.hpp>

#include "api/operations.hpp"
#include "flowfabric/client.hpp"

namespace flowfabric::remote {

using Asked = std::variant<Commands, Queries>;

// One operation that a caller wants, as it is sent.
struct Call {
    const api::OperationEntry* operation = nullptr;
    std::string request;                    // its JSON
    std::chrono::milliseconds max_wait{0};  // how long the operation itself may wait
    Client::Reply reply;
    Client::AnswerOn where = Client::AnswerOn::any_thread;
};

Call call_of(const Asked& asked, Client::Reply reply, Client::AnswerOn where);

// Calls in the order in which they came. Those of one operation that stand next to each other are taken together, so
// that many submissions travel in few requests; one that may wait goes by itself. Frames have an order that connections
// must not change: while some of them travel others wait.
class CallQueue {
  public:
    void put(Call call);
    // Nothing that could be taken now.
    bool empty() const { return calls_.empty() && (frames_.empty() || frames_travel_); }
    // Some; none if it is empty.
    std::vector<Call> take();
    // What was taken has been answered.
    void answered(const std::vector<Call>& taken);
    // All that waits, whatever it is.
    std::vector<Call> take_all();

  private:
    std::deque<Call> calls_;
    std::deque<Call> frames_;
    bool frames_travel_ = false;
};

}  // namespace flowfabric::remote
