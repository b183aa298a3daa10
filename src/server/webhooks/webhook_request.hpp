#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "flowfabric/webhook.hpp"
#include "remote/post_address.hpp"

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

// Sends it, signed.
boost::asio::awaitable<WebhookReply> post_webhook(remote::PostAddress& address, const WebhookRequest& request);

// What a status tells of the request.
WebhookReport::Outcome webhook_outcome(unsigned status);

}  // namespace flowfabric::server
