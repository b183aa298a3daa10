#include "core/command/admission.hpp"
#include "core/execution/view.hpp"
#include "engine/queries/page.hpp"
#include "engine/queries/queries.hpp"

namespace flowfabric {

AnswerTo<ListExecutions> answer(const ListExecutions& query, StoreReader& reader, const QueryContext&) {
    if (query.after) {
        if (auto checked = check_partition("cursor", query.after->partition); !checked) return checked.error();
        if (query.after->partition != query.partition.value_or(query.after->partition)) {
            return invalid_input("cursor", "partition_mismatch: of another partition");
        }
    }
    auto found = read_page(query, [&](const ListExecutions& wanted) { return reader.list(wanted); });
    if (!found) return found.error();
    ExecutionPage page;
    for (const ExecutionRow& row : found->rows) page.executions.push_back(view_of(row));
    if (found->more) page.next = found->rows.back().id;
    return page;
}

AnswerTo<ListExpiredLeases> answer(const ListExpiredLeases& query, StoreReader& reader, const QueryContext&) {
    if (query.after) {
        const auto checked = check_partition("cursor", query.after->execution_id.partition);
        if (!checked) return checked.error();
    }
    const auto now = reader.now();
    if (!now) return now.error();
    auto found = read_page(query, [&](const ListExpiredLeases& wanted) {
        return reader.expired_leases(wanted, wanted.as_of_ms.value_or(*now));
    });
    if (!found) return found.error();
    ExpiredLeasePage page;
    for (const ExecutionRow& row : found->rows) page.leases.push_back(expired_lease_of(row));
    if (found->more) page.next = ExpiredLeasePlace{page.leases.back().expires_at_ms, page.leases.back().execution_id};
    return page;
}

}  // namespace flowfabric
