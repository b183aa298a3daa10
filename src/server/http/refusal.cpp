#include "server/http/refusal.hpp"

namespace flowfabric::server {

Response refusal(unsigned status, std::string_view kind) {
    return {.status = status, .problem = api::refused(status, kind)};
}

Response draining() {
    Response response = refusal(503, "unavailable");
    response.problem->error = "unavailable: the server is draining";
    response.problem->retryable = false;
    return response;
}

Response body_too_large(std::size_t limit, std::string_view route) {
    Response response = refusal(413, "payload_too_large");
    response.problem->more = {{"limit_bytes", limit}, {"route", route}};
    return response;
}

}  // namespace flowfabric::server
