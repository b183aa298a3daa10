#pragma once

#include "server/metrics/registry.hpp"
#include "server/webhooks/webhook_sender.hpp"

namespace flowfabric::server {

// Counts requests to webhooks by what came of them.
WebhookSender::Observer webhook_metrics(Metrics& metrics);

}  // namespace flowfabric::server
