#include <boost/json/array.hpp>

#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/commands/execution/waitpoint_choice.hpp"
#include "cli/place.hpp"
#include "cli/text/id_argument.hpp"
#include "cli/text/output.hpp"

namespace flowfabric::cli {
namespace {

struct WaitpointsOptions {
    std::string id;
    bool tokens = false;
};

struct ListedWaitpoint {
    WaitpointView view;
    std::string token;  // empty: not asked for
};

Result<std::vector<ListedWaitpoint>> list_waitpoints(const CommonOptions& common, const WaitpointsOptions& options) {
    const auto client = open_client(common);
    if (!client) return client.error();
    const auto id = execution_argument(**client, options.id);
    if (!id) return id.error();
    const auto open = open_waitpoints(**client, *id);
    if (!open) return open.error();
    std::vector<ListedWaitpoint> listed;
    for (const auto& view : *open) {
        auto& waitpoint = listed.emplace_back(ListedWaitpoint{view, ""});
        if (!options.tokens) continue;
        auto token = (*client)->read_waitpoint_token(*id, view.waitpoint_id);
        if (!token) return token.error();
        waitpoint.token = (*token).value_or("");
    }
    return listed;
}

boost::json::value json_of(const std::vector<ListedWaitpoint>& listed) {
    boost::json::array waitpoints;
    for (const auto& [view, token] : listed) {
        auto shown = api::to_json(WaitpointPage{.waitpoints = {view}, .next = std::nullopt}).at("waitpoints").at(0);
        if (!token.empty()) shown.as_object()["token"] = token;
        waitpoints.push_back(std::move(shown));
    }
    return boost::json::object{{"waitpoints", std::move(waitpoints)}};
}

void print_waitpoints(const std::vector<ListedWaitpoint>& listed) {
    if (listed.empty()) return print_line("No open waitpoints.");
    Table table({"waitpoint_key", "waitpoint_id", "state", "signals", "created_at", "expires_at"});
    for (const auto& [view, token] : listed) {
        std::string names;
        for (const auto& name : view.required_signal_names) names += (names.empty() ? "" : ", ") + printable(name);
        table.add({printable(view.waitpoint_key), view.waitpoint_id.to_string(), std::string(to_string(view.state)),
                   names.empty() ? "any" : names, iso_time(view.created_at_ms), iso_time(view.expires_at_ms)});
    }
    table.print();
    for (const auto& [view, token] : listed) {
        if (!token.empty()) print_line("\ntoken of " + printable(view.waitpoint_key) + "\n" + token);
    }
}

int run_waitpoints(const CommonOptions& common, const WaitpointsOptions& options) {
    const auto listed = list_waitpoints(common, options);
    if (!listed) return fail_with(listed.error(), common.json);
    if (common.json) {
        print_json(json_of(*listed));
    } else {
        print_waitpoints(*listed);
    }
    return 0;
}

}  // namespace

void add_waitpoints(CommandTable& table) {
    auto [command, options] = table.add("waitpoints", "List what an execution waits for", run_waitpoints);
    add_id(command, options.id, "The execution's id");
    command.add_flag("--tokens", options.tokens, "Show the tokens too; whoever has one may send the signal");
    add_examples(command, {"ff waitpoints '{fp:32}:01a1edbd-5876-779f-8e55-23416a6eca5e'"});
}

}  // namespace flowfabric::cli
