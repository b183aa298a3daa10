#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/text/flow_file.hpp"
#include "cli/text/output.hpp"
#include "cli/text/text_argument.hpp"
#include "flowfabric/client.hpp"

namespace flowfabric::cli {
namespace {

Result<SubmitFlow> read_flow(const std::string& file) {
    const auto text = read_text_argument(file == "-" ? file : "@" + file);
    if (!text) return text.error();
    return parse_flow(*text);
}

int run_flow_submit(const CommonOptions& common, const std::string& file) {
    auto flow = read_flow(file);
    if (!flow) return fail_with(flow.error(), common.json);
    const auto client = open_client(common, Missing::create);
    if (!client) return fail_with(client.error(), common.json);
    const auto submitted = (*client)->submit_flow(*std::move(flow));
    if (!submitted) return fail_with(submitted.error(), common.json);
    if (common.json) {
        print_json(api::to_json(*submitted));
    } else {
        print_line(submitted->flow_id.to_string());
    }
    return 0;
}

}  // namespace

void add_flow_submit(CommandTable& table, CLI::App& flow) {
    auto [command, file] = table.add_to(flow, "submit", "Submit a whole flow and print its id", run_flow_submit);
    command.add_option("file", file, "The flow, - for standard input")->required()->type_name("FILE|-");
    command.footer(
        "The file is a JSON object with the fields of submit_flow: flow_kind, flow_id, namespace, tags, nodes and\n"
        "edges. A node has a name, an execution with the fields of a line of `ff submit --many`, and the policy of "
        "the\n"
        "edges into it ({\"kind\": \"all_of\"|\"any_of\"|\"quorum\", \"k\": N, \"on_satisfied\":\n"
        "\"cancel_remaining\"|\"let_run\"}). An edge has from, to, data_passing_ref and dependency_kind. With a\n"
        "flow_id of your own it is safe to submit the flow again.");
    add_examples(command, {"ff flow submit report.json"});
}

}  // namespace flowfabric::cli
