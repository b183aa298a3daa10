#include <boost/json/array.hpp>

#include "cli/commands.hpp"
#include "cli/store_location.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::cli {
namespace {

Result<std::vector<WorkerView>> all_workers(Engine& engine, const std::optional<std::string>& namespace_name) {
    std::vector<WorkerView> workers;
    for (WorkerListQuery query{.namespace_name = namespace_name, .after = std::nullopt, .limit = max_page};;) {
        auto page = engine.list_workers(query);
        if (!page) return page.error();
        workers.insert(workers.end(), page->workers.begin(), page->workers.end());
        if (!page->next) return workers;
        query.after = page->next;
    }
}

std::string joined(const std::vector<std::string>& values) {
    std::string text;
    for (const auto& value : values) text += (text.empty() ? "" : ", ") + printable(value);
    return text;
}

boost::json::array array_of(const std::vector<std::string>& values) {
    return boost::json::array(values.begin(), values.end());
}

boost::json::object json_of(const WorkerView& worker) {
    return {{"namespace", worker.namespace_name},
            {"worker_instance_id", worker.worker_instance_id},
            {"worker_id", worker.worker_id},
            {"lanes", array_of(worker.lanes)},
            {"capabilities", array_of(worker.capabilities)},
            {"last_heartbeat_ms", worker.last_heartbeat_ms},
            {"liveness_ttl_ms", worker.liveness_ttl_ms},
            {"registered_at_ms", worker.registered_at_ms}};
}

}  // namespace

int run_workers(const CommonOptions& common, const std::optional<std::string>& namespace_name) {
    const auto engine = open_existing(common.store);
    if (!engine) return fail_with(engine.error(), common.json);
    const auto workers = all_workers(**engine, namespace_name);
    if (!workers) return fail_with(workers.error(), common.json);
    if (common.json) {
        boost::json::array array;
        for (const auto& worker : *workers) array.push_back(json_of(worker));
        print_json(boost::json::object{{"workers", std::move(array)}});
        return 0;
    }
    if (workers->empty()) {
        print_line("No registered workers.");
        return 0;
    }
    Table table({"namespace", "instance", "worker", "lanes", "capabilities", "heartbeat", "registered"});
    for (const auto& worker : *workers) {
        table.add({printable(worker.namespace_name), printable(worker.worker_instance_id), printable(worker.worker_id),
                   joined(worker.lanes), joined(worker.capabilities), iso_time(worker.last_heartbeat_ms),
                   iso_time(worker.registered_at_ms)});
    }
    table.print();
    return 0;
}

}  // namespace flowfabric::cli
