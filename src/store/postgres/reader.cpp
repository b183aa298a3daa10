#include "store/postgres/reader.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/rows/event_rows.hpp"
#include "core/rows/key_text.hpp"
#include "store/postgres/sql/row_mapping.hpp"
#include "store/postgres/sql/side_statements.hpp"
#include "store/walk_start.hpp"

namespace flowfabric::postgres {
namespace {

AttemptRow read_attempt(const Rows& rows, std::size_t row) {
    AttemptRow attempt;
    visit_attempt_columns(attempt, RowReader(rows, row));
    return attempt;
}

template <class Row>
Event read_event(const Rows& rows, std::size_t row) {
    Row event;
    event.event_id = rows.get<std::int64_t>(row, 0);
    visit_event_columns(event, RowReader(rows, row, 1));
    return event;
}

Event read_event(Channel channel, const Rows& rows, std::size_t row) {
    return with_event_type(channel, [&]<class E>() { return read_event<E>(rows, row); });
}

const ChannelStatements& outbox_statements(Channel channel) {
    return read_statements().outboxes[index_of(channel)];
}

// Who may still commit an event, by Channel.
std::array<std::vector<std::string>, channels.size()> read_holders(const Rows& rows) {
    std::array<std::vector<std::string>, channels.size()> holders;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        holders[index_of(rows.get<Channel>(row, 0))].push_back(rows.get<std::string>(row, 1));
    }
    return holders;
}

Submission read_submission(const Rows& rows, std::size_t row) {
    Submission submission;
    RowReader reader(rows, row);
    visit_submission_columns(submission, reader);
    submission.payload = read_column<Bytes>("payload", reader.cell());
    return submission;
}

LaneCounts read_counts(const Rows& rows, std::size_t row, std::size_t at = 0) {
    LaneCounts counts;
    visit_counts([&](std::string_view, std::int64_t& count) { count = rows.get<std::int64_t>(row, at++); }, counts);
    return counts;
}

const LiveListing* live_listing_of(PublicState state) {
    const auto& sql = read_statements();
    switch (state) {
        case PublicState::waiting:
        case PublicState::resumable:
        case PublicState::rate_limited:
            return &sql.list_claimable;
        case PublicState::waiting_children:
            return &sql.list_members;
        case PublicState::delayed:
            return &sql.list_delayed;
        case PublicState::active:
            return &sql.list_active;
        default:
            return nullptr;
    }
}

Params id_params(const ExecutionId& id) {
    return Params::of(id.partition, id.uuid);
}

Params due_params(const std::optional<std::int64_t>& now_ms, std::uint32_t limit, const ExecutionFilter& filter) {
    return Params::of(now_ms, std::int64_t{limit}, filter.namespace_name,
                      filter.tag ? std::optional(filter.tag->first) : std::nullopt,
                      filter.tag ? std::optional(filter.tag->second) : std::nullopt);
}

Params walk_params(const SearchWalk& walk, std::int64_t limit) {
    const ExecutionId& id = walk.before.execution_id;
    if (walk.by == SearchWalk::By::flow) {
        return Params::of(walk.flow.partition, walk.flow.flow_id, id.uuid, limit);
    }
    Params params = Params::of(walk.before.created_at_ms, id.partition, id.uuid, walk.not_before_ms, limit);
    if (walk.by == SearchWalk::By::term) {
        params.add(walk.term);
    } else if (walk.by != SearchWalk::By::time) {
        params.add(walk.name);
    }
    return params;
}

// Those that are alike, behind the columns of their flow; a flow without members has a row without a state.
void count_members(const Rows& rows, std::size_t row, MemberTally& tally) {
    static const std::size_t at = row_type<FlowRow>().columns.size();
    const auto state = rows.get<std::optional<PublicState>>(row, at);
    if (!state) return;
    tally.add(static_cast<std::uint32_t>(rows.get<std::int64_t>(row, at + 3)), *state,
              rows.get<TerminalOutcome>(row, at + 1), rows.get<std::optional<CancellationCause>>(row, at + 2));
    tally.last_end_ms = std::max(tally.last_end_ms, rows.get<std::optional<std::int64_t>>(row, at + 4));
    tally.kept_until_ms = std::max(tally.kept_until_ms, rows.get<std::optional<std::int64_t>>(row, at + 5));
    tally.kept_for_ever = tally.kept_for_ever || rows.get<bool>(row, at + 6);
}

}  // namespace

