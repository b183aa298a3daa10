#include "core/settings/store_settings.hpp"
#include "engine/queries/page.hpp"
#include "engine/queries/queries.hpp"

namespace flowfabric {

AnswerTo<ListSettings> answer(const ListSettings& query, StoreReader& reader, const QueryContext&) {
    const auto rows = reader.all<SettingRow>();
    if (!rows) return rows.error();
    return page_of(query, views_of(*rows), &SettingPage::settings, &SettingView::name);
}

}  // namespace flowfabric
