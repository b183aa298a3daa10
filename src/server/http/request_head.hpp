#pragma once

#include <chrono>
#include <optional>

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include "flowfabric/result.hpp"
#include "server/http/message.hpp"

namespace flowfabric::server {

// The request without its body, or why it is refused. It has an id: the client's, or a new one.
Expected<Request, Response> head_of(const boost::beast::http::request<boost::beast::http::string_body>& message);

// Until when the client waits, by its Request-Timeout; nothing if it does not say. Or why that is refused.
Expected<std::optional<std::chrono::steady_clock::time_point>, Response> deadline_of(const Request& head);

}  // namespace flowfabric::server