Reader::Reader(const std::string& url, std::shared_ptr<TestClock> clock, std::shared_ptr<DamageLog> damage,
               std::shared_ptr<Interrupts> interrupts, StoreDeadline until)
    : clock_(std::move(clock)),
      damage_(std::move(damage)),
      connection_(url, session_statements().reader, std::move(interrupts), until) {}

std::optional<std::int64_t> Reader::test_time() const {
    return clock_ ? std::optional(clock_->now_ms()) : std::nullopt;
}

StoreResult<void> Reader::limit_reads(std::chrono::milliseconds limit) {
    return guarded([&] { connection_.run(session_statements().limit, Params::of(std::to_string(limit.count()))); });
}

StoreResult<std::int64_t> Reader::now() {
    if (clock_) return clock_->now_ms();
    return guarded([&] { return connection_.run(read_statements().clock).get<std::int64_t>(0, 0); });
}

StoreResult<Due> Reader::select_due(const DueRows& rows, std::uint32_t limit, const ExecutionFilter& filter) {
    return guarded([&] {
        const auto& sql = due_statements(rows);
        const Params now = Params::of(test_time());
        connection_.send(read_statements().transaction_clock, now);
        connection_.send(sql.due, due_params(test_time(), limit, filter));
        connection_.send(sql.next, now);
        connection_.end_section();
        const auto results = connection_.receive();
        const Rows& found = results[1];
        Due due{.now_ms = results[0].get<std::int64_t>(0, 0),
                .executions = {},
                .flows = {},
                .rows = {},
                .oldest_at_ms = std::nullopt,
                .next_at_ms = results[2].get<std::optional<std::int64_t>>(0, 0)};
        for (std::size_t row = 0; row < found.size(); ++row) {
            due.add(rows.subject, found.get<std::uint16_t>(row, 0), found.get<Uuid>(row, 1));
        }
        if (!found.empty()) due.oldest_at_ms = found.get<std::int64_t>(0, 2);
        return due;
    });
}

StoreResult<std::optional<ExecutionRow>> Reader::execution(const ExecutionId& id) {
    return guarded([&]() -> std::optional<ExecutionRow> {
        const Rows rows = connection_.run(read_statements().execution, id_params(id));
        if (rows.empty()) return std::nullopt;
        return read_execution(rows, 0);
    });
}

StoreResult<std::optional<Bytes>> Reader::input(const ExecutionId& id) {
    return guarded([&] { return blob(read_statements().input, id); });
}

StoreResult<std::optional<Bytes>> Reader::result(const ExecutionId& id) {
    return guarded([&] { return blob(read_statements().result, id); });
}

StoreResult<std::map<std::string, Bytes>> Reader::inputs(const ExecutionId& id) {
    return guarded([&] {
        const Rows rows = connection_.run(read_statements().inputs, id_params(id));
        std::map<std::string, Bytes> by_ref;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            by_ref.insert_or_assign(rows.get<std::string>(row, 0), rows.get<Bytes>(row, 1));
        }
        return by_ref;
    });
}

std::optional<Bytes> Reader::blob(const Statement& statement, const ExecutionId& id) {
    const Rows rows = connection_.run(statement, id_params(id));
    if (rows.empty()) return std::nullopt;
    return rows.get<std::optional<Bytes>>(0, 0);
}

StoreResult<std::vector<AttemptRow>> Reader::attempts(const ExecutionId& id, const std::optional<std::uint32_t>& after,
                                                      std::uint32_t limit) {
    return guarded([&] {
        Params params = id_params(id);
        params.add(after ? std::int64_t{*after} : std::int64_t{-1});
        params.add(std::int64_t{limit});
        return read_all(connection_.run(read_statements().attempts, params), read_attempt);
    });
}

