#include <algorithm>
#include <limits>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "core/events/subject.hpp"
#include "core/execution/view.hpp"
#include "store/memory/database.hpp"

namespace flowfabric::memory {
namespace {

bool waits_for(const EdgeGroupRow& group, const EdgeRow& edge) {
    return group.group_state == GroupState::pending && group.generation == edge.generation;
}

// Collects what is due, and the earliest time that is not.
class DueCollector {
  public:
    DueCollector(DueSubject subject, std::int64_t now_ms) : subject_(subject), due_{.now_ms = now_ms} {}

    // `admitted`: whether it counts once it is due.
    void meet(std::int64_t at, std::uint16_t partition, const Uuid& id, bool admitted) {
        if (at > due_.now_ms) {
            due_.next_at_ms = std::min(due_.next_at_ms.value_or(at), at);
        } else if (admitted) {
            found_.emplace_back(at, partition, id);
        }
    }

    Due first(std::uint32_t limit) && {
        std::ranges::sort(found_);
        if (!found_.empty()) due_.oldest_at_ms = std::get<0>(found_.front());
        if (found_.size() > limit) found_.resize(limit);
        for (const auto& [at, partition, id] : found_) due_.add(subject_, partition, id);
        return std::move(due_);
    }

  private:
    DueSubject subject_;
    Due due_;
    std::vector<std::tuple<std::int64_t, std::uint16_t, Uuid>> found_;
};

class Reader final : public StoreReader {
  public:
    explicit Reader(std::shared_ptr<Database> database) : database_(std::move(database)) {}

    StoreResult<std::int64_t> now() override { return database_->now(); }

    StoreResult<Due> select_due(const DueRows& rows, std::uint32_t limit, const ExecutionFilter& filter) override {
        const std::lock_guard lock(database_->mutex);
        DueCollector due(rows.subject, database_->now());
        for (const ExecutionTimer* timer : execution_timers) {
            if (timer != &rows) continue;
            for (const auto& [id, stored] : database_->executions) {
                const auto at = stored.row.*timer->at;
                if (at) due.meet(*at, id.partition, id.uuid, timer->holds(stored.row) && filter.admits(stored.row));
            }
        }
        database_->side.each([&]<class Row>(const StoredTable<Row>& table) {
            if constexpr (DueRow<Row>) {
                if (&rows == &due_rows<Row>) meet_all(table, filter, due);
            }
        });
        return std::move(due).first(limit);
    }

    StoreResult<std::optional<ExecutionRow>> execution(const ExecutionId& id) override {
        return find(id, [](const StoredExecution& stored) { return std::optional(stored.row); });
    }
    StoreResult<std::optional<Bytes>> input(const ExecutionId& id) override {
        return find(id, [](const StoredExecution& stored) { return std::optional(stored.input); });
    }
    StoreResult<std::optional<Bytes>> result(const ExecutionId& id) override {
        return find(id, [](const StoredExecution& stored) { return stored.result; });
    }

    StoreResult<std::map<std::string, Bytes>> inputs(const ExecutionId& id) override {
        const std::lock_guard lock(database_->mutex);
        std::map<std::string, Bytes> by_ref;
        const auto found = database_->flow_inputs.find(id);
        if (found == database_->flow_inputs.end()) return by_ref;
        for (const auto& [edge, input] : found->second) by_ref.insert_or_assign(input.ref, input.payload);
        return by_ref;
    }

    StoreResult<std::vector<AttemptRow>> attempts(const ExecutionId& id, const std::optional<std::uint32_t>& after,
                                                  std::uint32_t limit) override {
        const std::lock_guard lock(database_->mutex);
        std::vector<AttemptRow> rows;
        for (auto at = database_->attempts.lower_bound({id, 0});
             at != database_->attempts.end() && at->first.first == id && rows.size() < limit; ++at) {
            if (after && std::cmp_less_equal(at->first.second, *after)) continue;
            rows.push_back(at->second);
        }
        return rows;
    }

    StoreResult<std::vector<ExecutionRow>> list(const ListExecutions& query) override {
        const std::lock_guard lock(database_->mutex);
        std::vector<ExecutionRow> rows;
        auto at = query.after ? database_->executions.upper_bound(*query.after) : database_->executions.begin();
        for (; at != database_->executions.end() && rows.size() < query.limit; ++at) {
            const ExecutionRow& row = at->second.row;
            const bool wanted = (!query.state || row.vector.public_state == *query.state) &&
                                (!query.partition || row.id.partition == *query.partition);
            if (wanted) rows.push_back(row);
        }
        return rows;
    }

