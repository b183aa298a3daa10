#include "core/settings/store_settings.hpp"
#include "engine/queries/queries.hpp"

namespace flowfabric {

AnswerTo<ListSettings> answer(const ListSettings&, StoreReader& reader, const QueryContext&) {
    const auto rows = reader.all<SettingRow>();
    if (!rows) return rows.error();
    return views_of(*rows);
}

}  // namespace flowfabric
