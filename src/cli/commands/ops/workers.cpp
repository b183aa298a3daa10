
#include "api/type.hpp"
#include "cli/commands.hpp"
#include "cli/store_location.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::cli {
namespace {

Result<WorkerPage> all_workers(Engine& engine, const std::optional<std::string>& namespace_name) {
    WorkerPage all;
    for (ListWorkers query{.namespace_name = namespace_name, .after = std::nullopt, .limit = max_page};;) {
        auto page = engine.list_workers(query);
        if (!page) return page.error();
        all.workers.insert(all.workers.end(), page->workers.begin(), page->workers.end());
        if (!page->next) return all;
        query.after = page->next;
    }
}

std::string joined(const std::vector<std::string>& values) {
    std::string text;
    for (const auto& value : values) text += (text.empty() ? "" : ", ") + printable(value);
    return text;
}

}  // namespace

int run_workers(const CommonOptions& common, const std::optional<std::string>& namespace_name) {
    const auto engine = open_existing(common.store);
    if (!engine) return fail_with(engine.error(), common.json);
    const auto all = all_workers(**engine, namespace_name);
    if (!all) return fail_with(all.error(), common.json);
    if (common.json) {
        print_json(api::to_json(*all));
        return 0;
    }
    if (all->workers.empty()) {
        print_line("No registered workers.");
        return 0;
    }
    Table table(
        {"namespace", "worker_instance_id", "worker_id", "lanes", "capabilities", "last_heartbeat", "registered_at"});
    for (const auto& worker : all->workers) {
        table.add({printable(worker.namespace_name), printable(worker.worker_instance_id), printable(worker.worker_id),
                   joined(worker.lanes), joined(worker.capabilities), iso_time(worker.last_heartbeat_ms),
                   iso_time(worker.registered_at_ms)});
    }
    table.print();
    return 0;
}

}  // namespace flowfabric::cli
