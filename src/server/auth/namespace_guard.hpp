#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>

#include <boost/json/object.hpp>

#include "api/routes/request_form.hpp"
#include "api/routes/route.hpp"
#include "flowfabric/client.hpp"
#include "flowfabric/token.hpp"
#include "server/blocking_pool.hpp"

namespace flowfabric::server {

// Keeps callers to the namespaces of their tokens: what belongs to another is to them as if it were not there.
//
// Any thread may call it; it asks the store on the pool. The client outlives it.
class NamespaceGuard {
  public:
    NamespaceGuard(Client& client, std::shared_ptr<BlockingPool> pool) : client_(client), pool_(std::move(pool)) {}

    using Then = std::function<void(api::OrProblem<boost::json::object>)>;
    // Gives the request as the caller may ask it, with the namespace where it left that out, or the refusal. The route
    // says what the request names. `then` runs on the pool.
    void hold(std::shared_ptr<const Caller> caller, const api::Route& route, boost::json::object request, Then then);

  private:
    using Id = std::variant<ExecutionId, FlowId>;

    api::OrProblem<boost::json::object> held(const Caller& caller, const api::Route& route,
                                             boost::json::object request);
    std::optional<api::Problem> check(const Caller& caller, const api::Belonging& belonging,
                                      boost::json::object& holder, std::string_view name);
    std::optional<api::Problem> check_id(const Caller& caller, const Id& id, bool may_be_new);
    // Nothing for an id that is not there.
    Result<std::optional<std::string>> namespace_of(const Id& id);
    Result<std::optional<std::string>> look_up(const Id& id);

    Client& client_;
    const std::shared_ptr<BlockingPool> pool_;

    std::mutex mutex_;  // guards everything below
    std::unordered_map<std::string, std::string> known_;
    std::chrono::steady_clock::time_point known_since_;
};

}  // namespace flowfabric::server