StoreResult<std::vector<ExecutionRow>> Reader::list(const ListExecutions& query) {
    return guarded([&] {
        const WalkStart start = walk_start(query.partition, query.after);
        const Statement& statement = list_statement(query.state);
        return whole_page(query.limit, [&](std::int64_t limit) {
            Params params = Params::of(start.partition, start.uuid, limit,
                                       query.partition ? static_cast<std::int16_t>(*query.partition)
                                                       : std::numeric_limits<std::int16_t>::max());
            if (query.state) params.add(*query.state);
            return sound_executions(connection_.run(statement, params));
        });
    });
}

const Statement& Reader::list_statement(const std::optional<PublicState>& state) {
    constexpr std::int64_t few = 10'000;
    const auto& sql = read_statements();
    if (!state) return sql.list_all;
    const LiveListing* live = live_listing_of(*state);
    if (live == nullptr) return sql.list_by_state;
    const auto count = connection_.run(live->count, Params::of(few)).get<std::int64_t>(0, 0);
    return count < few ? live->sorted : sql.list_by_state;
}

// Whatever the statistics say, only an index in the walk's own order bounds what it reads.
StoreResult<std::vector<ExecutionSummary>> Reader::newest(const SearchWalk& walk) {
    return guarded([&] {
        const auto& sql = read_statements();
        return whole_page(walk.limit, [&](std::int64_t asked) {
            connection_.send(sql.along_index);
            connection_.send(sql.newest.at(static_cast<std::size_t>(walk.by)), walk_params(walk, asked));
            connection_.end_section();
            return read_sound_summaries(connection_.receive().at(1), *damage_);
        });
    });
}

StoreResult<std::vector<SuspensionRow>> Reader::suspended(const ListSuspended& query) {
    return guarded([&] {
        const SuspendedPlace after = query.after.value_or(SuspendedPlace{});
        return whole_page(query.limit, [&](std::int64_t limit) {
            const auto params = Params::of(after.suspended_at_ms, after.execution_id.partition, after.execution_id.uuid,
                                           query.partition, limit);
            return read_sound_rows<SuspensionRow>(connection_.run(read_statements().suspended, params), *damage_);
        });
    });
}

StoreResult<std::vector<ExecutionRow>> Reader::expired_leases(const ListExpiredLeases& query, std::int64_t as_of_ms) {
    return guarded([&] {
        const ExpiredLeasePlace after = query.after.value_or(ExpiredLeasePlace{});
        return whole_page(query.limit, [&](std::int64_t limit) {
            const auto params = Params::of(as_of_ms, after.expires_at_ms, after.execution_id.partition,
                                           after.execution_id.uuid, query.namespace_name, limit);
            return sound_executions(connection_.run(read_statements().expired_leases, params));
        });
    });
}

Sight<ExecutionRow> Reader::sound_executions(const Rows& rows) {
    const auto name = [](const Rows& all, std::size_t row) { return name_of_execution(all, row); };
    return read_sound(rows, *damage_, "ff_exec_core", name, read_execution);
}

// By key, or by what they belong to, rows are asked for: none may be missing.
StoreResult<SideTables> Reader::side_rows(const SideRowsWanted& wanted) {
    return guarded([&] {
        SideTables found;
        for (const RowType& type : side_row_types()) read_side_table(type, wanted, found);
        return found;
    });
}

