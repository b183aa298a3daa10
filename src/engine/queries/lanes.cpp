#include "core/execution/view.hpp"
#include "engine/queries/page.hpp"
#include "engine/queries/queries.hpp"

namespace flowfabric {

AnswerTo<DescribeLane> answer(const DescribeLane& query, StoreReader& reader, const QueryContext&) {
    const auto lane = reader.row<LaneRow>({query.lane_id});
    if (!lane) return lane.error();
    return *lane ? std::optional(view_of(**lane)) : std::nullopt;
}

AnswerTo<ListLanes> answer(const ListLanes& query, StoreReader& reader, const QueryContext&) {
    const auto lanes = reader.all<LaneRow>();
    if (!lanes) return lanes.error();
    std::vector<LaneView> views;
    for (const LaneRow& lane : *lanes) views.push_back(view_of(lane));
    return page_of(query, std::move(views), &LanePage::lanes, &LaneView::lane_id);
}

}  // namespace flowfabric
