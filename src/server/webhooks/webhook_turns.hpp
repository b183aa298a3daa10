#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "flowfabric/engine.hpp"
#include "server/webhooks/webhook_request.hpp"
#include "server/webhooks/webhook_sender.hpp"

namespace flowfabric::server {

// What all webhooks of a server share.
struct WebhookSetting {
    Engine& engine;
    boost::asio::io_context& io;
    boost::asio::thread_pool& pool;
    std::string owner;
    WebhookSender::Observer observe;
    std::chrono::milliseconds between_reports;
    bool stopping = false;  // of the I/O thread

    // Runs on the pool what blocks on the store.
    template <class Job>
    boost::asio::awaitable<std::invoke_result_t<Job>> on_pool(Job job) {
        std::optional<std::invoke_result_t<Job>> result;
        const auto run = [&]() -> boost::asio::awaitable<void> {
            result.emplace(job());
            co_return;
        };
        co_await boost::asio::co_spawn(pool.get_executor(), run, boost::asio::use_awaitable);
        co_return *std::move(result);
    }
};

// One server's turns at one webhook: takes events from its subscription, sends them, and reports after each request.
// A report is also what keeps the webhook and what tells of changes to it, so one follows the other within seconds,
// whatever events come and whether or not they are wanted.
//
// Threads: the one that runs the io_context, but for ring().
class WebhookTurns {
  public:
    WebhookTurns(WebhookSetting& setting, OpenWebhook webhook);
    ~WebhookTurns();
    WebhookTurns(const WebhookTurns&) = delete;
    WebhookTurns& operator=(const WebhookTurns&) = delete;

    // Until the webhook is no longer this server's, or the subscription ends.
    boost::asio::awaitable<void> run();
    // Ends whatever run() waits for; the setting says that the server stops.
    void interrupt();

  private:
    using Clock = std::chrono::steady_clock;

    // Tells of new events, from any thread, for as long as there are turns to tell.
    struct Bell {
        std::mutex mutex;  // guards ring
        std::function<void()> ring;
    };

    boost::asio::awaitable<bool> follow();
    boost::asio::awaitable<void> send_events();
    boost::asio::awaitable<void> redeliver();
    boost::asio::awaitable<void> rest(Clock::time_point until);
    bool goes_on() const { return work_ && !setting_.stopping; }
    bool is_report_due() const { return Clock::now() >= next_report_; }
    boost::asio::awaitable<WebhookReply> post(std::string body, bool is_list);
    boost::asio::awaitable<void> report(WebhookReport report);
    boost::asio::awaitable<void> keep();
    void go_on_with(std::optional<WebhookWork> work);
    bool collect();
    std::int64_t position() const;
    void note(const WebhookReply& reply);

    WebhookSetting& setting_;
    const OpenWebhook webhook_;
    std::optional<WebhookWork> work_;  // nothing: the turns are over
    Clock::time_point next_report_;
    std::unique_ptr<remote::PostAddress> address_;
    std::unique_ptr<Subscription> subscription_;
    std::deque<Event> pending_;  // read and not dealt with
    std::size_t singly_ = 0;     // of those: how many are sent by themselves, for one of them was refused
    boost::asio::steady_timer timer_;
    bool rung_ = false;
    bool failing_ = false;  // as was logged
    const std::shared_ptr<Bell> bell_ = std::make_shared<Bell>();
};

}  // namespace flowfabric::server
