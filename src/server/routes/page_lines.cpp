#include "server/routes/page_lines.hpp"

#include <utility>

#include "api/json_text.hpp"
#include "server/routes/operation_call.hpp"

namespace flowfabric::server {
namespace {

namespace json = boost::json;

constexpr std::string_view cursor_field = "next_cursor";

std::string lines_of(const json::object& page, std::string_view items) {
    std::string lines;
    for (const json::value& item : page.at(items).as_array()) lines += api::json_text(item) + '\n';
    return lines + api::json_text(json::object{{cursor_field, page.at(cursor_field)}}) + '\n';
}

}  // namespace

void PageLines::ask(const std::optional<std::string>& cursor) {
    source_.ask(cursor,
                [self = shared_from_this()](api::OrProblem<api::SentAnswer> page) { self->take(std::move(page)); });
}

void PageLines::take(api::OrProblem<api::SentAnswer> page) {
    if (!page) return fail(page.error());
    const json::object& object = page->body.as_object();
    if (!body_) {
        body_ = responder_.stream({.status = 200,
                                   .body = "",
                                   .content_type = "application/x-ndjson",
                                   .headers = {{"Cache-Control", "no-store"}}});
    }
    body_->write(lines_of(object, source_.items));
    const json::value& next = object.at(cursor_field);
    const bool goes_on = !next.is_null() && !gone_.stop_requested() && !ending_.stop_requested() && source_.goes_on();
    if (!goes_on) return body_->end();
    body_->when_drained([self = shared_from_this(), cursor = std::string(next.as_string())] {
        if (self->gone_.stop_requested()) return self->body_->end();
        self->ask(cursor);
    });
}

// A client that has some lines is told in one more.
void PageLines::fail(const api::Problem& problem) {
    if (!body_) return responder_.respond(response_of(problem));
    body_->write(api::json_text(problem_item(problem)) + '\n');
    body_->end();
}

}  // namespace flowfabric::server
