#include <future>

#include "core/webhook/webhook.hpp"
#include "runtime/engine_impl.hpp"

// What a server asks of its engine to send events to webhooks.
namespace flowfabric {
namespace {

constexpr std::size_t redeliveries_at_once = 20;
constexpr std::uint32_t failures_at_once = 100;

Result<std::optional<WebhookWork>> turn_of(Engine::Impl& engine, Command command) {
    std::promise<Result<Answer>> answered;
    engine.submit_admitted(
        std::move(command), [&answered](Result<Answer> answer) { answered.set_value(std::move(answer)); },
        GiveOn::any_thread);
    auto answer = answered.get_future().get();
    if (!answer) return answer.error();
    return std::move(*answer).as<WebhookTurn>().work;
}

}  // namespace

Result<std::vector<OpenWebhook>> Engine::open_webhooks(const std::string& owner) {
    return impl_->readers().run([&](StoreReader& reader) -> QueryResult<std::vector<OpenWebhook>> {
        const auto rows = reader.all<WebhookRow>();
        if (!rows) return rows.error();
        const auto now = reader.now();
        if (!now) return now.error();
        std::vector<OpenWebhook> open;
        for (const WebhookRow& row : *rows) {
            if (is_open_to(row, owner, *now)) open.push_back({row.key.name, row.channel});
        }
        return open;
    });
}

Result<std::optional<WebhookWork>> Engine::take_webhook(const OpenWebhook& webhook, const std::string& owner) {
    return turn_of(*impl_, flowfabric::take_webhook(webhook, owner));
}

Result<std::optional<WebhookWork>> Engine::report_webhook(const OpenWebhook& webhook, const std::string& owner,
                                                          WebhookReport report) {
    return turn_of(*impl_, flowfabric::report_webhook(webhook, owner, std::move(report)));
}

Result<void> Engine::release_webhook(const OpenWebhook& webhook, const std::string& owner) {
    const auto released = turn_of(*impl_, flowfabric::release_webhook(webhook, owner));
    if (!released) return released.error();
    return {};
}

Result<std::vector<WebhookFailure>> Engine::webhook_redeliveries(const OpenWebhook& webhook) {
    return impl_->readers().run([&](StoreReader& reader) -> QueryResult<std::vector<WebhookFailure>> {
        std::vector<WebhookFailure> found;
        WebhookFailureKey place{webhook.name, -1};
        while (true) {
            const auto rows = reader.behind<WebhookFailureRow>(place, failures_at_once);
            if (!rows) return rows.error();
            for (const WebhookFailureRow& row : *rows) {
                if (row.redelivering) found.push_back(view_of(row));
                if (found.size() == redeliveries_at_once) return found;
            }
            if (rows->size() < failures_at_once) return found;
            place = rows->back().key;
        }
    });
}

}  // namespace flowfabric
