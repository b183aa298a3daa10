#include <algorithm>

#include "core/partition.hpp"
#include "store/sqlite/instance.hpp"
#include "store/sqlite/location.hpp"
#include "store/sqlite/query.hpp"
#include "store/sqlite/side_table.hpp"
#include "store/sqlite/statements.hpp"

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
        : instance_(std::move(instance)), database_(open_for_reading(instance_->path)) {}

    StoreResult<std::int64_t> now() override {
        return guarded([&] { return read_now(); });
    }

    StoreResult<Due> select_due(Timer timer, std::uint32_t limit, const ExecutionFilter& filter) override {
        return guarded([&] {
            auto& [find, find_next] = timers_[static_cast<std::size_t>(timer)];
            Due due;
            due.now_ms = read_now();
            const auto key = filter.tag ? std::optional(filter.tag->first) : std::nullopt;
            const auto value = filter.tag ? std::optional(filter.tag->second) : std::nullopt;
            for (Query query(find, due.now_ms, limit, filter.namespace_name, key, value); query.next();) {
                auto& id = due.executions.emplace_back();
                query.read(id.partition);
                query.read(id.uuid);
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

    StoreResult<std::vector<AttemptRow>> attempts(const ExecutionId& id) override {
        return guarded([&] {
            Query query(list_attempts_, id.partition, id.uuid);
            return read_rows<AttemptRow>(query);
        });
    }

    StoreResult<std::vector<ExecutionRow>> list(const ExecutionListQuery& query) override {
        return guarded([&] {
            auto statement = prepare(list_text(query.state));
            // Without `after`, behind all that the partition before could hold.
            Uuid highest;
            highest.bytes.fill(0xFF);
            const int partition = query.after ? query.after->partition : query.partition.value_or(0) - 1;
            const Uuid uuid = query.after ? query.after->uuid : highest;
            Query rows(statement, partition, uuid, query.partition.value_or(flow_partitions));
            if (query.state) rows.bind(*query.state);
            rows.bind(query.limit);
            return read_rows<ExecutionRow>(rows);
        });
    }

    StoreResult<std::vector<SuspensionRow>> suspended(const SuspendedListQuery& query) override {
        return guarded([&] {
            const SuspendedPlace after = query.after.value_or(SuspendedPlace{});
            Query rows(suspended_, after.suspended_at_ms, after.execution_id.partition, after.execution_id.uuid,
                       query.partition, query.limit);
            std::vector<SuspensionRow> found;
            while (rows.next()) found.push_back(SideTable<SuspensionRow>::read(rows));
            return found;
        });
    }

    StoreResult<std::vector<ExecutionRow>> expired_leases(const ExpiredLeaseQuery& query,
                                                          std::int64_t as_of_ms) override {
        return guarded([&] {
            const ExpiredLeasePlace after = query.after.value_or(ExpiredLeasePlace{});
            Query rows(expired_leases_, as_of_ms, after.expires_at_ms, after.execution_id.partition,
                       after.execution_id.uuid, query.namespace_name, query.limit);
            return read_rows<ExecutionRow>(rows);
        });
    }

    StoreResult<SideTables> side_rows(const SideRowsWanted& wanted) override {
        return guarded([&] {
            SideTables found;
            wanted.each([&]<class Row>(const RowsWanted<Row>& rows) {
                side_.of<Row>().load(rows, found.of<Row>());
                for (const ExecutionId& owner : rows.owners) side_.of<Row>().read_owned(owner, found.of<Row>());
            });
            return found;
        });
    }

    StoreResult<std::vector<Undispatched>> undispatched(std::int64_t age_ms, std::uint32_t limit) override {
        return guarded([&] {
            std::vector<Undispatched> found;
            for (Query query(undispatched_, read_now() - age_ms, limit); query.next();) {
                auto& end = found.emplace_back();
                query.read(end.event_id);
                query.read(end.execution_id.partition);
                query.read(end.execution_id.uuid);
                query.read(end.flow_id);
                query.read(end.outcome);
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
                Query query(unresolved_edges_, id.partition, id.uuid, limit);
                while (query.next()) found.push_back(SideTable<EdgeRow>::read(query));
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

    StoreResult<std::vector<FlowRow>> flows(std::uint16_t partition, const std::optional<FlowId>& after,
                                            std::uint32_t limit) override {
        return guarded([&] {
            std::vector<FlowRow> found;
            for (Query query(flows_, partition, after, limit); query.next();) {
                found.push_back(SideTable<FlowRow>::read(query));
            }
            return found;
        });
    }

    StoreResult<std::vector<FlowMember>> members(const FlowKey& flow, std::uint32_t limit) override {
        return guarded([&] { return read_members(members_, flow, limit); });
    }

    StoreResult<std::vector<FlowTally>> tallies(const std::vector<FlowKey>& flows) override {
        return guarded([&] {
            const ReadTransaction moment(database_);
            SideRowsWanted wanted;
            wanted.of<FlowRow>().keys = flows;
            RowTable<FlowRow> rows;
            side_.of<FlowRow>().load(wanted.of<FlowRow>(), rows);
            std::vector<FlowTally> found;
            for (FlowRow& row : rows.rows()) {
                const FlowKey key = row.key;
                found.push_back({std::move(row), read_tally(tally_, key)});
            }
            return found;
        });
    }

    StoreResult<DueFlows> flows_to_remove(std::uint32_t limit, const ExecutionFilter& filter) override {
        return guarded([&] {
            DueFlows due;
            due.now_ms = read_now();
            const auto key = filter.tag ? std::optional(filter.tag->first) : std::nullopt;
            const auto value = filter.tag ? std::optional(filter.tag->second) : std::nullopt;
            for (Query query(due_flows_, due.now_ms, limit, filter.namespace_name, key, value); query.next();) {
                auto& flow = due.flows.emplace_back();
                query.read(flow.partition);
                query.read(flow.flow_id);
                const auto at = query.take<std::int64_t>();
                if (!due.oldest_at_ms) due.oldest_at_ms = at;
            }
            Query query(next_due_flow_, due.now_ms);
            if (query.next()) query.read(due.next_at_ms);
            return due;
        });
    }

    StoreResult<std::vector<FlowRow>> unsummarised(const std::optional<FlowKey>& after, std::uint32_t limit) override {
        return guarded([&] {
            std::vector<FlowRow> found;
            const int partition = after ? after->partition : -1;
            const FlowId flow_id = after ? after->flow_id : FlowId{};  // bound as it stands, not copied
            for (Query query(unsummarised_, partition, flow_id, limit); query.next();) {
                found.push_back(SideTable<FlowRow>::read(query));
            }
            return found;
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

    StoreResult<Routes> routes() override {
        return guarded([&] { return read_routes(list_routes_); });
    }

    // Users' transactions are not in this file: nobody submits here but engines.
    StoreResult<std::vector<Submission>> submissions(std::uint32_t) override { return std::vector<Submission>{}; }
    StoreResult<std::optional<Submission>> submission(const ExecutionId&) override {
        return std::optional<Submission>{};
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
            }
            return keys;
        });
    }

    // One writer: what is committed is decided.
    StoreResult<std::vector<Watermark>> watermarks(const std::vector<Channel>& asked) override {
        return guarded([&] {
            std::vector<Watermark> found;
            for (const Channel channel : asked) {
                Query query(watermark_, statements::table_of(channel));
                const std::int64_t last = query.next() ? query.take<std::int64_t>() : 0;
                found.push_back({.decided = last, .drawn = last});
            }
            return found;
        });
    }

    // The trim points are read last: what was removed before the events were read is known then.
    StoreResult<EventPage> tail(Channel channel, std::int64_t after, std::int64_t up_to, std::uint32_t limit) override {
        return guarded([&] {
            EventPage page{.events = read_events(channel, after, up_to, limit)};
            page.trimmed = read_trim_points(trim_points_)[static_cast<std::size_t>(channel)];
            return page;
        });
    }

  private:
    std::int64_t read_now() {
        Query query(read_clock_);
        query.next();
        return std::max(instance_->clock_ms(), query.take<std::int64_t>());
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

    std::vector<Event> read_events(Channel channel, std::int64_t after, std::int64_t up_to, std::uint32_t limit) {
        Query query(tails_[static_cast<std::size_t>(channel)], after, up_to, limit);
        switch (channel) {
            case Channel::lease:
                return read_events<LeaseEvent>(query);
            case Channel::completion:
                return read_events<CompletionEvent>(query);
            case Channel::signal:
                return read_events<SignalEvent>(query);
            case Channel::operators:
                break;
        }
        return read_events<OperatorEvent>(query);
    }

    template <class Row>
    static std::vector<Event> read_events(Query& query) {
        std::vector<Event> events;
        while (query.next()) {
            read_event(query, std::get<Row>(events.emplace_back(Row{})));
        }
        return events;
    }

    struct TimerStatements {
        Statement due, next;
    };

    Statement prepare(const std::string& sql) const { return database_.prepare(sql); }
    std::vector<TimerStatements> prepare_timers() const {
        std::vector<TimerStatements> prepared;
        prepared.reserve(timers.size());
        for (const Timer timer : timers) {
            prepared.push_back({prepare(statements::due(timer)), prepare(statements::next_due(timer))});
        }
        return prepared;
    }

    std::shared_ptr<Instance> instance_;
    Database database_;

    Statement read_clock_ = prepare(statements::read_clock());
    std::vector<TimerStatements> timers_ = prepare_timers();  // by Timer
    Statement find_execution_ = prepare(statements::find_execution());
    Statement find_input_ = prepare(statements::find_input());
    Statement find_inputs_ = prepare(statements::find_inputs());
    Statement find_result_ = prepare(statements::find_result());
    Statement list_attempts_ = prepare(statements::list_attempts());
    Statement list_routes_ = prepare(statements::list_routes());
    Statement list_idempotency_keys_ = prepare(statements::list_idempotency_keys());
    ForSideTables<SideTable> side_{database_};
    Statement expired_leases_ = prepare(statements::expired_leases());
    Statement suspended_ = prepare(SideTable<SuspensionRow>::select() + statements::where_suspended());
    Statement undispatched_ = prepare(statements::undispatched());
    Statement unresolved_edges_ = prepare(SideTable<EdgeRow>::select() + statements::where_unresolved());
    Statement is_needed_ = prepare(statements::is_needed());
    Statement flows_ = prepare(SideTable<FlowRow>::select() + statements::where_flow_after());
    Statement members_ = prepare(statements::members());
    Statement tally_ = prepare(statements::tally());
    Statement due_flows_ = prepare(statements::due_flows());
    Statement next_due_flow_ = prepare(statements::next_due_flow());
    Statement unsummarised_ = prepare(SideTable<FlowRow>::select() + statements::where_unsummarised());
    Statement edges_in_ = prepare(statements::edges_in());
    Statement trim_points_ = prepare(statements::trim_points());
    Statement watermark_ = prepare(statements::watermark());
    std::array<Statement, channels.size()> tails_{
        prepare(statements::tail(Channel::lease)), prepare(statements::tail(Channel::completion)),
        prepare(statements::tail(Channel::signal)), prepare(statements::tail(Channel::operators))};
};

}  // namespace

std::unique_ptr<StoreReader> open_reader(std::shared_ptr<Instance> instance) {
    require_usable_location(instance->path);
    return std::make_unique<SqliteReader>(std::move(instance));
}

}  // namespace flowfabric::sqlite
