#include <cerrno>
#include <fstream>
#include <system_error>

#include "api/json_text.hpp"
#include "cli/commands/task/task_commands.hpp"
#include "cli/secret_variable.hpp"

namespace flowfabric::cli {
namespace {

EngineError not_in_a_task(const char* variable) {
    return invalid_input(variable, "is not set: `ff task` is for programs that `ff worker` runs");
}

}  // namespace

Result<Handle> lease_of_task() {
    const auto lease = environment("FF_LEASE");
    if (lease.empty()) return not_in_a_task("FF_LEASE");
    return Handle::parse(lease);
}

Result<void> tell_worker(const boost::json::object& outcome) {
    const auto path = environment("FF_TASK_FILE");
    if (path.empty()) return not_in_a_task("FF_TASK_FILE");
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << api::json_text(outcome) << '\n';
    file.close();
    if (!file) return invalid_input(path, std::generic_category().message(errno));
    return {};
}

void add_task(CommandTable& table) {
    auto& task = table.add_group("task", "Say how the task goes on, from inside a program of `ff worker`");
    task.footer(
        "complete, fail, delay and suspend hold when the program then ends with status 0; the last one said counts.\n"
        "A program that ends otherwise has failed. Without `ff` it may write FF_TASK_FILE itself: a JSON object with\n"
        "\"outcome\" (complete, fail, delay or suspend) and the fields of that operation, without the lease.\n"
        "A task that goes on after a delay or a suspension runs the program anew.");
    add_task_progress(table, task);
    add_task_frame(table, task);
    add_task_signals(table, task);
    add_task_outcomes(table, task);
}

}  // namespace flowfabric::cli