    StoreResult<std::vector<ExecutionSummary>> newest(const SearchWalk& walk) override {
        const std::lock_guard lock(database_->mutex);
        std::map<SearchPlace, const ExecutionRow*> found;
        for (const auto& [id, stored] : database_->executions) {
            const ExecutionRow& row = stored.row;
            const bool by_id = walk.by == SearchWalk::By::flow;
            const SearchPlace place{by_id ? 0 : row.created_at_ms, id};
            const bool before = by_id ? id.uuid < walk.before.execution_id.uuid : place < walk.before;
            if (before && (by_id || row.created_at_ms >= walk.not_before_ms) && leads_to(walk, row)) {
                found.emplace(place, &row);
            }
        }
        std::vector<ExecutionSummary> summaries;
        for (auto at = found.rbegin(); at != found.rend() && summaries.size() < walk.limit; ++at) {
            summaries.push_back(summary_of(*at->second));
        }
        return summaries;
    }

    StoreResult<std::vector<SuspensionRow>> suspended(const ListSuspended& query) override {
        const std::lock_guard lock(database_->mutex);
        std::map<SuspendedPlace, SuspensionRow> found;
        for (const auto& [key, row] : database_->side.of<SuspensionRow>().rows) {
            const SuspendedPlace place{row.suspended_at_ms, key.id};
            const bool wanted = !row.closed_at_ms && (!query.partition || key.id.partition == *query.partition);
            if (wanted && (!query.after || place > *query.after)) found.emplace(place, row);
        }
        std::vector<SuspensionRow> rows;
        for (const auto& [place, row] : found) {
            if (rows.size() < query.limit) rows.push_back(row);
        }
        return rows;
    }

    StoreResult<std::vector<ExecutionRow>> expired_leases(const ListExpiredLeases& query,
                                                          std::int64_t as_of_ms) override {
        const std::lock_guard lock(database_->mutex);
        std::map<ExpiredLeasePlace, ExecutionRow> found;
        for (const auto& [id, stored] : database_->executions) {
            const ExecutionRow& row = stored.row;
            const bool lapsed = row.vector.ownership_state == OwnershipState::leased ||
                                row.vector.ownership_state == OwnershipState::lease_expired_reclaimable;
            if (!lapsed || row.lease_expires_at_ms.value_or(as_of_ms + 1) > as_of_ms) continue;
            if (query.namespace_name && row.namespace_name != *query.namespace_name) continue;
            const ExpiredLeasePlace place{*row.lease_expires_at_ms, id};
            if (!query.after || place > *query.after) found.emplace(place, row);
        }
        std::vector<ExecutionRow> rows;
        for (const auto& [place, row] : found) {
            if (rows.size() < query.limit) rows.push_back(row);
        }
        return rows;
    }

    StoreResult<std::vector<StreamFrameRow>> frames(const FrameRange& range) override {
        const std::lock_guard lock(database_->mutex);
        std::vector<StreamFrameRow> found;
        const auto& metas = database_->side.of<StreamMetaRow>().rows;
        const auto meta = metas.find(range.stream);
        if (meta == metas.end()) return found;
        const auto& frames = database_->side.of<StreamFrameRow>().rows;
        for (auto at = frames.lower_bound({range.stream, range.from.ts_ms, range.from.seq});
             at != frames.end() && at->first.stream == range.stream && at->first.id() <= range.to &&
             found.size() < range.limit;
             ++at) {
            const bool hidden =
                range.visibility == FrameVisibility::exclude_best_effort && at->second.mode == FrameMode::best_effort;
            if (!hidden && at->second.frame_no > meta->second.cut_through) found.push_back(at->second);
        }
        return found;
    }

    StoreResult<SideTables> side_rows(const SideRowsWanted& wanted) override {
        const std::lock_guard lock(database_->mutex);
        SideTables found;
        read_rows(database_->side, wanted, found);
        return found;
    }
    StoreResult<Routes> routes() override {
        const std::lock_guard lock(database_->mutex);
        return database_->routes();
    }
    StoreResult<std::map<ExecutionId, TerminalOutcome>> outcomes(const std::vector<ExecutionId>& ids) override {
        const std::lock_guard lock(database_->mutex);
        std::map<ExecutionId, TerminalOutcome> found;
        for (const ExecutionId& id : ids) {
            const auto stored = database_->executions.find(id);
            if (stored != database_->executions.end()) found[id] = stored->second.row.vector.terminal_outcome;
        }
        return found;
    }
    StoreResult<std::vector<Undispatched>> undispatched(std::int64_t age_ms, std::uint32_t limit) override {
        const std::lock_guard lock(database_->mutex);
        const std::int64_t until = database_->now() - age_ms;
        std::vector<Undispatched> found;
        for (const CompletionEvent& event : database_->logs.of<CompletionEvent>().events) {
            if (found.size() == limit) break;
            const bool waits = event.flow_id && !event.dispatched_at_ms && event.occurred_at_ms <= until;
            if (waits) found.push_back(undispatched_end(event));
        }
        return found;
    }

