#include <fmt/format.h>

#include "api/type.hpp"
#include "cli/commands.hpp"
#include "cli/store_location.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::cli {
namespace {

Result<LanePage> all_lanes(Engine& engine) {
    LanePage all;
    for (ListLanes query;;) {
        auto page = engine.list_lanes(query);
        if (!page) return page.error();
        all.lanes.insert(all.lanes.end(), page->lanes.begin(), page->lanes.end());
        if (!page->next) return all;
        query.after = page->next;
    }
}

int print_lanes(Engine& engine, bool as_json) {
    const auto all = all_lanes(engine);
    if (!all) return fail_with(all.error(), as_json);
    if (as_json) {
        print_json(api::to_json(*all));
        return 0;
    }
    if (all->lanes.empty()) {
        print_line("No lanes.");
        return 0;
    }
    Table table({"lane_id", "state", "state_changed_at", "registered_at", "registered_by"});
    for (const auto& lane : all->lanes) {
        table.add({printable(lane.lane_id), std::string(to_string(lane.state)), iso_time(lane.state_changed_at_ms),
                   iso_time(lane.registered_at_ms), printable(lane.registered_by)});
    }
    table.print();
    return 0;
}

int change_lane(Engine& engine, const std::string& lane, LaneState state, bool as_json) {
    const auto changed = engine.set_lane_state({.lane_id = lane, .state = state});
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

}  // namespace

int run_lanes(const CommonOptions& common, const LanesOptions& options) {
    const auto engine = options.change_to ? open_engine(common.store, Reconcilers::off) : open_existing(common.store);
    if (!engine) return fail_with(engine.error(), common.json);
    if (options.change_to) return change_lane(**engine, options.lane, *options.change_to, common.json);
    return print_lanes(**engine, common.json);
}

}  // namespace flowfabric::cli
