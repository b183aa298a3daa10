#include "api/routes/tables.hpp"
#include "api/streams/frame_form.hpp"

namespace flowfabric::api {
namespace {

namespace json = boost::json;
using To = Belonging::To;

constexpr std::uint32_t most_frames = 1000;

OrProblem<SentAnswer> frames_in_texts(const json::object&, const std::any& answer) {
    return SentAnswer{.body = page_in_texts(std::any_cast<const StreamPage&>(answer))};
}

Route of_attempt(std::string_view path, std::string_view operation) {
    return {.method = "GET",
            .path = path,
            .operation = operation,
            .scope = Scope::read,
            .belongs_to = {{To::execution, "execution_id"}},
            .id_field = "execution_id"};
}

Route of_frames(std::string_view path, std::string_view operation) {
    Route route = of_attempt(path, operation);
    route.most_items = most_frames;
    route.is_stream_operation = true;
    route.send_raw = frames_in_texts;
    route.sent = page_in_texts_schema;
    return route;
}

}  // namespace

std::vector<Route> stream_routes() {
    Route tail = of_frames("/v1/executions/{id}/attempts/{attempt_index}/stream/tail", "tail_stream");
    tail.waits = true;
    tail.early = R"({"frames":[],"count":0})";
    Route summary = of_attempt("/v1/executions/{id}/attempts/{attempt_index}/summary", "read_stream_summary");
    summary.absent = "stream summary";
    return {
        of_frames("/v1/executions/{id}/attempts/{attempt_index}/stream", "read_stream"),
        std::move(tail),
        std::move(summary),
    };
}

}  // namespace flowfabric::api