    StoreResult<std::vector<Undispatched>> undispatched_of(const std::vector<ExecutionId>& members) override {
        const std::lock_guard lock(database_->mutex);
        std::vector<Undispatched> found;
        for (const CompletionEvent& event : database_->logs.of<CompletionEvent>().events) {
            const bool waits = event.flow_id && !event.dispatched_at_ms;
            if (waits && std::ranges::binary_search(members, event.execution_id)) {
                found.push_back(undispatched_end(event));
            }
        }
        return found;
    }

    StoreResult<Stalled> stalled(std::int64_t age_ms, const std::optional<ExecutionId>& after,
                                 std::uint32_t limit) override {
        const std::lock_guard lock(database_->mutex);
        std::set<ExecutionId> upstream;
        for (const auto& [key, edge] : database_->side.of<EdgeRow>().rows) {
            const ExecutionId from{key.flow.partition, edge.upstream};
            if (edge.dependency_state == DependencyState::unsatisfied && (!after || from > *after))
                upstream.insert(from);
        }
        Stalled found;
        for (const ExecutionId& id : upstream) {
            if (limit-- == 0) break;
            found.continue_after = id;
            const auto stored = database_->executions.find(id);
            if (stored == database_->executions.end()) continue;
            const ExecutionRow& row = stored->second.row;
            const bool ended = row.flow_id && row.terminal_at_ms && *row.terminal_at_ms <= database_->now() - age_ms;
            if (ended) found.ends.push_back({0, id, *row.flow_id, row.vector.terminal_outcome});
        }
        return found;
    }

    StoreResult<std::vector<EdgeRow>> unresolved_edges(const std::vector<ExecutionId>& upstream,
                                                       std::uint32_t limit) override {
        const std::lock_guard lock(database_->mutex);
        std::vector<EdgeRow> found;
        for (const auto& [key, edge] : database_->side.of<EdgeRow>().rows) {
            if (found.size() == limit) break;
            const bool unresolved = edge.dependency_state == DependencyState::unsatisfied;
            const ExecutionId from{key.flow.partition, edge.upstream};
            if (unresolved && std::ranges::binary_search(upstream, from)) found.push_back(edge);
        }
        return found;
    }

    StoreResult<std::vector<ExecutionId>> needed(const std::vector<ExecutionId>& upstream) override {
        const std::lock_guard lock(database_->mutex);
        const auto& groups = database_->side.of<EdgeGroupRow>().rows;
        std::set<ExecutionId> found;
        for (const auto& [key, edge] : database_->side.of<EdgeRow>().rows) {
            const ExecutionId from{key.flow.partition, edge.upstream};
            const bool open = edge.dependency_state == DependencyState::unsatisfied;
            if (!open || !std::ranges::binary_search(upstream, from)) continue;
            const auto group = groups.find(edge.group());
            if (group != groups.end() && waits_for(group->second, edge)) found.insert(from);
        }
        return std::vector(found.begin(), found.end());
    }

    StoreResult<std::vector<FlowRow>> flows(const std::optional<std::uint16_t>& partition,
                                            const std::optional<FlowKey>& after, std::uint32_t limit) override {
        const std::lock_guard lock(database_->mutex);
        const auto& rows = database_->side.of<FlowRow>().rows;
        auto at = after ? rows.upper_bound(*after) : rows.lower_bound({partition.value_or(0), {}});
        std::vector<FlowRow> found;
        for (; at != rows.end() && at->first.partition <= partition.value_or(max_partition) && found.size() < limit;
             ++at) {
            found.push_back(at->second);
        }
        return found;
    }

    StoreResult<std::vector<FlowMember>> members(const FlowKey& flow, std::uint32_t limit) override {
        const std::lock_guard lock(database_->mutex);
        auto found = database_->members(flow);
        if (found.size() > limit) found.resize(limit);
        return found;
    }

