#include <algorithm>
#include <limits>

#include "core/base/partition.hpp"
#include "core/rows/key_text.hpp"
#include "store/sqlite/instance.hpp"
#include "store/sqlite/location.hpp"
#include "store/sqlite/query.hpp"
#include "store/sqlite/side_table.hpp"
#include "store/sqlite/statements.hpp"
#include "store/walk_start.hpp"

namespace flowfabric::sqlite {
namespace {

// Below this it is cheaper to sort all rows of a state than to look for them along the primary key.
constexpr std::uint32_t rare_state = 10'000;

Database open_for_reading(const std::string& path) {
    Database database(path, OpenMode::read_only);
    database.execute("PRAGMA cache_size = -8192; PRAGMA temp_store = MEMORY");
    return database;
}

// What is read within it is of one moment.
class ReadTransaction {
  public:
    explicit ReadTransaction(const Database& database) : database_(database) { database_.execute("BEGIN"); }
    ~ReadTransaction() { sqlite3_exec(database_.get(), "COMMIT", nullptr, nullptr, nullptr); }
    ReadTransaction(const ReadTransaction&) = delete;
    ReadTransaction& operator=(const ReadTransaction&) = delete;

  private:
    const Database& database_;
};

// A connection that only reads. No statement stays open between calls, so that it never holds up a checkpoint.
class SqliteReader final : public StoreReader {
  public:
    explicit SqliteReader(std::shared_ptr<Instance> instance)
        : instance_(std::move(instance)), database_(open_for_reading(instance_->path)) {
        constexpr int steps_between_looks = 10'000;
        sqlite3_progress_handler(
            database_.get(), steps_between_looks,
            [](void* reader) { return static_cast<SqliteReader*>(reader)->called_off() ? 1 : 0; }, this);
    }

    void end_by(StoreDeadline until) override { deadline_ = until; }

    StoreResult<std::int64_t> now() override {
        return guarded([&] { return read_now(); });
    }

    StoreResult<Due> select_due(const DueRows& rows, std::uint32_t limit, const ExecutionFilter& filter) override {
        return guarded([&] {
            auto& [find, find_next] = due_.at(&rows);
            Due due;
            due.now_ms = read_now();
            const auto key = filter.tag ? std::optional(filter.tag->first) : std::nullopt;
            const auto value = filter.tag ? std::optional(filter.tag->second) : std::nullopt;
            for (Query query(find, due.now_ms, limit, filter.namespace_name, key, value); query.next();) {
                const auto partition = query.take<std::uint16_t>();
                const auto id = query.take<Uuid>();
                due.add(rows.subject, partition, id);
                const auto at = query.take<std::int64_t>();
                if (!due.oldest_at_ms) due.oldest_at_ms = at;
            }
            Query query(find_next, due.now_ms);
            if (query.next()) query.read(due.next_at_ms);
            return due;
        });
    }

    StoreResult<std::optional<ExecutionRow>> execution(const ExecutionId& id) override {
        return guarded([&] {
            std::optional<ExecutionRow> row;
            if (Query query(find_execution_, id.partition, id.uuid); query.next()) read_row(query, row.emplace());
            return row;
        });
    }

    StoreResult<std::optional<Bytes>> input(const ExecutionId& id) override { return find_bytes(find_input_, id); }
    StoreResult<std::optional<Bytes>> result(const ExecutionId& id) override { return find_bytes(find_result_, id); }

    StoreResult<std::map<std::string, Bytes>> inputs(const ExecutionId& id) override {
        return guarded([&] {
            std::map<std::string, Bytes> by_ref;
            for (Query query(find_inputs_, id.partition, id.uuid); query.next();) {
                auto ref = query.take<std::string>();
                by_ref.insert_or_assign(std::move(ref), query.take_bytes());
            }
            return by_ref;
        });
    }

    StoreResult<std::vector<AttemptRow>> attempts(const ExecutionId& id, const std::optional<std::uint32_t>& after,
                                                  std::uint32_t limit) override {
        return guarded([&] {
            Query query(list_attempts_, id.partition, id.uuid, after ? std::int64_t{*after} : -1, limit);
            return read_rows<AttemptRow>(query);
        });
    }

