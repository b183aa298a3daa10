#include <fmt/format.h>

#include "api/type.hpp"
#include "cli/change.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/read_all.hpp"

namespace flowfabric::cli {
namespace {

struct WorkersOptions {
    std::optional<WorkerMode> change_to;  // absent: list them
    std::optional<std::string> instance;
    std::optional<std::string> worker;
    std::optional<std::string> namespace_name;
};

std::string joined(const std::vector<std::string>& values) {
    std::string text;
    for (const auto& value : values) text += (text.empty() ? "" : ", ") + printable(value);
    return text;
}

int change_worker(const CommonOptions& common, const WorkersOptions& options) {
    SetWorkerMode command{
        .worker_id = options.worker, .worker_instance_id = options.instance, .mode = *options.change_to};
    if (options.namespace_name) command.namespace_name = *options.namespace_name;
    return run_change(common, Missing::refuse, command, [&](const WorkerModeSet& changed) {
        return fmt::format("worker {}: {}", printable(options.instance.value_or(options.worker.value_or(""))),
                           to_string(changed.mode));
    });
}

int run_workers(const CommonOptions& common, const WorkersOptions& options) {
    if (options.change_to) return change_worker(common, options);
    const auto client = open_client(common);
    if (!client) return fail_with(client.error(), common.json);
    const ListWorkers query{.namespace_name = options.namespace_name, .after = std::nullopt};
    const auto workers = read_all(**client, query, &WorkerPage::workers);
    if (!workers) return fail_with(workers.error(), common.json);
    if (common.json) {
        print_json(boost::json::object{{"workers", api::to_json(*workers)}});
        return 0;
    }
    if (workers->empty()) {
        print_line("No registered workers.");
        return 0;
    }
    Table table({"namespace", "worker_instance_id", "worker_id", "lanes", "capabilities", "mode", "last_heartbeat",
                 "registered_at"});
    for (const auto& worker : *workers) {
        table.add({printable(worker.namespace_name), printable(worker.worker_instance_id), printable(worker.worker_id),
                   joined(worker.lanes), joined(worker.capabilities), std::string(to_string(worker.mode)),
                   iso_time(worker.last_heartbeat_ms), iso_time(worker.registered_at_ms)});
    }
    table.print();
    return 0;
}

}  // namespace

void add_workers(CommandTable& table) {
    auto added = table.add("workers", "List the registered workers that are alive, or ask one of them to pause or end",
                           run_workers);
    auto& command = added.command;
    auto& options = added.options;
    auto* action = add_choice<WorkerMode>(command, "action", "What is asked of the worker",
                                          [&options](WorkerMode mode) { options.change_to = mode; });
    auto* instance = command.add_option("instance", options.instance, "The worker_instance_id of one process");
    command.add_option("--worker", options.worker, "The worker_id instead: all of its processes, later ones too")
        ->needs(action)
        ->excludes(instance);
    command.add_option("--namespace", options.namespace_name,
                       "Only those of this namespace; the worker's own, where it is not default");
    command.footer(
        "quiet  it finishes what it has and claims nothing\n"
        "stop   it finishes what it has and ends\n"
        "run    it works as usual");
    add_examples(command, {"ff workers", "ff workers quiet host-4711-5eed1234", "ff workers stop --worker mailer"});
}

}  // namespace flowfabric::cli
