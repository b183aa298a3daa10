
#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/client.hpp"

namespace flowfabric::cli {
namespace {

struct WorkersOptions {
    std::optional<std::string> namespace_name;
};

Result<WorkerPage> all_workers(Client& client, const std::optional<std::string>& namespace_name) {
    WorkerPage all;
    for (ListWorkers query{.namespace_name = namespace_name, .after = std::nullopt, .limit = max_page};;) {
        auto page = client.list_workers(query);
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

int run_workers(const CommonOptions& common, const WorkersOptions& options) {
    const auto client = open_client(common);
    if (!client) return fail_with(client.error(), common.json);
    const auto all = all_workers(**client, options.namespace_name);
    if (!all) return fail_with(all.error(), common.json);
    if (common.json) {
        print_json(api::to_json(*all));
        return 0;
    }
    if (all->workers.empty()) {
        print_line("No registered workers.");
        return 0;
    }
    Table table({"namespace", "worker_instance_id", "worker_id", "lanes", "capabilities", "mode", "last_heartbeat",
                 "registered_at"});
    for (const auto& worker : all->workers) {
        table.add({printable(worker.namespace_name), printable(worker.worker_instance_id), printable(worker.worker_id),
                   joined(worker.lanes), joined(worker.capabilities), std::string(to_string(worker.mode)),
                   iso_time(worker.last_heartbeat_ms), iso_time(worker.registered_at_ms)});
    }
    table.print();
    return 0;
}

}  // namespace

void add_workers(CommandTable& table) {
    auto [command, options] = table.add("workers", "List the registered workers that are alive", run_workers);
    command.add_option("--namespace", options.namespace_name, "Only those of this namespace");
    add_examples(command, {"ff workers"});
}

}  // namespace flowfabric::cli
