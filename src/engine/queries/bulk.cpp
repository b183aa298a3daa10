#include <algorithm>

#include "core/bulk/bulk.hpp"
#include "engine/queries/search.hpp"

namespace flowfabric {

AnswerTo<PreviewBulkOperation> answer(const PreviewBulkOperation& query, StoreReader& reader, const QueryContext&) {
    const auto filter = bulk_filter(query.action, query.filter);
    if (!filter) return filter.error();
    auto found = search(reader, *filter, std::nullopt, max_examined);
    if (!found) return found.error();
    BulkPreview preview{.count = found->executions.size(), .complete = !found->next, .sample = {}};
    found->executions.resize(std::min<std::size_t>(found->executions.size(), std::min(query.limit, max_page)));
    preview.sample = std::move(found->executions);
    return preview;
}

AnswerTo<GetBulkOperation> answer(const GetBulkOperation& query, StoreReader& reader, const QueryContext&) {
    const auto row = reader.row<BulkOperationRow>({query.operation_id});
    if (!row) return row.error();
    return *row ? std::optional(view_of(**row)) : std::nullopt;
}

// Few are started in the time for which they are kept.
AnswerTo<ListBulkOperations> answer(const ListBulkOperations& query, StoreReader& reader, const QueryContext&) {
    BulkOperationPage page;
    if (query.limit == 0) return page;
    const auto rows = reader.all<BulkOperationRow>();
    if (!rows) return rows.error();
    for (auto row = rows->rbegin(); row != rows->rend(); ++row) {
        if (query.after && row->key.operation_id >= *query.after) continue;
        if (page.operations.size() == std::min(query.limit, max_page)) {
            page.next = page.operations.back().operation_id;
            break;
        }
        page.operations.push_back(view_of(*row));
    }
    return page;
}

}  // namespace flowfabric