void Reader::read_side_table(const RowType& type, const SideRowsWanted& all_wanted, SideTables& found) {
    const auto& sql = side_statements(type);
    const RelatedRows& wanted = type.wanted(all_wanted);
    if (wanted.all) {
        load_sound_rows(type, connection_.run(sql.read_all), std::numeric_limits<std::size_t>::max(), found);
        return;
    }
    const auto read_piece = [&](std::uint32_t count, auto&& read) {
        // More are asked for until enough of them can be read.
        for (std::int64_t asked = count; asked > 0; asked *= 2) {
            const Rows rows = read(asked);
            const std::size_t sound = load_sound_rows(type, rows, count, found);
            if (sound == count || std::cmp_less(rows.size(), asked)) return;
        }
    };
    read_piece(wanted.first, [&](std::int64_t asked) { return connection_.run(sql.read_first, Params::of(asked)); });
    for (const RowRef& key : type.wanted_behind(all_wanted)) {
        read_piece(wanted.piece,
                   [&](std::int64_t asked) { return connection_.run(sql.read_behind, params_behind(key, asked)); });
    }
    if (const auto keys = type.wanted_keys(all_wanted); !keys.empty()) {
        load_rows(type, connection_.run(sql.by_key.read.for_rows(keys.size()), params_of(keys).finish()), found,
                  *damage_);
    }
    ask_for_related(sql, wanted, [&](const SideLookup& by, std::size_t count, const Params& params) {
        load_rows(type, connection_.run(by.read.for_rows(count), params), found, *damage_);
    });
}

// Up to `most` of those that can be read; how many these are.
std::size_t Reader::load_sound_rows(const RowType& type, const Rows& rows, std::size_t most, SideTables& into) {
    std::size_t sound = 0;
    for (std::size_t row = 0; row < rows.size() && sound < most; ++row) {
        const bool read = read_or_report<Failure>(
            *damage_, type.table, [&] { return key_of(type, rows, row); },
            [&] {
                CellsReader reader(rows, row);
                type.load(reader, into);
            });
        if (read) ++sound;
    }
    return sound;
}

StoreResult<Routes> Reader::routes() {
    return guarded([&] { return read_routes(connection_, read_statements().routes, {}, *damage_); });
}

StoreResult<std::map<ExecutionId, TerminalOutcome>> Reader::outcomes(const std::vector<ExecutionId>& ids) {
    return guarded([&] {
        std::map<ExecutionId, TerminalOutcome> found;
        if (ids.empty()) return found;
        const Rows rows = connection_.run(read_statements().outcomes, key_params(ids));
        for (std::size_t row = 0; row < rows.size(); ++row) {
            read_or_report<Failure>(
                *damage_, "ff_exec_core", [&] { return name_of_execution(rows, row); },
                [&] {
                    const auto outcome = read_column<TerminalOutcome>("terminal_outcome", rows.cell(row, 2));
                    found.emplace(read_execution_id(rows, row), outcome);
                });
        }
        return found;
    });
}

StoreResult<std::vector<Undispatched>> Reader::undispatched(std::int64_t age_ms, std::uint32_t limit) {
    return guarded([&] {
        return whole_page(limit, [&](std::int64_t asked) {
            const Params params = Params::of(test_time(), age_ms, asked);
            return read_sound(connection_.run(read_statements().undispatched, params), *damage_, "ff_completion_event",
                              name_of_event, read_undispatched);
        });
    });
}

StoreResult<std::vector<Undispatched>> Reader::undispatched_of(const std::vector<ExecutionId>& members) {
    if (members.empty()) return std::vector<Undispatched>{};
    return guarded([&] {
        follow();
        return read_sound(connection_.run(read_statements().undispatched_of, key_params(members)), *damage_,
                          "ff_completion_event", name_of_event, read_undispatched)
            .rows;
    });
}

StoreResult<Stalled> Reader::stalled(std::int64_t age_ms, const std::optional<ExecutionId>& after,
                                     std::uint32_t limit) {
    return guarded([&] {
        const Uuid from = after ? after->uuid : Uuid{};
        const Params params = Params::of(test_time(), age_ms, from, std::int64_t{limit});
        const Rows rows = connection_.run(read_statements().stalled, params);
        Stalled found;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            Undispatched end{.event_id = 0, .execution_id = read_execution_id(rows, row), .flow_id = {}};
            found.continue_after = end.execution_id;
            const auto flow_id = rows.get<std::optional<FlowId>>(row, 2);
            if (!flow_id) continue;
            end.flow_id = *flow_id;
            const bool sound = read_or_report<Failure>(
                *damage_, "ff_exec_core", [&] { return end.execution_id.to_string(); },
                [&] { end.outcome = rows.get<TerminalOutcome>(row, 3); });
            if (sound) found.ends.push_back(end);
        }
        return found;
    });
}

