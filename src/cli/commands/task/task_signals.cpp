#include <algorithm>

#include "api/type.hpp"
#include "cli/commands/task/task_commands.hpp"
#include "cli/place.hpp"
#include "cli/text/output.hpp"

namespace flowfabric::cli {
namespace {

struct TaskSignalsOptions {
    std::optional<std::string> name;
};

void print_signals(const std::vector<ResumeSignal>& signals) {
    Table table({"signal_name", "source_type", "source_identity", "accepted_at", "payload"});
    for (const auto& signal : signals) {
        const auto payload = signal.payload.value_or("");
        table.add({printable(signal.signal_name), printable(signal.source_type), printable(signal.source_identity),
                   iso_time(signal.accepted_at_ms), is_utf8(payload) ? printable(payload) : "(bytes)"});
    }
    table.print();
}

// A program asks whether the signal has come, and what it says.
int print_last(const std::vector<ResumeSignal>& signals, const std::string& name) {
    const auto last = std::find_if(signals.rbegin(), signals.rend(),
                                   [&](const ResumeSignal& signal) { return signal.signal_name == name; });
    if (last == signals.rend()) return 1;
    print_line(last->payload.value_or(""));
    return 0;
}

int run_task_signals(const CommonOptions& common, const TaskSignalsOptions& options) {
    const auto lease = lease_of_task();
    if (!lease) return fail_with(lease.error(), common.json);
    const auto client = open_client(common);
    if (!client) return fail_with(client.error(), common.json);
    const auto signals = (*client)->observe_signals(*lease);
    if (!signals) return fail_with(signals.error(), common.json);
    if (options.name) return print_last(*signals, *options.name);
    if (common.json) {
        print_json(boost::json::object{{"signals", api::to_json(*signals)}});
    } else if (signals->empty()) {
        print_line("No signals.");
    } else {
        print_signals(*signals);
    }
    return 0;
}

}  // namespace

void add_task_signals(CommandTable& table, CLI::App& task) {
    auto [command, options] = table.add_to(task, "signals", "List the signals that it has got", run_task_signals);
    command
        .add_option("name", options.name, "Print the payload of the last one of this name; exit code 1: none has come")
        ->type_name("NAME");
    add_examples(command, {"ff task signals", "answer=$(ff task signals approved) || ff task suspend --for approved"});
}

}  // namespace flowfabric::cli
