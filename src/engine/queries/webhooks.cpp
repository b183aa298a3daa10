#include "core/webhook/webhook.hpp"
#include "engine/queries/page.hpp"
#include "engine/queries/queries.hpp"

namespace flowfabric {

AnswerTo<ListWebhooks> answer(const ListWebhooks& query, StoreReader& reader, const QueryContext&) {
    const auto rows = reader.all<WebhookRow>();
    if (!rows) return rows.error();
    std::vector<WebhookView> webhooks;
    for (const WebhookRow& row : *rows) webhooks.push_back(view_of(row));
    return page_of(query, std::move(webhooks), &WebhookPage::webhooks, &WebhookView::name);
}

AnswerTo<GetWebhook> answer(const GetWebhook& query, StoreReader& reader, const QueryContext&) {
    const auto row = reader.row<WebhookRow>({query.name});
    if (!row) return row.error();
    return *row ? std::optional(view_of(**row)) : std::nullopt;
}

AnswerTo<ListWebhookFailures> answer(const ListWebhookFailures& query, StoreReader& reader, const QueryContext&) {
    const auto webhook = reader.row<WebhookRow>({query.name});
    if (!webhook) return webhook.error();
    if (!*webhook) return EngineError{.kind = ErrorKind::webhook_not_found, .detail = query.name};
    const auto rows = read_page(query, [&](const ListWebhookFailures& asked) {
        return reader.behind<WebhookFailureRow>({asked.name, asked.after.value_or(-1)}, asked.limit);
    });
    if (!rows) return rows.error();
    WebhookFailurePage page;
    for (const WebhookFailureRow& row : rows->rows) page.failures.push_back(view_of(row));
    if (rows->more) page.next = page.failures.back().event_id;
    return page;
}

}  // namespace flowfabric
