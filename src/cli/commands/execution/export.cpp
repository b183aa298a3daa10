#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/text/criteria_options.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/client.hpp"

namespace flowfabric::cli {
namespace {

struct ExportOptions {
    ExportExecutions query;
    std::optional<std::string> after;
};

// The lines of GET /v1/executions/export.
void print_page(const ExportPage& page) {
    for (const ExportedExecution& execution : page.executions) print_json(api::to_json(execution));
    boost::json::value next;
    if (page.next) next = boost::json::string(page.next->to_string());
    print_json(boost::json::object{{"next_cursor", std::move(next)}});
}

int run_export(const CommonOptions& common, const ExportOptions& options) {
    ExportExecutions query = options.query;
    if (options.after) {
        const auto after = SearchPlace::parse(*options.after);
        if (!after) return fail_with(after.error(), common.json);
        query.after = *after;
    }
    const auto client = open_client(common);
    if (!client) return fail_with(client.error(), common.json);
    do {
        const auto page = (*client)->read(query);
        if (!page) return fail_with(page.error(), common.json);
        print_page(*page);
        query.after = page->next;
    } while (query.after);
    return 0;
}

}  // namespace

void add_export(CommandTable& table) {
    auto added = table.add("export", "Print executions with their attempts, a line of JSON for each", run_export);
    auto& command = added.command;
    auto& options = added.options;
    add_criteria(command, options.query);
    command.add_flag("--input", options.query.with_input, "With their inputs");
    command.add_flag("--result", options.query.with_result, "With their results");
    command
        .add_option("--after", options.after,
                    "Continue an export that was cut off, by the last next_cursor of its lines")
        ->type_name("CURSOR");
    add_examples(command, {"ff export --state failed --newer-than 1d > failures.ndjson",
                           "ff export --lane mail --input --result | jq -c 'select(.execution)'"});
}

}  // namespace flowfabric::cli
