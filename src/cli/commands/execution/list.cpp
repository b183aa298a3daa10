#include <fmt/format.h>

#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/client.hpp"

namespace flowfabric::cli {
namespace {

struct ListOptions {
    std::optional<std::uint16_t> partition;
    std::optional<PublicState> state;
    std::optional<std::string> after;
    std::uint32_t limit = 50;
};

Result<ExecutionPage> page_of(const CommonOptions& common, const ListOptions& options) {
    ListExecutions query{
        .partition = options.partition, .state = options.state, .after = std::nullopt, .limit = options.limit};
    if (options.after) {
        const auto after = ExecutionId::parse(*options.after);
        if (!after) return after.error();
        query.after = *after;
    }
    const auto client = open_client(common);
    if (!client) return client.error();
    return (*client)->list_executions(query);
}

void print_page(const ExecutionPage& page) {
    if (page.executions.empty()) {
        print_line("No executions.");
        return;
    }
    Table table(
        {"execution_id", "public_state", "lane_id", "execution_kind", "priority", "total_attempt_count", "created_at"});
    for (const auto& view : page.executions) {
        table.add({view.execution_id.to_string(), std::string(to_string(view.vector.public_state)),
                   printable(view.lane_id), printable(view.execution_kind), fmt::to_string(view.priority),
                   fmt::to_string(view.total_attempt_count), iso_time(view.created_at_ms)});
    }
    table.print();
    if (page.next) print_line("\nmore: --after '" + page.next->to_string() + "'");
}

int run_list(const CommonOptions& common, const ListOptions& options) {
    const auto page = page_of(common, options);
    if (!page) return fail_with(page.error(), common.json);
    if (common.json) {
        print_json(api::to_json(*page));
    } else {
        print_page(*page);
    }
    return 0;
}

}  // namespace

void add_list(CommandTable& table) {
    auto added = table.add("list", "List executions, ordered by id", run_list);
    auto& command = added.command;
    auto& options = added.options;
    add_choice<PublicState>(command, "--state", "Only executions in this state", [&options](PublicState state) {
        options.state = state;
    })->type_name("STATE");
    command.add_option("--partition", options.partition, "Only executions of this partition, the N in {fp:N}:UUID")
        ->type_name("N");
    command.add_option("--limit", options.limit, "At most this many, up to 1000")->capture_default_str();
    command.add_option("--after", options.after, "Continue after this id, the last page's cursor")->type_name("ID");
    add_examples(command, {"ff list", "ff list --state failed --limit 10 --json"});
}

}  // namespace flowfabric::cli
