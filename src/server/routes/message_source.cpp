#include "server/routes/message_source.hpp"

#include <chrono>
#include <utility>
#include <variant>

#include "api/json_text.hpp"
#include "api/type.hpp"
#include "core/base/hex.hpp"

namespace flowfabric::server {
namespace {

constexpr std::chrono::milliseconds nothing_to_wait_for{0};

Channel channel_of(const Event& event) {
    return static_cast<Channel>(event.index());
}

std::string message_of(const Delivery& delivery, const Bytes& cursor) {
    if (const auto* lost = std::get_if<StreamDisconnected>(&delivery)) {
        return sse_message("notice", std::nullopt, api::to_json(*lost));
    }
    const Event& event = std::get<Event>(delivery);
    return sse_message(to_string(channel_of(event)), cursor,
                       std::visit([](const auto& one) { return api::to_json(one); }, event));
}

class SubscriptionMessages final : public MessageSource {
  public:
    explicit SubscriptionMessages(std::unique_ptr<Subscription> subscription)
        : subscription_(std::move(subscription)) {}

    Result<std::optional<std::string>> next() override {
        const auto delivery = subscription_->next(nothing_to_wait_for);
        if (!delivery) return delivery.error();
        if (!*delivery) return std::optional<std::string>();
        return std::optional(message_of(**delivery, subscription_->cursor()));
    }
    void notify(std::function<void()> ready) override { subscription_->notify(std::move(ready)); }
    Bytes cursor() const override { return subscription_->cursor(); }
    bool ended() const override { return subscription_->ended(); }

  private:
    const std::unique_ptr<Subscription> subscription_;
};

}  // namespace

std::string sse_message(std::string_view name, const std::optional<Bytes>& cursor, const boost::json::value& data) {
    std::string text = "event: " + std::string(name) + '\n';
    if (cursor) text += "id: " + hex_of(*cursor) + '\n';
    return text + "data: " + api::json_text(data) + "\n\n";
}

Result<std::unique_ptr<MessageSource>> messages_of(Result<std::unique_ptr<Subscription>> subscription) {
    if (!subscription) return subscription.error();
    return std::unique_ptr<MessageSource>(std::make_unique<SubscriptionMessages>(*std::move(subscription)));
}

}  // namespace flowfabric::server