    StoreResult<std::vector<ExecutionRow>> list(const ListExecutions& query) override {
        return guarded([&] {
            auto statement = prepare(list_text(query.state));
            const auto [partition, uuid] = walk_start(query.partition, query.after);
            return whole_page(query.limit, [&](std::int64_t limit) {
                Query rows(statement, partition, uuid, query.partition.value_or(flow_partitions));
                if (query.state) rows.bind(*query.state);
                rows.bind(limit);
                return read_sound_executions(rows, damage());
            });
        });
    }

    StoreResult<std::vector<ExecutionSummary>> newest(const SearchWalk& walk) override {
        return guarded([&] {
            Statement& statement = newest_.at(static_cast<std::size_t>(walk.by));
            const std::int64_t time = walk.before.created_at_ms;
            const auto& [partition, uuid] = walk.before.execution_id;
            const auto read = [&](const auto&... values) {
                Query query(statement, values...);
                return read_sound_summaries(query, damage());
            };
            return whole_page(walk.limit, [&](std::int64_t limit) {
                switch (walk.by) {
                    case SearchWalk::By::time:
                        return read(time, partition, uuid, walk.not_before_ms, limit);
                    case SearchWalk::By::term:
                        return read(walk.term, time, partition, uuid, walk.not_before_ms, limit);
                    case SearchWalk::By::flow:
                        return read(walk.flow.partition, walk.flow.flow_id, uuid, limit);
                    default:
                        return read(walk.name, time, partition, uuid, walk.not_before_ms, limit);
                }
            });
        });
    }

    StoreResult<std::vector<SuspensionRow>> suspended(const ListSuspended& query) override {
        return guarded([&] {
            const SuspendedPlace after = query.after.value_or(SuspendedPlace{});
            return whole_page(query.limit, [&](std::int64_t limit) {
                Query rows(suspended_, after.suspended_at_ms, after.execution_id.partition, after.execution_id.uuid,
                           query.partition, limit);
                return read_sound_rows<SuspensionRow>(rows, damage());
            });
        });
    }

    StoreResult<std::vector<StreamFrameRow>> frames(const FrameRange& range) override {
        return guarded([&] {
            const auto& [id, attempt_index] = range.stream;
            const auto hidden =
                range.visibility == FrameVisibility::all ? std::nullopt : std::optional(FrameMode::best_effort);
            return whole_page(range.limit, [&](std::int64_t asked) {
                Query query(frames_, id.partition, id.uuid, attempt_index, range.from.ts_ms, range.from.seq,
                            range.to.ts_ms, range.to.seq, hidden, asked);
                return read_sound_rows<StreamFrameRow>(query, damage());
            });
        });
    }

    StoreResult<std::vector<ExecutionRow>> expired_leases(const ListExpiredLeases& query,
                                                          std::int64_t as_of_ms) override {
        return guarded([&] {
            const ExpiredLeasePlace after = query.after.value_or(ExpiredLeasePlace{});
            return whole_page(query.limit, [&](std::int64_t limit) {
                Query rows(expired_leases_, as_of_ms, after.expires_at_ms, after.execution_id.partition,
                           after.execution_id.uuid, query.namespace_name, limit);
                return read_sound_executions(rows, damage());
            });
        });
    }

    StoreResult<SideTables> side_rows(const SideRowsWanted& wanted) override {
        return guarded([&] {
            SideTables found;
            for (SideTable& table : side_) table.look(wanted, found, damage());
            return found;
        });
    }

    StoreResult<std::map<ExecutionId, TerminalOutcome>> outcomes(const std::vector<ExecutionId>& ids) override {
        return guarded([&] {
            std::map<ExecutionId, TerminalOutcome> found;
            for (const ExecutionId& id : ids) {
                Query query(find_outcome_, id.partition, id.uuid);
                if (!query.next()) continue;
                read_or_report<Fault>(
                    damage(), "ff_exec_core", [&] { return id.to_string(); },
                    [&] { found.emplace(id, query.take<TerminalOutcome>()); });
            }
            return found;
        });
    }

    StoreResult<std::vector<Undispatched>> undispatched(std::int64_t age_ms, std::uint32_t limit) override {
        return guarded([&] {
            const auto until_ms = read_now() - age_ms;
            return whole_page(limit, [&](std::int64_t asked) { return read_undispatched(until_ms, asked); });
        });
    }

