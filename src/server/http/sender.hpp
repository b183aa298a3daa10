#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "server/http/message.hpp"
#include "server/http/problem_body.hpp"
#include "server/http/wire.hpp"

namespace flowfabric::server {

// How an answer is framed.
struct Framing {
    unsigned version = 11;
    bool keep_alive = false;
    bool head = false;     // the client wants no body
    Headers headers = {};  // beside those of the answer
    ProblemForm problems = {};

    bool chunked() const { return version >= 11; }
};

// Writes answers to a client, each piece within the timeout. False: the client does not take it.
class Sender {
  public:
    Sender(Wire& wire, std::chrono::milliseconds timeout) : wire_(wire), timeout_(timeout) {}

    boost::asio::awaitable<bool> send_continue();
    boost::asio::awaitable<bool> send_whole(Response response, const Framing& framing);
    boost::asio::awaitable<bool> send_head(Response head, const Framing& framing);
    boost::asio::awaitable<bool> send_part(const std::string& part, bool last, const Framing& framing);

    // Of the last answer.
    unsigned status() const { return status_; }
    std::size_t bytes() const { return bytes_; }
    void forget() { status_ = 0, bytes_ = 0; }

  private:
    Wire& wire_;
    const std::chrono::milliseconds timeout_;
    unsigned status_ = 0;  // 0: its head was not sent
    std::size_t bytes_ = 0;
};

}  // namespace flowfabric::server