    StoreResult<std::vector<ExecutionSummary>> member_page(const FlowKey& flow, const std::optional<ExecutionId>& after,
                                                           std::uint32_t limit) override {
        const std::lock_guard lock(database_->mutex);
        std::vector<ExecutionSummary> found;
        for (const FlowMember& member : database_->members(flow)) {
            if (found.size() == limit) break;
            if (!after || member.id > *after) found.push_back(summary_of(database_->executions.at(member.id).row));
        }
        return found;
    }

    StoreResult<std::vector<FlowTally>> tallies(const std::vector<FlowKey>& flows) override {
        const std::lock_guard lock(database_->mutex);
        const auto& rows = database_->side.of<FlowRow>().rows;
        std::vector<FlowTally> found;
        for (const FlowKey& flow : flows) {
            const auto row = rows.find(flow);
            if (row != rows.end()) found.push_back({row->second, database_->tally(flow)});
        }
        return found;
    }

    StoreResult<std::vector<FlowRow>> unsummarised(const std::optional<FlowKey>& after, std::uint32_t limit) override {
        const std::lock_guard lock(database_->mutex);
        const auto& rows = database_->side.of<FlowRow>().rows;
        std::vector<FlowRow> found;
        for (auto at = after ? rows.upper_bound(*after) : rows.begin(); at != rows.end() && found.size() < limit;
             ++at) {
            if (!at->second.summarised) found.push_back(at->second);
        }
        return found;
    }

    StoreResult<std::vector<EdgeId>> edges(const FlowKey& flow, std::uint32_t limit) override {
        const std::lock_guard lock(database_->mutex);
        const auto& rows = database_->side.of<EdgeRow>().rows;
        std::vector<EdgeId> found;
        for (auto at = rows.lower_bound({flow, {}}); at != rows.end() && at->first.flow == flow && found.size() < limit;
             ++at) {
            found.push_back(at->first.edge_id);
        }
        return found;
    }

    StoreResult<std::vector<EdgeRow>> edges_of(const ListEdges& query) override {
        const std::lock_guard lock(database_->mutex);
        const FlowKey flow = key_of(query.flow_id);
        const auto& rows = database_->side.of<EdgeRow>().rows;
        std::vector<EdgeRow> found;
        auto at = query.after ? rows.upper_bound({flow, *query.after}) : rows.lower_bound({flow, {}});
        for (; at != rows.end() && at->first.flow == flow && found.size() < query.limit; ++at) {
            const bool incoming = query.direction == ListEdges::Direction::incoming;
            const Uuid& end = incoming ? at->second.downstream : at->second.upstream;
            if (end == query.execution_id.uuid) found.push_back(at->second);
        }
        return found;
    }

    StoreResult<std::vector<EdgeRow>> edge_page(const FlowKey& flow, const std::optional<EdgeId>& after,
                                                std::uint32_t limit) override {
        const std::lock_guard lock(database_->mutex);
        const auto& rows = database_->side.of<EdgeRow>().rows;
        std::vector<EdgeRow> found;
        auto at = after ? rows.upper_bound({flow, *after}) : rows.lower_bound({flow, {}});
        for (; at != rows.end() && at->first.flow == flow && found.size() < limit; ++at) found.push_back(at->second);
        return found;
    }

    StoreResult<std::vector<Submission>> submissions(std::uint32_t, std::int64_t) override {
        return std::vector<Submission>{};
    }
    StoreResult<std::vector<Submission>> submissions_of(const std::vector<ExecutionId>&) override {
        return std::vector<Submission>{};
    }
    StoreResult<std::vector<IdempotencyRow>> idempotency_keys() override {
        const std::lock_guard lock(database_->mutex);
        std::vector<IdempotencyRow> rows;
        for (const auto& [key, row] : database_->idempotency) rows.push_back(row);
        return rows;
    }

    StoreResult<std::vector<Watermark>> watermarks(const std::vector<Channel>& asked) override {
        const std::lock_guard lock(database_->mutex);
        std::vector<Watermark> found;
        for (const Channel channel : asked) {
            const auto last = database_->with_log(channel, [](const auto& log) { return log.last_id; });
            found.push_back({.decided = last, .drawn = last});
        }
        return found;
    }

    StoreResult<EventPage> tail(Channel channel, std::int64_t after, std::int64_t up_to, std::uint32_t limit) override {
        const std::lock_guard lock(database_->mutex);
        EventPage page{.events = {}, .trimmed = database_->trimmed[index_of(channel)]};
        database_->with_log(channel, [&](const auto& log) {
            auto event = std::ranges::upper_bound(log.events, after, {}, [](const auto& e) { return e.event_id; });
            for (; event != log.events.end() && event->event_id <= up_to && page.events.size() < limit; ++event) {
                page.events.emplace_back(*event);
            }
        });
        return page;
    }

