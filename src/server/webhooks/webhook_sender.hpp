#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "flowfabric/engine.hpp"

namespace flowfabric::server {

// Sends events to the webhooks of a store, each by one server at a time.
//
// Life cycle: the constructor starts the threads; stop(), or the destructor, ends requests under way, lets other
// servers take over, and joins.
// Threads: one does all the I/O, a coroutine for each webhook; what blocks on the store runs on a small pool.
class WebhookSender {
  public:
    // Told of each request, on the thread that does the I/O.
    using Observer = std::function<void(const std::string& webhook, WebhookReport::Outcome outcome)>;

    WebhookSender(Engine& engine, Observer observe,
                  std::chrono::milliseconds between_reports = std::chrono::seconds(10));
    ~WebhookSender();
    WebhookSender(const WebhookSender&) = delete;
    WebhookSender& operator=(const WebhookSender&) = delete;

    void stop();

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace flowfabric::server
