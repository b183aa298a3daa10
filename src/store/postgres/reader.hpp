#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "core/rows/row_type.hpp"
#include "store/clock.hpp"
#include "store/port.hpp"
#include "store/postgres/watermark.hpp"
#include "store/postgres/wire/connection.hpp"
#include "store/sound_rows.hpp"

namespace flowfabric::postgres {

// One reading session. It belongs to one thread at a time.
class Reader final : public StoreReader {
  public:
    // Throws Failure.
    Reader(const std::string& url, std::shared_ptr<TestClock> clock, std::shared_ptr<DamageLog> damage,
           std::shared_ptr<Interrupts> interrupts, StoreDeadline until);

    void end_by(StoreDeadline until) override { connection_.end_by(until); }

    StoreResult<void> limit_reads(std::chrono::milliseconds limit) override;
    StoreResult<std::int64_t> now() override;
    StoreResult<Due> select_due(const DueRows& rows, std::uint32_t limit, const ExecutionFilter& filter) override;
    StoreResult<std::optional<ExecutionRow>> execution(const ExecutionId& id) override;
    StoreResult<std::optional<Bytes>> input(const ExecutionId& id) override;
    StoreResult<std::optional<Bytes>> result(const ExecutionId& id) override;
    StoreResult<std::map<std::string, Bytes>> inputs(const ExecutionId& id) override;
    StoreResult<std::vector<AttemptRow>> attempts(const ExecutionId& id, const std::optional<std::uint32_t>& after,
                                                  std::uint32_t limit) override;
    StoreResult<std::vector<ExecutionRow>> list(const ListExecutions& query) override;
    StoreResult<std::vector<ExecutionSummary>> newest(const SearchWalk& walk) override;
    StoreResult<std::vector<SuspensionRow>> suspended(const ListSuspended& query) override;
    StoreResult<std::vector<ExecutionRow>> expired_leases(const ListExpiredLeases& query,
                                                          std::int64_t as_of_ms) override;
    StoreResult<SideTables> side_rows(const SideRowsWanted& wanted) override;
    StoreResult<Routes> routes() override;
    StoreResult<std::vector<IdempotencyRow>> idempotency_keys() override;
    StoreResult<std::map<ExecutionId, TerminalOutcome>> outcomes(const std::vector<ExecutionId>& ids) override;
    StoreResult<std::vector<Undispatched>> undispatched(std::int64_t age_ms, std::uint32_t limit) override;
    StoreResult<std::vector<Undispatched>> undispatched_of(const std::vector<ExecutionId>& members) override;
    StoreResult<Stalled> stalled(std::int64_t age_ms, const std::optional<ExecutionId>& after,
                                 std::uint32_t limit) override;
    StoreResult<std::vector<EdgeRow>> unresolved_edges(const std::vector<ExecutionId>& upstream,
                                                       std::uint32_t limit) override;
    StoreResult<std::vector<ExecutionId>> needed(const std::vector<ExecutionId>& upstream) override;
    StoreResult<std::vector<FlowRow>> flows(const std::optional<std::uint16_t>& partition,
                                            const std::optional<FlowKey>& after, std::uint32_t limit) override;
    StoreResult<std::vector<FlowMember>> members(const FlowKey& flow, std::uint32_t limit) override;
    StoreResult<std::vector<ExecutionSummary>> member_page(const FlowKey& flow, const std::optional<ExecutionId>& after,
                                                           std::uint32_t limit) override;
    StoreResult<std::vector<FlowTally>> tallies(const std::vector<FlowKey>& flows) override;
    StoreResult<std::vector<FlowRow>> unsummarised(const std::optional<FlowKey>& after, std::uint32_t limit) override;
    StoreResult<std::vector<EdgeId>> edges(const FlowKey& flow, std::uint32_t limit) override;
    StoreResult<std::vector<EdgeRow>> edges_of(const ListEdges& query) override;
    StoreResult<std::vector<EdgeRow>> edge_page(const FlowKey& flow, const std::optional<EdgeId>& after,
                                                std::uint32_t limit) override;
    StoreResult<std::vector<StreamFrameRow>> frames(const FrameRange& range) override;
    StoreResult<std::vector<LaneCountsRow>> lane_counts(const std::string& after, std::uint32_t limit) override;
    StoreResult<LaneCounts> counts_of_lane(const std::string& lane_id) override;
    StoreResult<LaneCounts> counts_of_all_lanes() override;
    StoreResult<std::map<std::string, std::int64_t>> oldest_eligible(const std::vector<std::string>& lanes) override;
    StoreResult<std::vector<Submission>> submissions(std::uint32_t limit, std::int64_t after) override;
    StoreResult<std::vector<Submission>> submissions_of(const std::vector<ExecutionId>& ids) override;
    StoreResult<std::vector<Watermark>> watermarks(const std::vector<Channel>& asked) override;
    StoreResult<EventPage> tail(Channel channel, std::int64_t after, std::int64_t up_to, std::uint32_t limit) override;
    StoreResult<EventPage> tail_of(const ExecutionId& id, Channel channel, std::int64_t after, std::int64_t up_to,
                                   std::uint32_t limit) override;

  private:
    template <class Body>
    auto guarded(Body&& body) {
        return guarded_on(connection_, std::forward<Body>(body));
    }
    template <class Parameters>
    StoreResult<EventPage> read_page(Channel channel, std::uint32_t limit, const Statement& statement,
                                     Parameters&& parameters);
    // From now on this session asks the same few things over and over.
    void follow();
    Sight<ExecutionRow> sound_executions(const Rows& rows);
    void read_side_table(const RowType& type, const SideRowsWanted& all_wanted, SideTables& found);
    std::size_t load_sound_rows(const RowType& type, const Rows& rows, std::size_t most, SideTables& into);
    const Statement& list_statement(const std::optional<PublicState>& state);
    std::optional<std::int64_t> test_time() const;
    std::optional<Bytes> blob(const Statement& statement, const ExecutionId& id);

    std::shared_ptr<TestClock> clock_;
    std::shared_ptr<DamageLog> damage_;
    Connection connection_;
    bool following_ = false;
    std::array<WatermarkTracker, channels.size()> watermarks_;  // by Channel
};

}  // namespace flowfabric::postgres
