#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "flowfabric/client.hpp"
#include "flowfabric/subscription.hpp"

// A Client whose engine is behind a server.
//
// Life cycle: open() connects to nothing yet; the destructor answers what is open with an error and joins.
// Threads: one does all the I/O, another calls completions for the executor. Any thread may call any member.
// Stopping: end_within() ends every wait after a grace.
//
// A read is sent again when a kept connection turns out to be closed. A command is sent again only if nothing of it had
// been sent; when its answer is lost it gets `unknown_outcome`. A server that cannot be reached is a `transport` error.
namespace flowfabric::remote {

struct RemoteOptions {
    std::string url;                   // http(s)://HOST:PORT[/BASE]
    std::optional<std::string> token;  // sent as the bearer's
    std::size_t max_connections = 64;  // calls beyond wait for one that is free
    std::chrono::milliseconds connect_limit{10'000};
    std::chrono::milliseconds answer_limit{60'000};  // beyond what the call itself waits
};

class RemoteClient final : public Client {
  public:
    static Result<std::unique_ptr<RemoteClient>> open(RemoteOptions options);
    ~RemoteClient() override;

    // Returns at once. After the grace every open call fails, and so does every later one.
    void end_within(std::chrono::milliseconds grace);

    // Follows a channel as Engine::subscribe does, one connection for each subscription. A subscription ends with the
    // client.
    Result<std::unique_ptr<Subscription>> subscribe(Channel channel, const SubscribeOptions& options = {});

    void submit_any(Commands command, Reply reply, AnswerOn where) override;
    Result<std::any> read_any(Queries query) override;

    class Impl;
    explicit RemoteClient(std::shared_ptr<Impl> impl);

  private:
    const std::shared_ptr<Impl> impl_;
};

}  // namespace flowfabric::remote