StoreResult<std::vector<EdgeRow>> Reader::unresolved_edges(const std::vector<ExecutionId>& upstream,
                                                           std::uint32_t limit) {
    if (upstream.empty()) return std::vector<EdgeRow>{};
    return guarded([&] {
        follow();
        return whole_page(limit, [&](std::int64_t asked) {
            Params params = key_params(upstream);
            params.add(asked);
            return read_sound_rows<EdgeRow>(connection_.run(read_statements().unresolved_edges, params), *damage_);
        });
    });
}

StoreResult<std::vector<ExecutionId>> Reader::needed(const std::vector<ExecutionId>& upstream) {
    if (upstream.empty()) return std::vector<ExecutionId>{};
    return guarded([&] {
        follow();
        const Rows rows = connection_.run(read_statements().needed, key_params(upstream));
        return read_all(rows, [](const Rows& all, std::size_t row) { return read_execution_id(all, row); });
    });
}

StoreResult<std::vector<FlowRow>> Reader::flows(const std::optional<std::uint16_t>& partition,
                                                const std::optional<FlowKey>& after, std::uint32_t limit) {
    return guarded([&] {
        const WalkStart start = walk_start(partition, after);
        return whole_page(limit, [&](std::int64_t asked) {
            const Params params = Params::of(start.partition, start.uuid, asked, partition.value_or(max_partition));
            return read_sound_rows<FlowRow>(connection_.run(read_statements().flows, params), *damage_);
        });
    });
}

StoreResult<std::vector<FlowMember>> Reader::members(const FlowKey& flow, std::uint32_t limit) {
    return guarded([&] {
        return whole_page(limit, [&](std::int64_t asked) {
            Params params = key_params(std::vector{flow});
            params.add(asked);
            return read_sound_members(connection_.run(read_statements().some_members, params), *damage_);
        });
    });
}

StoreResult<std::vector<ExecutionSummary>> Reader::member_page(const FlowKey& flow,
                                                               const std::optional<ExecutionId>& after,
                                                               std::uint32_t limit) {
    return guarded([&] {
        const auto after_uuid = after ? std::optional(after->uuid) : std::nullopt;
        return whole_page(limit, [&](std::int64_t asked) {
            const Params params = Params::of(flow.partition, flow.flow_id, after_uuid, asked);
            return read_sound_summaries(connection_.run(read_statements().member_page, params), *damage_);
        });
    });
}

StoreResult<std::vector<FlowTally>> Reader::tallies(const std::vector<FlowKey>& flows) {
    return guarded([&] {
        std::vector<FlowTally> found;
        if (flows.empty()) return found;
        const Rows rows = connection_.run(read_statements().tallies, key_params(flows));
        std::optional<FlowKey> unreadable;  // by itself, or one of its members
        for (std::size_t row = 0; row < rows.size(); ++row) {
            FlowKey key;
            visit_columns(key, RowReader(rows, row));
            if (key == unreadable) continue;
            const auto name = [&] { return key_text(key); };
            const bool sound = read_or_report<Failure>(*damage_, FlowRow::table, name, [&] {
                CellsReader reader(rows, row);
                auto flow = read_row<FlowRow>(reader);
                if (found.empty() || found.back().row.key != key) found.push_back({std::move(flow), {}});
                count_members(rows, row, found.back().members);
            });
            if (sound) continue;
            unreadable = key;
            if (!found.empty() && found.back().row.key == key) found.pop_back();
        }
        return found;
    });
}

StoreResult<std::vector<FlowRow>> Reader::unsummarised(const std::optional<FlowKey>& after, std::uint32_t limit) {
    return guarded([&] {
        return whole_page(limit, [&](std::int64_t asked) {
            const Params params = Params::of(after ? static_cast<std::int16_t>(after->partition) : std::int16_t{-1},
                                             after.value_or(FlowKey{}).flow_id, asked);
            return read_sound_rows<FlowRow>(connection_.run(read_statements().unsummarised, params), *damage_);
        });
    });
}

