#include "core/base/names.hpp"
#include "core/execution/view.hpp"
#include "runtime/engine_impl.hpp"

namespace flowfabric {

Result<std::optional<LaneView>> Engine::describe_lane(const std::string& lane_id) {
    if (auto checked = check_lane_id(lane_id); !checked) return checked.error();
    const LaneKey key{lane_id};
    SideRowsWanted wanted;
    wanted.of<LaneRow>().keys = {key};
    const auto lanes = impl_->readers().run([&](StoreReader& reader) { return reader.side_rows(wanted); });
    if (!lanes) return lanes.error();
    const LaneRow* lane = lanes->of<LaneRow>().find(key);
    return lane == nullptr ? std::nullopt : std::optional(view_of(*lane));
}

}  // namespace flowfabric