    // Few wait to be dispatched.
    StoreResult<std::vector<Undispatched>> undispatched_of(const std::vector<ExecutionId>& members) override {
        return guarded([&] {
            auto found = read_undispatched(std::numeric_limits<std::int64_t>::max(), -1).rows;
            std::erase_if(
                found, [&](const Undispatched& end) { return !std::ranges::binary_search(members, end.execution_id); });
            return found;
        });
    }

    StoreResult<Stalled> stalled(std::int64_t age_ms, const std::optional<ExecutionId>& after,
                                 std::uint32_t limit) override {
        return guarded([&] {
            Stalled found;
            const int partition = after ? after->partition : -1;
            const Uuid uuid = after ? after->uuid : Uuid{};
            for (Query query(stalled_, partition, uuid, limit, read_now() - age_ms); query.next();) {
                Undispatched end;
                query.read(end.execution_id.partition);
                query.read(end.execution_id.uuid);
                found.continue_after = end.execution_id;
                const auto flow_id = query.take<std::optional<FlowId>>();
                if (!flow_id) continue;
                end.flow_id = *flow_id;
                const auto name = [&] { return end.execution_id.to_string(); };
                const bool sound =
                    read_or_report<Fault>(damage(), "ff_exec_core", name, [&] { query.read(end.outcome); });
                if (sound) found.ends.push_back(end);
            }
            return found;
        });
    }

    // Each upstream has its own range of the index.
    StoreResult<std::vector<EdgeRow>> unresolved_edges(const std::vector<ExecutionId>& upstream,
                                                       std::uint32_t limit) override {
        return guarded([&] {
            std::vector<EdgeRow> found;
            for (const ExecutionId& id : upstream) {
                std::ranges::move(whole_page(limit,
                                             [&](std::int64_t asked) {
                                                 Query query(unresolved_edges_, id.partition, id.uuid, asked);
                                                 return read_sound_rows<EdgeRow>(query, damage());
                                             }),
                                  std::back_inserter(found));
            }
            std::ranges::sort(found, {}, &EdgeRow::key);
            if (found.size() > limit) found.resize(limit);
            return found;
        });
    }

    StoreResult<std::vector<ExecutionId>> needed(const std::vector<ExecutionId>& upstream) override {
        return guarded([&] {
            std::vector<ExecutionId> found;
            for (const ExecutionId& id : upstream) {
                if (Query(is_needed_, id.partition, id.uuid).next()) found.push_back(id);
            }
            return found;
        });
    }

    StoreResult<std::vector<FlowRow>> flows(const std::optional<std::uint16_t>& partition,
                                            const std::optional<FlowKey>& after, std::uint32_t limit) override {
        return guarded([&] {
            const WalkStart start = walk_start(partition, after);
            return whole_page(limit, [&](std::int64_t asked) {
                Query query(flows_, start.partition, start.uuid, partition.value_or(max_partition), asked);
                return read_sound_rows<FlowRow>(query, damage());
            });
        });
    }

    StoreResult<std::vector<FlowMember>> members(const FlowKey& flow, std::uint32_t limit) override {
        return guarded([&] {
            return whole_page(limit, [&](std::int64_t asked) { return read_members(members_, flow, damage(), asked); });
        });
    }

    StoreResult<std::vector<ExecutionSummary>> member_page(const FlowKey& flow, const std::optional<ExecutionId>& after,
                                                           std::uint32_t limit) override {
        return guarded([&] {
            const auto after_uuid = after ? std::optional(after->uuid) : std::nullopt;
            return whole_page(limit, [&](std::int64_t asked) {
                Query query(member_page_, flow.partition, flow.flow_id, after_uuid, asked);
                return read_sound_summaries(query, damage());
            });
        });
    }

    StoreResult<std::vector<FlowTally>> tallies(const std::vector<FlowKey>& flows) override {
        return guarded([&] {
            const ReadTransaction moment(database_);
            std::vector<FlowTally> found;
            for (const FlowKey& key : flows) {
                SideRowsWanted wanted;
                wanted.of<FlowRow>().keys = {key};
                // Damaged by itself, or one of its members is.
                const auto name = [&] { return key_text(key); };
                read_or_report<Fault>(damage(), FlowRow::table, name, [&] {
                    SideTables rows;
                    side_[side_table_position<FlowRow>].look(wanted, rows, damage());
                    if (const FlowRow* row = rows.of<FlowRow>().find(key))
                        found.push_back({*row, read_tally(tally_, key)});
                });
            }
            return found;
        });
    }

