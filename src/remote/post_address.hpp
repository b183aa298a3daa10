#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>

#include "flowfabric/result.hpp"
#include "remote/connection.hpp"
#include "remote/server_url.hpp"

namespace flowfabric::remote {

struct PostReply {
    std::string error;    // why no answer came; empty: one did
    unsigned status = 0;  // of the answer
    std::int64_t retry_after_ms = 0;
    std::string body;  // as far as it was read
};

// Where documents are posted to, with a connection that is kept from one request to the next.
//
// Threads: the one that runs the io_context. A request ends within half a minute.
class PostAddress {
  public:
    using Headers = std::vector<std::pair<std::string, std::string>>;

    static Result<std::unique_ptr<PostAddress>> of(boost::asio::io_context& io, const std::string& url);

    const std::string& url() const { return text_; }
    // GCC 12 destroys temporaries of an awaited call twice (GCC bug 98401 and its kin): the arguments have names.
    boost::asio::awaitable<PostReply> post(const Headers& headers, const std::string& content_type,
                                           const std::string& body);
    // A request that is under way fails.
    void close() { connection_.close(); }

  private:
    PostAddress(boost::asio::io_context& io, std::string text, ServerUrl server, std::string target,
                std::unique_ptr<boost::asio::ssl::context> tls);

    const std::string text_;
    const ServerUrl server_;
    const std::string target_;
    const std::unique_ptr<boost::asio::ssl::context> tls_;
    Connection connection_;
};

}  // namespace flowfabric::remote
