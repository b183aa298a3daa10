#include "core/events/consumer_row.hpp"
#include "engine/queries/page.hpp"
#include "engine/queries/queries.hpp"

namespace flowfabric {
namespace {

ConsumerView view_of(const ConsumerRow& row) {
    return {.channel = row.key.channel,
            .name = row.key.name,
            .cursor = cursor_at(row.event_id),
            .registered_at_ms = row.registered_at_ms,
            .acknowledged_at_ms = row.acknowledged_at_ms};
}

}  // namespace

AnswerTo<ListConsumers> answer(const ListConsumers& query, StoreReader& reader, const QueryContext&) {
    const auto rows = reader.all<ConsumerRow>();
    if (!rows) return rows.error();
    std::vector<ConsumerView> views;
    for (const ConsumerRow& row : *rows) views.push_back(view_of(row));
    const auto place = [](const ConsumerView& view) { return ConsumerPlace{view.channel, view.name}; };
    return page_of(query, std::move(views), &ConsumerPage::consumers, place);
}

}  // namespace flowfabric
