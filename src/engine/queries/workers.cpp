#include <algorithm>
#include <map>

#include "core/execution/view.hpp"
#include "core/worker/worker.hpp"
#include "core/worker/worker_mode.hpp"
#include "engine/queries/queries.hpp"

namespace flowfabric {

AnswerTo<ListWorkers> answer(const ListWorkers& query, StoreReader& reader, const QueryContext&) {
    const auto rows = reader.all<WorkerRow>();
    if (!rows) return rows.error();
    const auto now = reader.now();
    if (!now) return now.error();
    const auto modes = reader.all<WorkerModeRow>();
    if (!modes) return modes.error();
    WorkingSet asked;
    for (const WorkerModeRow& mode : *modes) asked.side.of<WorkerModeRow>().load(mode);
    std::map<WorkerPlace, const WorkerRow*> alive;
    for (const WorkerRow& row : *rows) {
        const WorkerPlace place{row.key.namespace_name, row.key.worker_instance_id};
        const bool wanted = !query.namespace_name || row.key.namespace_name == *query.namespace_name;
        if (wanted && !has_lapsed(row, *now) && (!query.after || place > *query.after)) alive.emplace(place, &row);
    }
    WorkerPage page;
    const std::size_t limit = std::min(query.limit, max_page);
    for (const auto& [place, row] : alive) {
        if (page.workers.size() < limit) {
            WorkerView& view = page.workers.emplace_back(view_of(*row));
            view.mode = mode_of(asked, view.namespace_name, view.worker_id, view.worker_instance_id);
            page.next = place;
        }
    }
    if (page.workers.size() == alive.size()) page.next.reset();
    return page;
}

}  // namespace flowfabric