    StoreResult<std::vector<FlowRow>> unsummarised(const std::optional<FlowKey>& after, std::uint32_t limit) override {
        return guarded([&] {
            const int partition = after ? after->partition : -1;
            const FlowId flow_id = after ? after->flow_id : FlowId{};  // bound as it stands, not copied
            return whole_page(limit, [&](std::int64_t asked) {
                Query query(unsummarised_, partition, flow_id, asked);
                return read_sound_rows<FlowRow>(query, damage());
            });
        });
    }

    StoreResult<std::vector<EdgeId>> edges(const FlowKey& flow, std::uint32_t limit) override {
        return guarded([&] {
            std::vector<EdgeId> found;
            for (Query query(edges_in_, flow.partition, flow.flow_id, limit); query.next();) {
                query.read(found.emplace_back());
            }
            return found;
        });
    }

    StoreResult<std::vector<EdgeRow>> edges_of(const ListEdges& query) override {
        return guarded([&] {
            const FlowKey flow = key_of(query.flow_id);
            Statement& edges = query.direction == ListEdges::Direction::incoming ? edges_in_to_ : edges_out_of_;
            return whole_page(query.limit, [&](std::int64_t asked) {
                Query rows(edges, flow.partition, query.execution_id.uuid, flow.flow_id, query.after, asked);
                return read_sound_rows<EdgeRow>(rows, damage());
            });
        });
    }

    StoreResult<std::vector<EdgeRow>> edge_page(const FlowKey& flow, const std::optional<EdgeId>& after,
                                                std::uint32_t limit) override {
        return guarded([&] {
            return whole_page(limit, [&](std::int64_t asked) {
                Query query(edge_page_, flow.partition, flow.flow_id, after, asked);
                return read_sound_rows<EdgeRow>(query, damage());
            });
        });
    }

    StoreResult<std::vector<LaneCountsRow>> lane_counts(const std::string& after, std::uint32_t limit) override {
        return guarded([&] {
            std::vector<LaneCountsRow> rows;
            for (Query query(lane_counts_, after, limit); query.next();) {
                query.read(rows.emplace_back().lane_id);
                read_row(query, rows.back().counts);
            }
            return rows;
        });
    }

    StoreResult<LaneCounts> counts_of_lane(const std::string& lane_id) override {
        return guarded([&] {
            LaneCounts counts;
            if (Query query(counts_of_lane_, lane_id); query.next()) read_row(query, counts);
            return counts;
        });
    }

    StoreResult<LaneCounts> counts_of_all_lanes() override {
        return guarded([&] {
            LaneCounts counts;
            if (Query query(counts_of_all_lanes_); query.next()) read_row(query, counts);
            return counts;
        });
    }

    StoreResult<std::map<std::string, std::int64_t>> oldest_eligible(const std::vector<std::string>& lanes) override {
        return guarded([&] {
            const ReadTransaction transaction(database_);
            std::map<std::string, std::int64_t> oldest;
            for (const std::string& lane_id : lanes) {
                for (Query query(lane_classes_, lane_id); query.next();) {
                    const auto found = oldest_of_class(query.take<std::int32_t>());
                    if (!found) continue;
                    auto& at = oldest.try_emplace(lane_id, *found).first->second;
                    at = std::min(at, *found);
                }
            }
            return oldest;
        });
    }

    StoreResult<Routes> routes() override {
        return guarded([&] { return read_routes(list_routes_, side_, damage()); });
    }

    // Users' transactions are not in this file: nobody submits here but engines.
    StoreResult<std::vector<Submission>> submissions(std::uint32_t, std::int64_t) override {
        return std::vector<Submission>{};
    }
    StoreResult<std::vector<Submission>> submissions_of(const std::vector<ExecutionId>&) override {
        return std::vector<Submission>{};
    }

