#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "cli/common_options.hpp"
#include "cli/store_location.hpp"
#include "flowfabric/client.hpp"
#include "flowfabric/subscription.hpp"

// What a command talks to: a server, or an engine of its own on a store.
namespace flowfabric::cli {

// Options win over the environment, and FF_SERVER wins over the environment's store.
struct Place {
    std::string server;  // its URL; empty: the store
    StoreOptions store;

    // For people, without a password.
    std::string shown() const;
};
Place place_of(const CommonOptions& common);

// What is done about a database that does not exist yet.
enum class Missing : bool { refuse, create };

// A command that only calls operations.
Result<std::unique_ptr<Client>> open_client(const CommonOptions& common, Missing missing = Missing::refuse);

// A command that goes on until it is stopped.
class Session {
  public:
    virtual ~Session() = default;
    virtual Client& client() = 0;
    // After the grace, every call fails: see Engine::end_within.
    virtual void end_within(std::chrono::milliseconds grace) = 0;
    virtual Result<std::unique_ptr<Subscription>> subscribe(Channel channel, const SubscribeOptions& options) = 0;
};
// A store's session runs the reconcilers if told to; a server does so itself.
Result<std::unique_ptr<Session>> open_session(const CommonOptions& common, Missing missing, Reconcilers reconcilers);

}  // namespace flowfabric::cli