StoreResult<std::vector<EdgeId>> Reader::edges(const FlowKey& flow, std::uint32_t limit) {
    return guarded([&] {
        const Params params = Params::of(flow.partition, flow.flow_id, std::int64_t{limit});
        return read_all(connection_.run(read_statements().edges, params),
                        [](const Rows& rows, std::size_t row) { return rows.get<EdgeId>(row, 0); });
    });
}

StoreResult<std::vector<EdgeRow>> Reader::edges_of(const ListEdges& query) {
    return guarded([&] {
        const auto& sql = read_statements();
        const Statement& edges = query.direction == ListEdges::Direction::incoming ? sql.edges_in_to : sql.edges_out_of;
        const FlowKey flow = key_of(query.flow_id);
        return whole_page(query.limit, [&](std::int64_t asked) {
            const Params params = Params::of(flow.partition, flow.flow_id, query.execution_id.uuid, query.after, asked);
            return read_sound_rows<EdgeRow>(connection_.run(edges, params), *damage_);
        });
    });
}

StoreResult<std::vector<EdgeRow>> Reader::edge_page(const FlowKey& flow, const std::optional<EdgeId>& after,
                                                    std::uint32_t limit) {
    return guarded([&] {
        return whole_page(limit, [&](std::int64_t asked) {
            const Params params = Params::of(flow.partition, flow.flow_id, after, asked);
            return read_sound_rows<EdgeRow>(connection_.run(read_statements().edge_page, params), *damage_);
        });
    });
}

// A page that is cut by its bytes is short long before the submissions end, so those that are damaged throughout are
// walked past one after the other.
StoreResult<std::vector<Submission>> Reader::submissions(std::uint32_t limit, std::int64_t after) {
    constexpr std::int64_t max_bytes = 8 << 20;
    return guarded([&] {
        for (std::int64_t behind = after;;) {
            const Params params = Params::of(std::int64_t{limit}, max_bytes, behind);
            const Rows rows = connection_.run(read_statements().submissions, params);
            auto sound = read_sound(rows, *damage_, "ff_submission", name_of_event, read_submission).rows;
            if (!sound.empty() || rows.empty()) return sound;
            behind = rows.get<std::int64_t>(rows.size() - 1, 0);
        }
    });
}

StoreResult<std::vector<Submission>> Reader::submissions_of(const std::vector<ExecutionId>& ids) {
    return guarded(
        [&] { return read_all(connection_.run(read_statements().submissions_of, key_params(ids)), read_submission); });
}

StoreResult<std::vector<IdempotencyRow>> Reader::idempotency_keys() {
    return guarded([&] { return read_all(connection_.run(read_statements().idempotency_keys), read_idempotency_row); });
}

// The last drawn ids first, the holders second; all in one round trip, since each statement sees the locks of its own
// moment. While nothing moves, the ids alone tell.
StoreResult<std::vector<Watermark>> Reader::watermarks(const std::vector<Channel>& asked) {
    return guarded([&] {
        const auto tracker_of = [&](Channel channel) -> auto& { return watermarks_[index_of(channel)]; };
        const auto look = [&](bool at_holders) {
            for (const Channel channel : asked) connection_.send(outbox_statements(channel).sequence);
            if (at_holders) connection_.send(read_statements().holders);
            connection_.end_section();
            return connection_.receive();
        };
        const auto drawn_of = [](const std::vector<Rows>& results, std::size_t i) {
            return results[i].get<std::int64_t>(0, 0);
        };
        std::vector<Watermark> found;
        if (std::ranges::all_of(asked, [&](Channel channel) { return tracker_of(channel).resting(); })) {
            const auto results = look(false);
            for (std::size_t i = 0; i < asked.size(); ++i) {
                const auto drawn = drawn_of(results, i);
                if (tracker_of(asked[i]).settled(drawn)) found.push_back({.decided = drawn, .drawn = drawn});
            }
            if (found.size() == asked.size()) return found;
            found.clear();
        }
        const auto results = look(true);
        const auto holders = read_holders(results.back());
        for (std::size_t i = 0; i < asked.size(); ++i) {
            const auto drawn = drawn_of(results, i);
            const auto decided = tracker_of(asked[i]).advance(drawn, holders[index_of(asked[i])]);
            found.push_back({.decided = decided, .drawn = drawn});
        }
        return found;
    });
}

