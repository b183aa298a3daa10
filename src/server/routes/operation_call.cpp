#include "server/routes/operation_call.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <utility>

#include <boost/beast/core/string.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "api/json_text.hpp"

namespace flowfabric::server {
namespace {

namespace json = boost::json;

// Deeper documents are refused by the parser.
constexpr std::size_t max_depth = 64;

constexpr std::size_t small_body = 65'536;

bool is_json(const Request& request) {
    auto type = request.headers.find("content-type").value_or("");
    type = type.substr(0, type.find(';'));
    while (type.ends_with(' ') || type.ends_with('\t')) type.remove_suffix(1);
    return boost::beast::iequals(type, "application/json");
}

api::Problem malformed(unsigned status, std::string reason) {
    return {.status = status,
            .error = "invalid JSON: " + std::move(reason),
            .kind = "invalid_json",
            .retryable = std::nullopt,
            .details = {}};
}

}  // namespace

api::OrProblem<json::object> body_of(const Request& request) {
    if (request.body.empty()) return json::object{};
    if (!is_json(request)) return malformed(415, "the content type must be application/json");
    json::parse_options options;
    options.max_depth = max_depth;
    boost::system::error_code failure;
    json::value value = json::parse(request.body, failure, {}, options);
    if (failure) return malformed(400, failure.message());
    if (!value.is_object()) return malformed(422, "the body must be an object");
    return std::move(value.get_object());
}

api::RequestParts parts_of(const Request& request) {
    const auto header = [&](std::string_view name) {
        const auto value = request.headers.find(name);
        return value ? std::optional<std::string>(*value) : std::nullopt;
    };
    return {.places = request.places,
            .query = request.query,
            .idempotency_key = header("idempotency-key"),
            .traceparent = header("traceparent"),
            .tracestate = header("tracestate")};
}

Asker asker_of(const Request& request) {
    return {
        .caller = request.caller, .request_id = request.request_id, .gone = request.gone, .deadline = request.deadline};
}

Response response_of(const api::Problem& problem) {
    return {.status = problem.status, .problem = problem};
}

Response response_of(api::SentAnswer answer) {
    Response response{.status = answer.status};
    if (answer.bytes) {
        response.body = *std::move(answer.bytes);
        response.content_type = "application/octet-stream";
    } else {
        response.body = api::json_text(answer.body);
    }
    for (auto& [name, value] : answer.headers) response.headers.add(std::move(name), std::move(value));
    return response;
}

json::object problem_item(const api::Problem& problem) {
    json::object body = api::to_json(problem);
    body["status"] = problem.status;
    return {{"problem", std::move(body)}};
}

Handler beside_io(std::shared_ptr<BlockingPool> pool, Handler handler) {
    return [pool = std::move(pool), handler = std::move(handler)](Request request, const Responder& responder) {
        if (request.body.size() <= small_body) return handler(std::move(request), responder);
        pool->post(
            [handler, request = std::move(request), responder]() mutable { handler(std::move(request), responder); });
    };
}

void keep_open(const Responder& responder) {
    responder.fill_silence(" ", std::chrono::seconds(15));
}

std::chrono::milliseconds wait_within(const std::optional<std::chrono::steady_clock::time_point>& deadline,
                                      std::chrono::milliseconds wanted) {
    using std::chrono::milliseconds;
    if (!deadline) return wanted;
    const auto left = std::chrono::duration_cast<milliseconds>(*deadline - std::chrono::steady_clock::now());
    const auto for_the_answer = std::min(left / 4, milliseconds(100));
    return std::clamp(left - for_the_answer, milliseconds(0), wanted);
}

namespace {

void shorten(std::uint64_t& wait_ms, const std::optional<std::chrono::steady_clock::time_point>& deadline) {
    if (!deadline) return;
    const auto wanted = std::min<std::uint64_t>(wait_ms, std::numeric_limits<std::int64_t>::max());
    const auto wait = wait_within(deadline, std::chrono::milliseconds(static_cast<std::int64_t>(wanted)));
    wait_ms = static_cast<std::uint64_t>(wait.count());
}

}  // namespace

void end_with(const Asker& asker, std::variant<Commands, Queries>& asked) {
    auto* command = std::get_if<Commands>(&asked);
    if (command == nullptr) return;
    const auto bound = [&asker](auto& one) {
        if constexpr (requires { one.max_wait_ms; }) shorten(one.max_wait_ms, asker.deadline);
        if constexpr (requires { one.block_ms; }) shorten(one.block_ms, asker.deadline);
        if constexpr (requires { one.withdrawn; }) {
            one.withdrawn = [gone = asker.gone] { return gone.stop_requested(); };
        }
    };
    std::visit(bound, *command);
}

bool overrides_lease(const std::variant<Commands, Queries>& asked) {
    const auto* command = std::get_if<Commands>(&asked);
    return command != nullptr && std::visit(
                                     [](const auto& one) {
                                         if constexpr (requires { Source(one.source); }) {
                                             return one.source == Source::operator_override;
                                         }
                                         return false;
                                     },
                                     *command);
}

void ask(std::variant<Commands, Queries> asked, Client& client, BlockingPool& pool, const std::stop_token& gone,
         Client::Reply then) {
    if (auto* command = std::get_if<Commands>(&asked)) {
        client.submit_any(std::move(*command), std::move(then), Client::AnswerOn::executor);
        return;
    }
    pool.post([&client, query = std::get<Queries>(std::move(asked)), gone, then = std::move(then)]() mutable {
        if (gone.stop_requested()) {
            return then(EngineError{
                .kind = ErrorKind::unavailable, .detail = "the client has gone", .not_active = std::nullopt});
        }
        then(client.read_any(std::move(query)));
    });
}

}  // namespace flowfabric::server
