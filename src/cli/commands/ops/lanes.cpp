#include <fmt/format.h>
#include <boost/json/array.hpp>

#include "cli/commands.hpp"
#include "cli/store_location.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::cli {
namespace {

Result<std::vector<LaneView>> all_lanes(Engine& engine) {
    std::vector<LaneView> lanes;
    for (LaneListQuery query;;) {
        auto page = engine.list_lanes(query);
        if (!page) return page.error();
        lanes.insert(lanes.end(), page->lanes.begin(), page->lanes.end());
        if (!page->next) return lanes;
        query.after = page->next;
    }
}

boost::json::object json_of(const LaneView& lane) {
    return {{"lane_id", lane.lane_id},
            {"state", to_string(lane.state)},
            {"state_changed_at_ms", lane.state_changed_at_ms},
            {"registered_at_ms", lane.registered_at_ms},
            {"registered_by", lane.registered_by}};
}

int print_lanes(Engine& engine, bool as_json) {
    const auto lanes = all_lanes(engine);
    if (!lanes) return fail_with(lanes.error(), as_json);
    if (as_json) {
        boost::json::array array;
        for (const auto& lane : *lanes) array.push_back(json_of(lane));
        print_json(boost::json::object{{"lanes", std::move(array)}});
        return 0;
    }
    if (lanes->empty()) {
        print_line("No lanes.");
        return 0;
    }
    Table table({"lane", "state", "since", "registered", "by"});
    for (const auto& lane : *lanes) {
        table.add({printable(lane.lane_id), std::string(to_string(lane.state)), iso_time(lane.state_changed_at_ms),
                   iso_time(lane.registered_at_ms), printable(lane.registered_by)});
    }
    table.print();
    return 0;
}

int change_lane(Engine& engine, const std::string& lane, LaneState state, bool as_json) {
    const auto changed = engine.set_lane_state({.lane_id = lane, .state = state});
    if (!changed) return fail_with(changed.error(), as_json);
    const auto& previous = changed->previous;
    if (as_json) {
        boost::json::object object{
            {"lane_id", changed->lane_id}, {"previous", nullptr}, {"state", to_string(changed->state)}};
        if (previous) object["previous"] = to_string(*previous);
        print_json(object);
        return 0;
    }
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