StoreResult<std::vector<StreamFrameRow>> Reader::frames(const FrameRange& range) {
    return guarded([&] {
        const auto& [id, attempt_index] = range.stream;
        const auto hidden =
            range.visibility == FrameVisibility::all ? std::nullopt : std::optional(FrameMode::best_effort);
        return whole_page(range.limit, [&](std::int64_t asked) {
            const Params params = Params::of(id.partition, id.uuid, attempt_index, range.from.ts_ms, range.from.seq,
                                             range.to.ts_ms, range.to.seq, hidden, asked);
            return read_sound_rows<StreamFrameRow>(connection_.run(read_statements().frames, params), *damage_);
        });
    });
}

StoreResult<std::vector<LaneCountsRow>> Reader::lane_counts(const std::string& after, std::uint32_t limit) {
    return guarded([&] {
        const Params params = Params::of(after, std::int64_t{limit});
        return read_all(connection_.run(read_statements().lane_counts, params), [](const Rows& rows, std::size_t row) {
            return LaneCountsRow{.lane_id = rows.get<std::string>(row, 0), .counts = read_counts(rows, row, 1)};
        });
    });
}

StoreResult<LaneCounts> Reader::counts_of_lane(const std::string& lane_id) {
    return guarded(
        [&] { return read_counts(connection_.run(read_statements().counts_of_lane, Params::of(lane_id)), 0); });
}

StoreResult<LaneCounts> Reader::counts_of_all_lanes() {
    return guarded([&] { return read_counts(connection_.run(read_statements().counts_of_all_lanes), 0); });
}

StoreResult<std::map<std::string, std::int64_t>> Reader::oldest_eligible(const std::vector<std::string>& lanes) {
    return guarded([&] {
        Params params;
        params.add_array(lanes, [](const std::string& lane_id) { return lane_id; });
        const Rows rows = connection_.run(read_statements().oldest_eligible, params);
        std::map<std::string, std::int64_t> oldest;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            oldest.emplace(rows.get<std::string>(row, 0), rows.get<std::int64_t>(row, 1));
        }
        return oldest;
    });
}

void Reader::follow() {
    if (!std::exchange(following_, true)) connection_.run(session_statements().following);
}

StoreResult<EventPage> Reader::tail(Channel channel, std::int64_t after, std::int64_t up_to, std::uint32_t limit) {
    return read_page(channel, limit, outbox_statements(channel).tail,
                     [&](std::int64_t asked) { return Params::of(after, up_to, asked); });
}

StoreResult<EventPage> Reader::tail_of(const ExecutionId& id, Channel channel, std::int64_t after, std::int64_t up_to,
                                       std::uint32_t limit) {
    return read_page(channel, limit, read_statements().execution_tails[index_of(channel)],
                     [&](std::int64_t asked) { return Params::of(after, up_to, asked, id.partition, id.uuid); });
}

// The trim point is read by a later statement: what was removed before the events were read is known then.
template <class Parameters>
StoreResult<EventPage> Reader::read_page(Channel channel, std::uint32_t limit, const Statement& statement,
                                         Parameters&& parameters) {
    return guarded([&] {
        follow();
        EventPage page;
        page.events = whole_page(limit, [&](std::int64_t asked) {
            connection_.send(statement, parameters(asked));
            connection_.send(outbox_statements(channel).trimmed);
            connection_.end_section();
            const auto results = connection_.receive();
            page.trimmed = results[1].get<std::int64_t>(0, 0);
            const auto read = [channel](const Rows& rows, std::size_t row) { return read_event(channel, rows, row); };
            return read_sound(results[0], *damage_, outbox_of_channel(channel).table, name_of_event, read);
        });
        return page;
    });
}

}  // namespace flowfabric::postgres
