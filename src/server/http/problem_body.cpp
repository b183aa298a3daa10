#include "server/http/problem_body.hpp"

#include <algorithm>
#include <string_view>

#include <boost/beast/core/string.hpp>

#include "api/json_text.hpp"
#include "runtime/log.hpp"

namespace flowfabric::server {
namespace {

constexpr std::string_view problem_json = "application/problem+json";

// Whether one of the comma-separated types, parameters aside, is that.
bool names_type(std::string_view accept, std::string_view type) {
    while (!accept.empty()) {
        std::string_view one = accept.substr(0, accept.find(','));
        accept.remove_prefix(std::min(accept.size(), one.size() + 1));
        one = one.substr(0, one.find(';'));
        while (one.starts_with(' ')) one.remove_prefix(1);
        while (one.ends_with(' ')) one.remove_suffix(1);
        if (boost::beast::iequals(one, type)) return true;
    }
    return false;
}

}  // namespace

ProblemForm problem_form_of(const Request& head) {
    return {.rfc9457 = names_type(head.headers.find("accept").value_or(""), problem_json),
            .request_id = head.request_id};
}

void write_problem(Response& response, const ProblemForm& form) {
    if (!response.problem) return;
    const api::Problem& problem = *response.problem;
    if (!problem.cause.empty()) {
        log_event(LogLevel::error, "a request failed", {{"request_id", form.request_id}, {"cause", problem.cause}});
    }
    response.status = problem.status;
    boost::json::object body = form.rfc9457 ? api::to_problem_json(problem, form.request_id) : api::to_json(problem);
    if (!form.request_id.empty()) body["request_id"] = form.request_id;
    response.body = api::json_text(body);
    response.content_type = form.rfc9457 ? problem_json : "application/json";
    if (problem.status != 429 && problem.status != 503) return;
    response.headers.add("Retry-After", std::to_string(problem.retry_after_s.value_or(1)));
}

}  // namespace flowfabric::server
