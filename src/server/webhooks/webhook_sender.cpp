#include "server/webhooks/webhook_sender.hpp"

#include <exception>
#include <map>
#include <random>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>

#include "runtime/log.hpp"
#include "runtime/threads/guard.hpp"
#include "server/webhooks/webhook_turns.hpp"

namespace flowfabric::server {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::seconds between_looks{1};
constexpr std::size_t store_threads = 4;

std::string new_owner() {
    std::random_device random;
    return fmt::format("server-{:08x}{:08x}", random(), random());
}

}  // namespace

class WebhookSender::Impl {
  public:
    Impl(Engine& engine, Observer observe, std::chrono::milliseconds between_reports)
        : pool_(store_threads),
          setting_{.engine = engine,
                   .io = io_,
                   .pool = pool_,
                   .owner = new_owner(),
                   .observe = std::move(observe),
                   .between_reports = between_reports} {
        asio::co_spawn(io_, look(), asio::detached);
        thread_ = std::thread([this] { contain("sending to webhooks broke", [this] { io_.run(); }); });
    }

    // Requests under way are cut off: what was not reported is sent again, here or elsewhere.
    void stop() {
        if (!thread_.joinable()) return;
        asio::post(io_, [this] {
            setting_.stopping = true;
            timer_.cancel();
            for (const auto& [name, turns] : sent_) turns->interrupt();
        });
        thread_.join();
        pool_.join();
    }

  private:
    asio::awaitable<void> look() {
        while (!setting_.stopping) {
            const auto read = [this] { return setting_.engine.open_webhooks(setting_.owner); };
            const auto open = co_await setting_.on_pool(read);
            if (!open && !std::exchange(looks_fail_, true)) {
                log_warning("webhooks cannot be read: " + to_string(open.error()));
            }
            if (open) {
                looks_fail_ = false;
                for (const OpenWebhook& webhook : *open) {
                    if (!sent_.contains(webhook.name)) asio::co_spawn(io_, send(webhook), asio::detached);
                }
            }
            if (setting_.stopping) co_return;
            timer_.expires_after(between_looks);
            boost::system::error_code ended;
            co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, ended));
        }
    }

    asio::awaitable<void> send(OpenWebhook webhook) {
        WebhookTurns turns(setting_, webhook);
        sent_.emplace(webhook.name, &turns);
        try {
            co_await turns.run();
        } catch (const std::exception& broken) {
            log_error(fmt::format("webhook {} broke: {}", webhook.name, broken.what()));
        }
        const auto release = [this, &webhook] { return setting_.engine.release_webhook(webhook, setting_.owner); };
        const auto released = co_await setting_.on_pool(release);
        if (!released) log_warning(fmt::format("webhook {}: {}", webhook.name, to_string(released.error())));
        // Not before: the release would hit the next turns of this server.
        sent_.erase(webhook.name);
    }

    asio::io_context io_;
    asio::thread_pool pool_;
    WebhookSetting setting_;
    asio::steady_timer timer_{io_};
    std::map<std::string, WebhookTurns*> sent_;  // by this server; of the I/O thread
    bool looks_fail_ = false;
    std::thread thread_;
};

WebhookSender::WebhookSender(Engine& engine, Observer observe, std::chrono::milliseconds between_reports)
    : impl_(std::make_unique<Impl>(engine, std::move(observe), between_reports)) {}

WebhookSender::~WebhookSender() {
    stop();
}

void WebhookSender::stop() {
    impl_->stop();
}

}  // namespace flowfabric::server