    StoreResult<std::vector<IdempotencyRow>> idempotency_keys() override {
        return guarded([&] {
            std::vector<IdempotencyRow> keys;
            for (Query query(list_idempotency_keys_); query.next();) {
                auto& row = keys.emplace_back();
                query.read(row.key.namespace_name);
                query.read(row.key.key);
                query.read(row.execution_id.partition);
                query.read(row.execution_id.uuid);
                query.read(row.expires_at_ms);
                query.read(row.request_digest);
                query.read(row.first_state);
            }
            return keys;
        });
    }

    // One writer: what is committed is decided.
    StoreResult<std::vector<Watermark>> watermarks(const std::vector<Channel>& asked) override {
        return guarded([&] {
            std::vector<Watermark> found;
            for (const Channel channel : asked) {
                Query query(watermark_, outbox_of_channel(channel).table);
                const std::int64_t last = query.next() ? query.take<std::int64_t>() : 0;
                found.push_back({.decided = last, .drawn = last});
            }
            return found;
        });
    }

    // The trim points are read last: what was removed before the events were read is known then.
    StoreResult<EventPage> tail(Channel channel, std::int64_t after, std::int64_t up_to, std::uint32_t limit) override {
        return guarded([&] {
            return page_of(channel, limit, [&](std::int64_t asked) {
                Query query(tails_[index_of(channel)], after, up_to, asked);
                return read_events(channel, query);
            });
        });
    }

    StoreResult<EventPage> tail_of(const ExecutionId& id, Channel channel, std::int64_t after, std::int64_t up_to,
                                   std::uint32_t limit) override {
        return guarded([&] {
            auto statement = prepare(statements::tail_of(channel));
            return page_of(channel, limit, [&](std::int64_t asked) {
                Query query(statement, after, up_to, id.partition, id.uuid, asked);
                return read_events(channel, query);
            });
        });
    }

  private:
    DamageLog& damage() const { return *instance_->damage; }

    std::int64_t read_now() {
        Query query(read_clock_);
        query.next();
        return std::max(instance_->clock_ms(), query.take<std::int64_t>());
    }

    Sight<Undispatched> read_undispatched(std::int64_t until_ms, std::int64_t limit) {
        Query query(undispatched_, until_ms, limit);
        return read_sound<Undispatched>(query, damage(), "ff_completion_event", name_of_event, [](Query& row) {
            Undispatched end;
            row.read(end.event_id);
            row.read(end.execution_id.partition);
            row.read(end.execution_id.uuid);
            row.read(end.flow_id);
            row.read(end.outcome);
            row.read(end.cause);
            return end;
        });
    }

    std::string list_text(const std::optional<PublicState>& state) const {
        if (!state) return statements::list_executions();
        if (const auto count = statements::count_state_entries(*state)) {
            auto statement = prepare(*count);
            Query query(statement, rare_state);
            if (query.next() && query.take<std::uint32_t>() < rare_state)
                return statements::list_state_by_index(*state);
        }
        return statements::list_state_by_walk();
    }

    static StoreResult<std::optional<Bytes>> find_bytes(Statement& statement, const ExecutionId& id) {
        return guarded([&] {
            std::optional<Bytes> bytes;
            if (Query query(statement, id.partition, id.uuid); query.next()) bytes = query.take_bytes();
            return bytes;
        });
    }

    template <class Row>
    static std::vector<Row> read_rows(Query& query) {
        std::vector<Row> rows;
        while (query.next()) read_row(query, rows.emplace_back());
        return rows;
    }

    template <class Look>
    EventPage page_of(Channel channel, std::uint32_t limit, Look&& look) {
        EventPage page{.events = whole_page(limit, std::forward<Look>(look))};
        page.trimmed = read_trim_points(trim_points_)[index_of(channel)];
        return page;
    }

    Sight<Event> read_events(Channel channel, Query& query) const {
        return with_event_type(channel, [&]<class E>() { return read_events<E>(query); });
    }

    template <class E>
    Sight<Event> read_events(Query& query) const {
        return read_sound<Event>(query, damage(), outbox_of<E>.table, name_of_event, [](Query& rows) {
            E event;
            read_event(rows, event);
            return Event(std::move(event));
        });
    }

    struct DueStatements {
        Statement due, next;
    };

    Statement prepare(const std::string& sql) const { return database_.prepare(sql); }
    std::map<const DueRows*, DueStatements> prepare_due() const {
        std::map<const DueRows*, DueStatements> prepared;
        for (const DueRows* rows : all_due_rows()) {
            prepared.emplace(rows,
                             DueStatements{prepare(statements::due(*rows)), prepare(statements::next_due(*rows))});
        }
        return prepared;
    }

