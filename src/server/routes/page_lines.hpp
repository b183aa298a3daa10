#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "server/auth/access.hpp"
#include "server/http/responder.hpp"

namespace flowfabric::server {

// Sends all pages of a list as lines of JSON, one page at a time: the next is asked for when the client has taken the
// last. So no more than a page is held, whatever the list is long, and each page ends with the cursor by which a client
// goes on that was cut off.
//
// Threads: one step follows the other, each on whichever thread brings what it waits for.
class PageLines : public std::enable_shared_from_this<PageLines> {
  public:
    struct Source {
        std::string_view items;  // the list's field in a page
        // Asks for the page behind the cursor, as its route sends it; nothing: for the first.
        std::function<void(const std::optional<std::string>& cursor, Outcome then)> ask;
        std::function<bool()> goes_on;  // whether the caller is still let in
    };

    PageLines(Source source, const Request& request, Responder responder)
        : source_(std::move(source)), gone_(request.gone), ending_(request.ending), responder_(std::move(responder)) {}

    void ask(const std::optional<std::string>& cursor);

  private:
    void take(api::OrProblem<api::SentAnswer> page);
    void fail(const api::Problem& problem);

    const Source source_;
    const std::stop_token gone_;
    const std::stop_token ending_;
    const Responder responder_;
    std::optional<BodyStream> body_;  // once there is a page
};

}  // namespace flowfabric::server
