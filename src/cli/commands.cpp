#include "cli/command_table.hpp"

namespace flowfabric::cli {

// Each is defined in the file of its command.
void add_server(CommandTable& table);
void add_worker(CommandTable& table);
void add_task(CommandTable& table);
void add_submit(CommandTable& table);
void add_get(CommandTable& table);
void add_list(CommandTable& table);
void add_export(CommandTable& table);
void add_attempts(CommandTable& table);
void add_stream(CommandTable& table);
void add_explain(CommandTable& table);
void add_cancel(CommandTable& table);
void add_signal(CommandTable& table);
void add_approve(CommandTable& table);
void add_waitpoints(CommandTable& table);
void add_resume(CommandTable& table);
void add_replay(CommandTable& table);
void add_purge(CommandTable& table);
void add_priority(CommandTable& table);
void add_revoke(CommandTable& table);
void add_bulk(CommandTable& table);
void add_flow(CommandTable& table);
void add_lanes(CommandTable& table);
void add_stats(CommandTable& table);
void add_workers(CommandTable& table);
void add_tail(CommandTable& table);
void add_consumers(CommandTable& table);
void add_settings(CommandTable& table);
void add_keys(CommandTable& table);
void add_token(CommandTable& table);
void add_webhooks(CommandTable& table);
void add_budget(CommandTable& table);
void add_call(CommandTable& table);
void add_migrate(CommandTable& table);
void add_doctor(CommandTable& table);
void add_bench(CommandTable& table);
void add_completion(CommandTable& table);
void add_man(CommandTable& table);
void add_version(CommandTable& table);

// In the order in which help lists them.
void add_commands(CommandTable& table) {
    add_server(table);
    add_worker(table);
    add_task(table);
    add_submit(table);
    add_get(table);
    add_list(table);
    add_export(table);
    add_attempts(table);
    add_stream(table);
    add_explain(table);
    add_cancel(table);
    add_signal(table);
    add_approve(table);
    add_waitpoints(table);
    add_resume(table);
    add_replay(table);
    add_purge(table);
    add_priority(table);
    add_revoke(table);
    add_bulk(table);
    add_flow(table);
    add_lanes(table);
    add_stats(table);
    add_workers(table);
    add_tail(table);
    add_consumers(table);
    add_settings(table);
    add_keys(table);
    add_token(table);
    add_webhooks(table);
    add_budget(table);
    add_call(table);
    add_migrate(table);
    add_doctor(table);
    add_bench(table);
    add_completion(table);
    add_man(table);
    add_version(table);
}

void add_examples(CLI::App& command, const std::vector<std::string>& lines) {
    std::string text = command.get_footer();
    text += text.empty() ? "Examples:" : "\n\nExamples:";
    for (const auto& line : lines) text += "\n  " + line;
    command.footer(text);
}

}  // namespace flowfabric::cli