    StoreResult<std::vector<LaneCountsRow>> lane_counts(const std::string& after, std::uint32_t limit) override {
        const std::lock_guard lock(database_->mutex);
        std::vector<LaneCountsRow> rows;
        const auto& all = database_->lane_counts;
        for (auto lane = all.upper_bound(after); lane != all.end() && rows.size() < limit; ++lane) {
            rows.push_back({lane->first, lane->second});
        }
        return rows;
    }

    StoreResult<LaneCounts> counts_of_lane(const std::string& lane_id) override {
        const std::lock_guard lock(database_->mutex);
        const auto lane = database_->lane_counts.find(lane_id);
        return lane == database_->lane_counts.end() ? LaneCounts{} : lane->second;
    }

    StoreResult<LaneCounts> counts_of_all_lanes() override {
        const std::lock_guard lock(database_->mutex);
        LaneCounts sum;
        for (const auto& [lane_id, counts] : database_->lane_counts) add_counts(sum, counts);
        return sum;
    }

    StoreResult<std::map<std::string, std::int64_t>> oldest_eligible(const std::vector<std::string>& lanes) override {
        const std::lock_guard lock(database_->mutex);
        std::map<std::string, std::int64_t> oldest;
        for (const auto& [id, stored] : database_->executions) {
            const ExecutionRow& row = stored.row;
            const bool eligible = row.vector.eligibility_state == EligibilityState::eligible_now;
            if (!eligible || std::ranges::find(lanes, row.lane_id) == lanes.end()) continue;
            auto& at = oldest.try_emplace(row.lane_id, row.created_at_ms).first->second;
            at = std::min(at, row.created_at_ms);
        }
        return oldest;
    }

    StoreResult<EventPage> tail_of(const ExecutionId& id, Channel channel, std::int64_t after, std::int64_t up_to,
                                   std::uint32_t limit) override {
        auto page = tail(channel, after, up_to, std::numeric_limits<std::uint32_t>::max());
        if (!page) return page;
        std::erase_if(page->events, [&](const Event& event) { return !is_about(event, id); });
        if (page->events.size() > limit) page->events.resize(limit);
        return page;
    }

  private:
    bool leads_to(const SearchWalk& walk, const ExecutionRow& row) const {
        switch (walk.by) {
            case SearchWalk::By::time:
                break;
            case SearchWalk::By::lane:
                return row.lane_id == walk.name;
            case SearchWalk::By::namespace_name:
                return row.namespace_name == walk.name;
            case SearchWalk::By::kind:
                return row.execution_kind == walk.name;
            case SearchWalk::By::term:
                return database_->side.of<SearchTermRow>().rows.contains({row.id, walk.term});
            case SearchWalk::By::flow:
                return row.id.partition == walk.flow.partition && row.flow_id == walk.flow.flow_id;
        }
        return true;
    }

    template <DueRow Row>
    void meet_all(const StoredTable<Row>& table, const ExecutionFilter& filter, DueCollector& due) const {
        for (const auto& [key, row] : table.rows) {
            const auto at = row.due_at_ms();
            if (!at) continue;
            if constexpr (OwnedRow<Row>) {
                const ExecutionId id = row.owner();
                due.meet(*at, id.partition, id.uuid, filter.admits(database_->executions.at(id).row));
            } else if constexpr (due_rows<Row>.subject == DueSubject::itself) {
                due.meet(*at, key.partition, row.due_id(), filter.empty());
            } else {
                const auto& flows = database_->side.of<FlowRow>().rows;
                const auto flow = flows.find(key);
                const bool admitted = filter.empty() || (flow != flows.end() && filter.admits(flow->second));
                due.meet(*at, key.partition, key.flow_id.uuid, admitted);
            }
        }
    }

    template <class Pick>
    auto find(const ExecutionId& id, Pick pick) -> StoreResult<decltype(pick(std::declval<const StoredExecution&>()))> {
        const std::lock_guard lock(database_->mutex);
        const auto stored = database_->executions.find(id);
        if (stored == database_->executions.end()) return decltype(pick(stored->second)){};
        return pick(stored->second);
    }

    std::shared_ptr<Database> database_;
};

}  // namespace

std::unique_ptr<StoreReader> make_reader(std::shared_ptr<Database> database) {
    return std::make_unique<Reader>(std::move(database));
}

}  // namespace flowfabric::memory
