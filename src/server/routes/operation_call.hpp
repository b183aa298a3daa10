#pragma once

#include <any>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "api/operations.hpp"
#include "api/routes/request_form.hpp"
#include "api/routes/route.hpp"
#include "flowfabric/client.hpp"
#include "server/auth/access.hpp"
#include "server/blocking_pool.hpp"
#include "server/http/responder.hpp"

// From a request to an operation and back.
namespace flowfabric::server {

// The body as a JSON object; none counts as an empty one.
api::OrProblem<boost::json::object> body_of(const Request& request);
api::RequestParts parts_of(const Request& request);
Asker asker_of(const Request& request);

Response response_of(const api::Problem& problem);
Response response_of(api::SentAnswer answer);
// What stands in the place of an item's answer where each of many is answered by itself.
boost::json::object problem_item(const api::Problem& problem);

// Runs the handler on the pool where the body is large, for reading it as JSON would hold up every other client.
Handler beside_io(std::shared_ptr<BlockingPool> pool, Handler handler);

// White space goes out every 15 seconds until the answer does, so that proxies keep the connection. What counts of an
// answer that comes later is its body: by then its status is 200.
void keep_open(const Responder& responder);

// For how long a request may wait that wants to wait for so long. It ends a moment before its client's deadline, so
// that the answer to say that nothing has come still arrives.
std::chrono::milliseconds wait_within(const std::optional<std::chrono::steady_clock::time_point>& deadline,
                                      std::chrono::milliseconds wanted);

// What waits ends when its client's deadline comes, and a claim that waits when its client has left: it takes nothing
// that would have to be given back.
void end_with(const Asker& asker, std::variant<Commands, Queries>& asked);

// Whether a command on a lease says that it comes from an operator, and therefore needs no lease.
bool overrides_lease(const std::variant<Commands, Queries>& asked);

// Submits the command, or reads on the pool, unless the asker has gone by then. `then` gets the operation's own answer,
// on the client's executor or the pool.
void ask(std::variant<Commands, Queries> asked, Client& client, BlockingPool& pool, const std::stop_token& gone,
         Client::Reply then);

}  // namespace flowfabric::server
