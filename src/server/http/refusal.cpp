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

Response deadline_passed(std::string_view outcome) {
    Response response{.status = 504};
    response.problem =
        api::refused(504, name_of(ErrorKind::timeout), "Request-Timeout is over; " + std::string(outcome));
    return response;
}

Response body_too_large(std::size_t limit, std::string_view route) {
    Response response = refusal(413, "payload_too_large");
    response.problem->more = {{"limit_bytes", limit}, {"route", route}};
    return response;
}

}  // namespace flowfabric::server
