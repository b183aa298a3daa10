#include <algorithm>

#include "core/statistics/rate_history.hpp"
#include "engine/queries/page.hpp"
#include "engine/queries/queries.hpp"

namespace flowfabric {
namespace {

constexpr std::int64_t minute_ms = 60'000;

StoreResult<std::vector<LaneCountsRow>> counts_of_page(const ReadStatistics& query, StoreReader& reader) {
    if (!query.lane_id) return reader.lane_counts(query.after.value_or(std::string()), query.limit);
    auto counts = reader.counts_of_lane(*query.lane_id);
    if (!counts) return counts.error();
    std::vector<LaneCountsRow> rows;
    if (*counts != LaneCounts{}) rows.push_back({*query.lane_id, *counts});
    return rows;
}

LaneStatistics statistics_of(const LaneCountsRow& row, std::int64_t now_ms, const RateHistory* history) {
    LaneStatistics lane{.lane_id = row.lane_id,
                        .depth = row.counts.depth,
                        .totals = row.counts.totals,
                        .oldest_eligible_at_ms = std::nullopt,
                        .last_minute = std::nullopt,
                        .last_five_minutes = std::nullopt};
    if (history == nullptr) return lane;
    lane.last_minute = history->rates(row, now_ms, minute_ms);
    lane.last_five_minutes = history->rates(row, now_ms, 5 * minute_ms);
    return lane;
}

}  // namespace

AnswerTo<ReadStatistics> answer(const ReadStatistics& query, StoreReader& reader, const QueryContext& context) {
    const auto all = reader.counts_of_all_lanes();
    if (!all) return all.error();
    const auto page = read_page(query, [&](const ReadStatistics& asked) { return counts_of_page(asked, reader); });
    if (!page) return page.error();
    std::vector<std::string> names;
    for (const LaneCountsRow& row : page->rows) names.push_back(row.lane_id);
    const auto oldest = reader.oldest_eligible(names);
    if (!oldest) return oldest.error();
    const auto now = reader.now();
    if (!now) return now.error();

    Statistics statistics{
        .as_of_ms = *now, .depth = all->depth, .totals = all->totals, .lanes = {}, .next = std::nullopt};
    for (const LaneCountsRow& row : page->rows) {
        LaneStatistics& lane = statistics.lanes.emplace_back(statistics_of(row, *now, context.rates));
        if (const auto at = oldest->find(row.lane_id); at != oldest->end()) lane.oldest_eligible_at_ms = at->second;
    }
    if (page->more) statistics.next = names.back();
    return statistics;
}

}  // namespace flowfabric
