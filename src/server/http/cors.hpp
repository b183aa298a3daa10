#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/result.hpp"
#include "server/http/message.hpp"

// Which pages of other origins may call the server.
namespace flowfabric::server {

struct CorsRules {
    bool any = false;
    std::vector<std::string> origins = {};
    std::vector<std::string> unreadable = {};  // what was given and is no origin
};

// Origins separated by commas, or *. Fails if none can be read.
Result<CorsRules> cors_rules(std::string_view origins);

// The answer to a preflight; nothing for any other request. `with_token`: requests carry an Authorization header.
std::optional<Response> preflight_answer(const CorsRules& rules, const Request& head, bool with_token);

// What every answer to the request says about them.
Headers cors_headers(const CorsRules& rules, const Request& head);

}  // namespace flowfabric::server
