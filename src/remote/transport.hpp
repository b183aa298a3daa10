#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ssl/context.hpp>

#include "remote/connection.hpp"
#include "remote/remote_client.hpp"
#include "remote/server_url.hpp"

namespace flowfabric::remote {

// How requests are made to one server: where it is, what proves the caller's rights, how long each step may take.
class Transport {
  public:
    static Result<Transport> make(RemoteOptions options);

    const ServerUrl& url() const { return *url_; }
    boost::asio::ssl::context* tls() const { return tls_.get(); }

    // Nothing, or why the server cannot be reached.
    boost::asio::awaitable<std::optional<EngineError>> open(Connection& connection) const;

    struct Answer {
        unsigned status = 0;
        std::string body;
        bool keep = false;                 // the connection may be used again
        std::optional<EngineError> error;  // instead of an answer
        bool may_repeat = false;           // with an error: the request can do nothing twice
    };
    // Sends JSON to the target, below the URL's base, and reads the answer. A request that changes something may be
    // repeated only if nothing of it was sent.
    boost::asio::awaitable<Answer> exchange(Connection& connection, std::string target, std::string body,
                                            std::chrono::milliseconds max_wait, bool changes) const;

    Connection::Request request(boost::beast::http::verb method, const std::string& target) const;
    std::chrono::milliseconds answer_limit() const { return options_.answer_limit; }
    // A connection that broke, for people.
    EngineError lost(const Connection::Error& error) const;

  private:
    Transport(RemoteOptions options, ServerUrl url);

    RemoteOptions options_;
    std::unique_ptr<const ServerUrl> url_;  // connections refer to it, and to the next
    std::unique_ptr<boost::asio::ssl::context> tls_;
};

}  // namespace flowfabric::remote
