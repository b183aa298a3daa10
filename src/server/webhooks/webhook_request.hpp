#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>

#include "flowfabric/webhook.hpp"
#include "remote/connection.hpp"
#include "remote/server_url.hpp"

namespace flowfabric::server {

struct WebhookRequest {
    std::string webhook;
    std::string content_type;
    std::string body;
    std::vector<Bytes> secrets;
    std::int64_t timestamp_s = 0;
};

struct WebhookReply {
    WebhookReport::Outcome outcome = WebhookReport::Outcome::failed;
    std::string error;  // unless it was delivered
    std::int64_t retry_after_ms = 0;
};

// Where a webhook's events go, with a connection that is kept from one request to the next.
//
// Threads: the one that runs the io_context. A request ends within half a minute.
class WebhookAddress {
  public:
    static Result<std::unique_ptr<WebhookAddress>> of(boost::asio::io_context& io, const std::string& url);

    const std::string& url() const { return text_; }
    boost::asio::awaitable<WebhookReply> post(const WebhookRequest& request);
    // A request that is under way fails.
    void close() { connection_.close(); }

  private:
    WebhookAddress(boost::asio::io_context& io, std::string text, remote::ServerUrl server, std::string target,
                   std::unique_ptr<boost::asio::ssl::context> tls);

    const std::string text_;
    const remote::ServerUrl server_;
    const std::string target_;
    const std::unique_ptr<boost::asio::ssl::context> tls_;
    remote::Connection connection_;
};

// What a status tells of the request.
WebhookReport::Outcome webhook_outcome(unsigned status);

}  // namespace flowfabric::server
