#include <algorithm>

#include <fmt/format.h>

#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/text/criteria_options.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/client.hpp"

namespace flowfabric::cli {
namespace {

struct ListOptions {
    ExecutionCriteria criteria;
    std::optional<std::uint16_t> partition;
    std::optional<std::string> after;
    std::uint32_t limit = 50;
};

// Lines of either list.
template <class Page, class StateOf>
void print_executions(const Page& page, StateOf state_of) {
    if (page.executions.empty()) {
        print_line("No executions.");
    } else {
        Table table({"execution_id", "public_state", "lane_id", "execution_kind", "priority", "created_at"});
        for (const auto& execution : page.executions) {
            table.add({execution.execution_id.to_string(), std::string(to_string(state_of(execution))),
                       printable(execution.lane_id), printable(execution.execution_kind),
                       fmt::to_string(execution.priority), iso_time(execution.created_at_ms)});
        }
        table.print();
    }
    if (page.next) print_line("\nmore: --after '" + page.next->to_string() + "'");
}

template <class Page, class StateOf>
int show_executions(const Result<Page>& page, bool json, StateOf state_of) {
    if (!page) return fail_with(page.error(), json);
    if (json) {
        print_json(api::to_json(*page));
    } else {
        print_executions(*page, state_of);
    }
    return 0;
}

// A page of a search may end early, after a look at many executions that do not match.
Result<SearchPage> found_executions(Client& client, const ListOptions& options) {
    SearchExecutions query{options.criteria};
    if (options.after) {
        const auto after = SearchPlace::parse(*options.after);
        if (!after) return after.error();
        query.after = *after;
    }
    SearchPage found;
    for (query.limit = std::min(options.limit, max_page);;) {
        const auto page = client.read(query);
        if (!page) return page.error();
        found.executions.insert(found.executions.end(), page->executions.begin(), page->executions.end());
        found.next = query.after = page->next;
        query.limit -= static_cast<std::uint32_t>(page->executions.size());
        if (!page->next || query.limit == 0) return found;
    }
}

Result<ExecutionPage> executions_of_partition(Client& client, const ListOptions& options) {
    ListExecutions query{.partition = options.partition, .state = {}, .after = {}, .limit = options.limit};
    ExecutionCriteria rest = options.criteria;
    if (rest.states.size() == 1) {
        query.state = rest.states.front();
        rest.states.clear();
    }
    if (!(rest == ExecutionCriteria{})) return invalid_input("partition", "goes with one --state and nothing else");
    if (options.after) {
        const auto after = ExecutionId::parse(*options.after);
        if (!after) return after.error();
        query.after = *after;
    }
    return client.list_executions(query);
}

int run_list(const CommonOptions& common, const ListOptions& options) {
    const auto client = open_client(common);
    if (!client) return fail_with(client.error(), common.json);
    if (options.partition) {
        return show_executions(executions_of_partition(**client, options), common.json,
                               [](const ExecutionView& execution) { return execution.vector.public_state; });
    }
    return show_executions(found_executions(**client, options), common.json,
                           [](const ExecutionSummary& execution) { return execution.public_state; });
}

}  // namespace

void add_list(CommandTable& table) {
    auto added = table.add("list", "List executions, the newest first", run_list);
    auto& command = added.command;
    auto& options = added.options;
    add_criteria(command, options.criteria);
    command.add_option("--partition", options.partition, "All of this partition, by id; the N in {fp:N}:UUID")
        ->type_name("N");
    command.add_option("--limit", options.limit, "At most this many, up to 1000")->capture_default_str();
    command.add_option("--after", options.after, "Continue after the last page, by its cursor")->type_name("CURSOR");
    add_examples(command, {"ff list", "ff list --state failed --lane mail --limit 10 --json",
                           "ff list --tag shop.customer=ada --newer-than 1h"});
}

}  // namespace flowfabric::cli
