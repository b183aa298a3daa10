#include <algorithm>

#include "core/webhook/webhook.hpp"
#include "engine/queries/queries.hpp"

namespace flowfabric {

AnswerTo<ListWebhooks> answer(const ListWebhooks&, StoreReader& reader, const QueryContext&) {
    const auto rows = reader.all<WebhookRow>();
    if (!rows) return rows.error();
    std::vector<WebhookView> webhooks;
    for (const WebhookRow& row : *rows) webhooks.push_back(view_of(row));
    return webhooks;
}

AnswerTo<GetWebhook> answer(const GetWebhook& query, StoreReader& reader, const QueryContext&) {
    const auto row = reader.row<WebhookRow>({query.name});
    if (!row) return row.error();
    return *row ? std::optional(view_of(**row)) : std::nullopt;
}

// Few are kept: a webhook ends when its address refuses everything.
AnswerTo<ListWebhookFailures> answer(const ListWebhookFailures& query, StoreReader& reader, const QueryContext&) {
    const auto webhook = reader.row<WebhookRow>({query.name});
    if (!webhook) return webhook.error();
    if (!*webhook) return EngineError{.kind = ErrorKind::webhook_not_found, .detail = query.name};
    WebhookFailurePage page;
    if (query.limit == 0) return page;
    const auto rows = reader.all<WebhookFailureRow>();
    if (!rows) return rows.error();
    for (const WebhookFailureRow& row : *rows) {
        if (row.key.webhook != query.name || (query.after && row.key.event_id <= *query.after)) continue;
        if (page.failures.size() == std::min(query.limit, max_page)) {
            page.next = page.failures.back().event_id;
            break;
        }
        page.failures.push_back(view_of(row));
    }
    return page;
}

}  // namespace flowfabric
