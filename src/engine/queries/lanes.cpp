#include <algorithm>

#include "core/execution/view.hpp"
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
    LanePage page;
    const std::size_t limit = std::min(query.limit, max_page);
    for (const LaneRow& lane : *lanes) {
        if (limit == 0 || (query.after && lane.key.lane_id <= *query.after)) continue;
        if (page.lanes.size() == limit) {
            page.next = page.lanes.back().lane_id;
            break;
        }
        page.lanes.push_back(view_of(lane));
    }
    return page;
}

}  // namespace flowfabric
