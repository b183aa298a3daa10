#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "server/http/message.hpp"

// What the server answers by itself when a request does not reach its handler.
namespace flowfabric::server {

Response refusal(unsigned status, std::string_view kind);
// 503 of a server that is ending: this one will not take the request any more, another may.
Response draining();
// 504: the time that the client gives the request is over. `outcome` says what has come of it.
Response deadline_passed(std::string_view outcome);
// 413; the route is a template.
Response body_too_large(std::size_t limit, std::string_view route);

}  // namespace flowfabric::server
