#pragma once

#include <any>
#include <functional>
#include <memory>
#include <string>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "api/operations.hpp"
#include "api/routes/request_form.hpp"
#include "api/routes/route.hpp"
#include "flowfabric/client.hpp"
#include "server/blocking_pool.hpp"
#include "server/http/responder.hpp"

// From a request to an operation and back.
namespace flowfabric::server {

// The body as a JSON object; none counts as an empty one.
api::OrProblem<boost::json::object> body_of(const Request& request);
api::RequestParts parts_of(const Request& request);

Response response_of(const api::Problem& problem);
Response response_of(api::SentAnswer answer);

// Submits the command, or reads on the pool. `then` gets the operation's own answer, on the client's executor or the
// pool.
void ask(std::variant<Commands, Queries> asked, Client& client, BlockingPool& pool, Client::Reply then);

}  // namespace flowfabric::server
