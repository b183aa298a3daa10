#include <fmt/format.h>

#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/read_all.hpp"

namespace flowfabric::cli {
namespace {

struct LanesOptions {
    std::optional<LaneState> change_to;  // absent: list them
    std::string lane;
};

int print_lanes(Client& client, bool as_json) {
    const auto lanes = read_all(client, ListLanes{}, &LanePage::lanes);
    if (!lanes) return fail_with(lanes.error(), as_json);
    if (as_json) {
        print_json(boost::json::object{{"lanes", api::to_json(*lanes)}});
        return 0;
    }
    if (lanes->empty()) {
        print_line("No lanes.");
        return 0;
    }
    Table table({"lane_id", "state", "state_changed_at", "registered_at", "registered_by"});
    for (const auto& lane : *lanes) {
        table.add({printable(lane.lane_id), std::string(to_string(lane.state)), iso_time(lane.state_changed_at_ms),
                   iso_time(lane.registered_at_ms), printable(lane.registered_by)});
    }
    table.print();
    return 0;
}

int change_lane(Client& client, const std::string& lane, LaneState state, bool as_json) {
    const auto changed = client.set_lane_state({.lane_id = lane, .state = state});
    if (!changed) return fail_with(changed.error(), as_json);
    if (as_json) {
        print_json(api::to_json(*changed));
        return 0;
    }
    const auto& previous = changed->previous;
    const std::string name = printable(changed->lane_id);
    if (previous) {
        print_line(fmt::format("lane {}: {} -> {}", name, to_string(*previous), to_string(changed->state)));
    } else {
        print_line(
            fmt::format("lane {}: new -> {}; there was no such lane, now there is", name, to_string(changed->state)));
    }
    return 0;
}

int run_lanes(const CommonOptions& common, const LanesOptions& options) {
    const auto client = options.change_to ? open_client(common, Missing::create) : open_client(common);
    if (!client) return fail_with(client.error(), common.json);
    if (options.change_to) return change_lane(**client, options.lane, *options.change_to, common.json);
    return print_lanes(**client, common.json);
}

}  // namespace

void add_lanes(CommandTable& table) {
    static const std::map<std::string, LaneState> states{{"pause", LaneState::paused},
                                                         {"resume", LaneState::active},
                                                         {"drain", LaneState::draining},
                                                         {"disable", LaneState::disabled}};
    auto added = table.add("lanes", "List lanes, or change the state of one", run_lanes);
    auto& command = added.command;
    auto& options = added.options;
    auto* action = add_choice_of(command, "action", "What to do with the lane", {"pause", "resume", "drain", "disable"},
                                 [&options](const std::string& name) { options.change_to = states.at(name); });
    action->needs(command.add_option("lane", options.lane, "The lane; one that is not known yet is registered"));
    command.footer(
        "pause    the lane accepts work and hands out none\n"
        "drain    the lane hands out what it has and accepts none\n"
        "disable  neither\n"
        "resume   both");
    add_examples(command, {"ff lanes", "ff lanes pause reports"});
}

}  // namespace flowfabric::cli
