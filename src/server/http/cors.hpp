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

// Whether a page of another origin sends the request that the rules do not allow; without rules none is. Browsers send
// some requests without asking first and only keep the answer from the page; of those that name no origin they say
// whether it is another.
bool is_foreign(const std::optional<CorsRules>& rules, const Request& head);

// Whether the request asks for this machine by one of its own names. A page whose host's address was changed to this
// machine's, behind the browser's back, asks for that host.
bool names_loopback(const Request& head);

}  // namespace flowfabric::server
