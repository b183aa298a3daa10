#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include <boost/json/object.hpp>

#include "api/routes/request_form.hpp"
#include "api/routes/route.hpp"
#include "flowfabric/engine.hpp"
#include "server/auth/gatekeeper.hpp"
#include "server/auth/namespace_guard.hpp"
#include "server/auth/token_book.hpp"
#include "server/blocking_pool.hpp"

namespace flowfabric::server {

using Outcome = std::function<void(api::OrProblem<api::SentAnswer>)>;

// On whose behalf an operation runs.
struct Asker {
    std::shared_ptr<const Caller> caller;  // null: no token is asked for
    std::string request_id;
    std::stop_token gone;  // stop is requested when it has left, or waits no longer
    std::optional<std::chrono::steady_clock::time_point> deadline = {};  // until when it waits
};

// Who may do what on this server, and the record of what operators did. The engine outlives it until stop().
class Access : public std::enable_shared_from_this<Access> {
  public:
    static Result<std::shared_ptr<Access>> open(Engine& engine, std::shared_ptr<BlockingPool> pool,
                                                std::optional<std::string> api_token);

    // Refuses to let others than this machine's users in without a token, unless told to; warns where none is needed.
    Result<void> check_exposure(const std::string& address, bool allow_unauthenticated) const;
    // Whether callers need one.
    bool asks_for_token() const { return book_->current()->required(); }
    // Whether a request of the caller would still be let in; null: one without a token.
    bool accepts(const Caller* caller) const { return book_->current()->accept(caller); }
    std::optional<Response> gate(Request& head, const RouteInfo* route) { return gatekeeper_(head, route); }
    NamespaceGuard& namespaces() { return namespaces_; }

    // The outcome is told when it is recorded, and when this server keeps to what it changed.
    Outcome recorded(const api::Route& route, const boost::json::object& request, const Asker& asker, Outcome then);
    void stop() { book_->stop(); }

  private:
    Access(Engine& engine, std::unique_ptr<TokenBook> book, std::shared_ptr<BlockingPool> pool)
        : engine_(engine), book_(std::move(book)), gatekeeper_(*book_), namespaces_(engine, std::move(pool)) {}

    Engine& engine_;
    const std::unique_ptr<TokenBook> book_;
    Gatekeeper gatekeeper_;
    NamespaceGuard namespaces_;
};

}  // namespace flowfabric::server
