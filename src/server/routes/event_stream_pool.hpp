#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include <boost/json/object.hpp>

#include "api/routes/route.hpp"
#include "flowfabric/engine.hpp"
#include "server/auth/access.hpp"
#include "server/blocking_pool.hpp"
#include "server/http/responder.hpp"
#include "server/routes/event_stream.hpp"

namespace flowfabric::server {

// All event streams of a server, with the threads that they share: those of a pool, which open, read and write, and one
// that looks for streams which have been silent for long, or whose callers are no longer let in.
//
// Life cycle: the constructor starts the threads; the destructor runs what is queued and joins. By then every client
// has gone. The engine outlives it.
class EventStreamPool {
  public:
    // Runs on the pool, and may read the store.
    using OpenSource = std::function<Result<std::unique_ptr<MessageSource>>()>;

    EventStreamPool(Engine& engine, std::shared_ptr<Access> access);

    Engine& engine() { return engine_; }

    // Calls `then` with what is asked for as the caller may follow it, or answers with the refusal. The route says what
    // belongs to a namespace.
    void for_caller(const Request& request, const api::Route& route, boost::json::object asked,
                    const Responder& responder, std::function<void(boost::json::object)> then);
    void open(OpenSource open_source, std::optional<DurableConsumer> consumer, const Request& request,
              const Responder& responder);

  private:
    void look(const std::stop_token& stop);

    Engine& engine_;
    const std::shared_ptr<Access> access_;
    std::mutex mutex_;  // guards streams_
    std::condition_variable_any stopping_;
    std::vector<std::weak_ptr<EventStream>> streams_;
    BlockingPool pool_;
    std::jthread looking_;
};

}  // namespace flowfabric::server
