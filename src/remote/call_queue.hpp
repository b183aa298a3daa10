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
// that many submissions travel in few requests; one that may wait goes by itself.
class CallQueue {
  public:
    void put(Call call) { calls_.push_back(std::move(call)); }
    bool empty() const { return calls_.empty(); }
    std::vector<Call> take();

  private:
    std::deque<Call> calls_;
};

}  // namespace flowfabric::remote
