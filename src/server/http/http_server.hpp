#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "flowfabric/result.hpp"
#include "server/http/cors.hpp"
#include "server/http/observer.hpp"
#include "server/http/router.hpp"
#include "server/http/tls.hpp"

// HTTP/1.1 behind plain structs.
//
// Life cycle: start() binds and listens; drain() ends it gently; stop(), or the destructor, closes every connection and
// joins.
// Threads: one does all the I/O and calls the gate and the handlers, which must not block; answers come from any
// thread. Stopping: handlers that still owe an answer are told so (Request::gone); later answers are dropped.
namespace flowfabric::server {

struct HttpOptions {
    std::string address = "127.0.0.1";
    std::uint16_t port = 9090;  // 0: any free one
    std::size_t max_header_bytes = 16'384;
    std::chrono::milliseconds timeout{30'000};  // for one request to arrive, and for each part of an answer to leave
    // Beyond it the connection that has been waiting for a request the longest is closed, and if none is, the new one
    // is answered with 503. 0: as many as the process's limit of descriptors leaves beside a reserve for the store.
    std::size_t max_connections = 0;
    // Of the bodies of all requests under way; one that finds no room is answered with 503.
    std::size_t max_body_bytes = std::size_t{256} * 1024 * 1024;
    TlsFiles tls = {};
    std::optional<CorsRules> cors = {};  // none: pages of the same origin only
};

// What is served.
struct Service {
    Router router;
    Gate gate = {};                             // none: every request may pass
    std::function<bool()> asks_for_token = {};  // whether requests carry one; none: they do not
    Observer observe = {};
    std::function<void(std::size_t)> count_connections = {};  // told whenever their number changes
};

// Whether no other machine reaches a server that listens there.
bool is_loopback(const std::string& address);

class HttpServer {
  public:
    static Result<std::unique_ptr<HttpServer>> start(const HttpOptions& options, Service service);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    std::uint16_t port() const;
    // Takes no more work: new requests are refused, but for those of open routes; what waits is told (Request::ending),
    // and what is under way has time until the deadline. Whether all of it is over.
    bool drain(std::chrono::milliseconds deadline);
    void stop();

  private:
    class Impl;
    explicit HttpServer(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace flowfabric::server
