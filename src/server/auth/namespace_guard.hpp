#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

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
    struct BareUuid {
        Uuid uuid;
        std::string to_string() const { return uuid.to_string(); }
    };
    struct WebhookName {
        std::string name;
        std::string to_string() const { return name; }
    };
    using Id = std::variant<ExecutionId, BareUuid, FlowId, BulkOperationId, WebhookName>;

    api::OrProblem<boost::json::object> held(const Caller& caller, const api::Route& route,
                                             boost::json::object request);
    std::optional<api::Problem> check(const Caller& caller, const api::Belonging& belonging,
                                      boost::json::object& holder, std::string_view name);
    static std::optional<Id> id_in(api::Belonging::To to, const boost::json::object& holder, std::string_view name);
    static ErrorKind not_found_of(const Id& id);
    std::optional<api::Problem> check_id(const Caller& caller, const Id& id, bool may_be_new);
    // Those of all that have the id, none for one that is not there. What belongs to no namespace has an empty one,
    // which no caller reaches.
    using Namespaces = std::vector<std::string>;
    Result<Namespaces> namespaces_of(const Id& id);
    Result<Namespaces> look_up(const Id& id);
    Result<Namespaces> find(const Uuid& uuid);

    Client& client_;
    const std::shared_ptr<BlockingPool> pool_;

    std::mutex mutex_;                                    // guards everything below
    std::unordered_map<std::string, std::string> known_;  // of executions and flows
    std::chrono::steady_clock::time_point known_since_;
};

}  // namespace flowfabric::server
