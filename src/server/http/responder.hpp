#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "server/http/message.hpp"

namespace flowfabric::server {

class Exchange;

// The body of an answer that is sent in parts. Any thread may call it; copies share one body, which ends with the last
// of them.
class BodyStream {
  public:
    explicit BodyStream(std::shared_ptr<Exchange> exchange);

    // Tells how many bytes wait to be sent, this part included. A client that has gone takes none.
    std::size_t write(std::string part);
    // Calls back once, from a thread of the server's, when nothing waits any more or the client has gone; at once if
    // that is so already.
    void when_drained(std::function<void()> ready);
    void end();

  private:
    class Open;
    std::shared_ptr<Open> open_;
};

// The way back to one client. It answers at once or later, from any thread, once: with a whole response, or with a
// head whose body follows in parts. A responder that is destroyed without an answer answers with 500.
class Responder {
  public:
    explicit Responder(std::shared_ptr<Exchange> exchange);

    void respond(Response response) const;
    // False: it is not sent, since another answer came first or the client has gone.
    bool try_respond(Response response) const;
    // What to answer when the server begins to end (Request::ending) and there is no answer yet. Called by the handler.
    void respond_at(const std::stop_token& ending, Response early) const;
    // The head, with what its body has already.
    BodyStream stream(Response head) const;
    // Has the connection send `filler` each time nothing was sent for `every`, so that no proxy takes it for dead. If
    // the answer is still owed, its head goes out with the first filler as that of a 200 in JSON, and of the response
    // that comes later only the body counts.
    void fill_silence(std::string filler, std::chrono::milliseconds every) const;

  private:
    class Pending;
    std::shared_ptr<Pending> pending_;
};

// Runs on the server's thread and must not block: what takes long answers later.
using Handler = std::function<void(Request, Responder)>;

}  // namespace flowfabric::server