    std::vector<Statement> prepare_tails() const {
        std::vector<Statement> prepared;
        prepared.reserve(channels.size());
        for (const Channel channel : channels) prepared.push_back(prepare(statements::tail(channel)));
        return prepared;
    }

    std::vector<Statement> prepare_newest() {
        std::vector<Statement> prepared;
        prepared.reserve(std::size(SearchWalk::all));
        for (const SearchWalk::By by : SearchWalk::all) prepared.push_back(prepare(statements::newest(by)));
        return prepared;
    }

    // From priority to priority: each is one descent into the claim index, however many rows it has.
    std::optional<std::int64_t> oldest_of_class(std::int32_t class_id) {
        std::optional<std::int64_t> oldest;
        std::int64_t below = std::int64_t{std::numeric_limits<std::int32_t>::max()} + 1;
        for (;;) {
            Query query(claim_head_, class_id, below, std::numeric_limits<std::int32_t>::min());
            if (!query.next()) return oldest;
            query.read(below);
            const auto created_at_ms = query.take<std::int64_t>();
            oldest = std::min(oldest.value_or(created_at_ms), created_at_ms);
        }
    }

    bool called_off() const { return instance_->interrupts != interrupts_ || StoreDeadline::clock::now() >= deadline_; }

    std::shared_ptr<Instance> instance_;
    const std::uint64_t interrupts_ = instance_->interrupts;  // a reader that was interrupted stays so
    StoreDeadline deadline_ = no_deadline;
    Database database_;

    Statement read_clock_ = prepare(statements::read_clock());
    std::map<const DueRows*, DueStatements> due_ = prepare_due();
    Statement find_execution_ = prepare(statements::find_execution());
    Statement find_input_ = prepare(statements::find_input());
    Statement find_inputs_ = prepare(statements::find_inputs());
    Statement find_result_ = prepare(statements::find_result());
    Statement find_outcome_ = prepare(statements::find_outcome());
    Statement list_attempts_ = prepare(statements::list_attempts());
    Statement list_routes_ = prepare(statements::list_routes());
    Statement list_idempotency_keys_ = prepare(statements::list_idempotency_keys());
    std::vector<SideTable> side_ = prepare_side_tables(database_);
    Statement expired_leases_ = prepare(statements::expired_leases());
    std::vector<Statement> newest_ = prepare_newest();  // by SearchWalk::By
    Statement suspended_ = prepare(statements::suspended());
    Statement frames_ = prepare(statements::frames());
    Statement undispatched_ = prepare(statements::undispatched());
    Statement stalled_ = prepare(statements::stalled());
    Statement unresolved_edges_ = prepare(statements::unresolved_edges());
    Statement is_needed_ = prepare(statements::is_needed());
    Statement edges_in_to_ = prepare(statements::edges_of(ListEdges::Direction::incoming));
    Statement edges_out_of_ = prepare(statements::edges_of(ListEdges::Direction::outgoing));
    Statement flows_ = prepare(statements::flows());
    Statement members_ = prepare(statements::members());
    Statement member_page_ = prepare(statements::member_page());
    Statement tally_ = prepare(statements::tally());
    Statement unsummarised_ = prepare(statements::unsummarised());
    Statement edges_in_ = prepare(statements::edges_in());
    Statement edge_page_ = prepare(statements::edge_page());
    Statement lane_counts_ = prepare(statements::lane_counts());
    Statement counts_of_lane_ = prepare(statements::counts_of_lane());
    Statement counts_of_all_lanes_ = prepare(statements::counts_of_all_lanes());
    Statement lane_classes_ = prepare(statements::lane_classes());
    Statement claim_head_ = prepare(statements::claim_head());
    Statement trim_points_ = prepare(statements::trim_points());
    Statement watermark_ = prepare(statements::watermark());
    std::vector<Statement> tails_ = prepare_tails();  // by Channel
};

}  // namespace

std::unique_ptr<StoreReader> open_reader(std::shared_ptr<Instance> instance) {
    require_usable_location(instance->path);
    return std::make_unique<SqliteReader>(std::move(instance));
}

}  // namespace flowfabric::sqlite
