#include "server/webhooks/webhook_turns.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/json/array.hpp>

#include "api/json_text.hpp"
#include "runtime/log.hpp"
#include "server/webhooks/cloud_event.hpp"

namespace flowfabric::server {
namespace {

namespace asio = boost::asio;
using Outcome = WebhookReport::Outcome;
using std::chrono::milliseconds;

constexpr milliseconds nothing_to_wait_for{0};

std::int64_t now_s() {
    using namespace std::chrono;
    return duration_cast<seconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace

WebhookTurns::WebhookTurns(WebhookSetting& setting, OpenWebhook webhook)
    : setting_(setting), webhook_(std::move(webhook)), timer_(setting.io) {
    bell_->ring = [this] {
        asio::post(setting_.io, [this, weak = std::weak_ptr(bell_)] {
            const auto bell = weak.lock();
            if (!bell) return;
            // The turns end on this thread, and say so first.
            const std::scoped_lock lock(bell->mutex);
            if (!bell->ring) return;
            rung_ = true;
            timer_.cancel();
        });
    };
}

WebhookTurns::~WebhookTurns() {
    const std::scoped_lock lock(bell_->mutex);
    bell_->ring = nullptr;
}

void WebhookTurns::interrupt() {
    timer_.cancel();
    if (address_) address_->close();
}

asio::awaitable<void> WebhookTurns::run() {
    const auto take = [this] { return setting_.engine.take_webhook(webhook_, setting_.owner); };
    auto taken = co_await setting_.on_pool(take);
    if (!taken) {
        log_warning(fmt::format("webhook {} cannot be taken: {}", webhook_.name, to_string(taken.error())));
        co_return;
    }
    go_on_with(*std::move(taken));
    if (!work_ || !co_await follow()) co_return;
    while (goes_on()) {
        if (is_report_due()) {
            co_await keep();
            continue;
        }
        if (work_->retry_in_ms > 0) {
            co_await rest(std::min(next_report_, Clock::now() + milliseconds(work_->retry_in_ms)));
            if (goes_on()) co_await keep();
            continue;
        }
        if (work_->redelivering_count > 0) co_await redeliver();
        if (!goes_on() || !collect()) co_return;
        if (!pending_.empty()) {
            co_await send_events();
        } else {
            co_await rest(next_report_);
        }
    }
}

asio::awaitable<bool> WebhookTurns::follow() {
    SubscribeOptions options{.cursor = cursor_at(work_->position), .partition = std::nullopt};
    options.namespace_name = work_->namespace_name;
    const auto subscribe = [this, &options] { return setting_.engine.subscribe(webhook_.channel, options); };
    auto subscription = co_await setting_.on_pool(subscribe);
    if (!subscription) {
        log_warning(fmt::format("webhook {}: {}", webhook_.name, to_string(subscription.error())));
        co_return false;
    }
    subscription_ = *std::move(subscription);
    subscription_->notify([bell = bell_] {
        const std::scoped_lock lock(bell->mutex);
        if (bell->ring) bell->ring();
    });
    co_return true;
}

// Up to the next report: events that are not wanted may come without end. False: the subscription has ended.
bool WebhookTurns::collect() {
    rung_ = false;
    while (pending_.size() < work_->max_batch && !is_report_due()) {
        auto delivery = subscription_->next(nothing_to_wait_for);
        if (!delivery) {
            log_warning(fmt::format("webhook {}: {}", webhook_.name, to_string(delivery.error())));
            return false;
        }
        if (!*delivery) break;
        auto* event = std::get_if<Event>(&**delivery);
        if (event == nullptr) continue;
        const auto& types = work_->types;
        if (types.empty() || std::ranges::find(types, kind_of(*event)) != types.end()) {
            pending_.push_back(std::move(*event));
        }
    }
    return true;
}

// Everything up to it is dealt with.
std::int64_t WebhookTurns::position() const {
    const auto behind = parse_cursor(subscription_->cursor());
    return behind && *behind && pending_.empty() ? **behind : 0;
}

asio::awaitable<void> WebhookTurns::send_events() {
    const bool as_list = work_->max_batch > 1;
    const std::size_t count = singly_ > 0 ? 1 : std::min<std::size_t>(pending_.size(), work_->max_batch);
    boost::json::array messages;
    for (std::size_t i = 0; i < count; ++i) messages.push_back(cloud_event(pending_[i], work_->source));
    const std::string first = api::json_text(messages.front());
    // GCC 12 destroys temporaries of an awaited call twice (GCC bug 98401 and its kin): its arguments have names.
    std::string body = as_list ? api::json_text(messages) : first;
    const WebhookReply reply = co_await post(std::move(body), as_list);
    if (setting_.stopping && reply.outcome != Outcome::delivered) co_return;
    // Which of them is refused, and the others taken, shows one by one.
    if (reply.outcome == Outcome::refused && count > 1) {
        singly_ = count;
        co_return;
    }
    const std::int64_t last = id_of(pending_[count - 1]);
    WebhookReport told{.outcome = reply.outcome, .position = last, .delivered = static_cast<std::uint32_t>(count)};
    told.error = reply.error;
    told.retry_after_ms = reply.retry_after_ms;
    if (reply.outcome == Outcome::refused) told.event = first;
    co_await report(std::move(told));
    // Taken, or set aside: the store says so by where it stands.
    while (work_ && !pending_.empty() && id_of(pending_.front()) <= work_->position) {
        pending_.pop_front();
        if (singly_ > 0) --singly_;
    }
}

asio::awaitable<void> WebhookTurns::redeliver() {
    const auto read = [this] { return setting_.engine.webhook_redeliveries(webhook_); };
    const auto failures = co_await setting_.on_pool(read);
    if (!failures) co_return;
    for (const WebhookFailure& failure : *failures) {
        const bool as_list = work_->max_batch > 1;
        std::string body = as_list ? '[' + failure.event.text + ']' : failure.event.text;
        const WebhookReply reply = co_await post(std::move(body), as_list);
        if (setting_.stopping) co_return;
        WebhookReport told{.outcome = reply.outcome, .position = failure.event_id};
        told.error = reply.error;
        told.redelivery = true;
        co_await report(std::move(told));
        if (!goes_on()) co_return;
    }
}

// Not beyond the next event, unless there is a pause to keep.
asio::awaitable<void> WebhookTurns::rest(Clock::time_point until) {
    const bool keeps_pause = work_->retry_in_ms > 0;
    while (!setting_.stopping && (keeps_pause || !rung_) && Clock::now() < until) {
        timer_.expires_at(until);
        boost::system::error_code ended;
        co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, ended));
    }
}

asio::awaitable<WebhookReply> WebhookTurns::post(std::string body, bool is_list) {
    if (!address_ || address_->url() != work_->url) {
        auto address = remote::PostAddress::of(setting_.io, work_->url);
        if (!address) {
            WebhookReply reply;
            reply.error = address.error().detail;
            co_return reply;
        }
        address_ = *std::move(address);
    }
    const WebhookRequest request{
        .webhook = webhook_.name,
        .content_type = is_list ? "application/cloudevents-batch+json" : "application/cloudevents+json",
        .body = std::move(body),
        .secrets = work_->secrets,
        .timestamp_s = now_s()};
    WebhookReply reply = co_await post_webhook(*address_, request);
    if (!setting_.stopping) note(reply);
    co_return reply;
}

void WebhookTurns::note(const WebhookReply& reply) {
    setting_.observe(webhook_.name, reply.outcome);
    const bool failing = reply.outcome != Outcome::delivered;
    if (std::exchange(failing_, failing) == failing) return;
    if (failing) {
        log_warning(fmt::format("webhook {} does not get its events: {}", webhook_.name, reply.error));
    } else {
        log_info(fmt::format("webhook {} gets its events again", webhook_.name));
    }
}

asio::awaitable<void> WebhookTurns::keep() {
    WebhookReport still_there;
    still_there.position = position();
    co_await report(std::move(still_there));
}

asio::awaitable<void> WebhookTurns::report(WebhookReport told) {
    const auto tell = [this, &told] {
        return setting_.engine.report_webhook(webhook_, setting_.owner, std::move(told));
    };
    auto work = co_await setting_.on_pool(tell);
    if (!work) log_warning(fmt::format("webhook {}: {}", webhook_.name, to_string(work.error())));
    go_on_with(work ? *std::move(work) : std::nullopt);
}

void WebhookTurns::go_on_with(std::optional<WebhookWork> work) {
    work_ = std::move(work);
    next_report_ = Clock::now() + setting_.between_reports;
}

}  // namespace flowfabric::server
