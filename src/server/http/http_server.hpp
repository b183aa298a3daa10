#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "flowfabric/result.hpp"
#include "server/http/responder.hpp"

// HTTP/1.1 behind plain structs.
//
// Life cycle: start() binds and listens; stop(), or the destructor, closes every connection and joins.
// Threads: one does all the I/O and calls the handler, which must not block; answers come from any thread.
// Stopping: handlers that still owe an answer are told so (Request::gone); later answers are dropped.
namespace flowfabric::server {

struct HttpOptions {
    std::string address = "127.0.0.1";
    std::uint16_t port = 8080;  // 0: any free one
    std::size_t max_header_bytes = 16'384;
    std::size_t max_body_bytes = 1'048'576;
    std::chrono::seconds timeout{30};  // for one request to arrive, and for each part of an answer to leave
    // Beyond it the connection that has been waiting for a request the longest is closed, and if none is, the new one
    // is answered with 503. 0: as many as the process's limit of descriptors leaves beside a reserve for the store.
    std::size_t max_connections = 0;
};

class HttpServer {
  public:
    static Result<std::unique_ptr<HttpServer>> start(const HttpOptions& options, Handler handler);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    std::uint16_t port() const;
    void stop();

  private:
    class Impl;
    explicit HttpServer(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace flowfabric::server
