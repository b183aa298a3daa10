#pragma once

#include <algorithm>

#include "core/rows/event_rows.hpp"
#include "core/rows/row_check.hpp"
#include "store/port.hpp"
#include "store/sound_rows.hpp"
#include "store/sqlite/columns.hpp"
#include "store/sqlite/database.hpp"

namespace flowfabric::sqlite {

// One use of a prepared statement: binds from left to right, steps, reads from left to right, and resets the
// statement at the end of its scope, so that no read transaction outlives it.
class Query {
  public:
    template <class... Values>
    explicit Query(Statement& statement, const Values&... values) : Query(statement.get()) {
        (bind(values), ...);
    }
    ~Query() { sqlite3_reset(statement_); }
    Query(const Query&) = delete;
    Query& operator=(const Query&) = delete;

    template <class T>
    void bind(const T& value) {
        parameters_("", value);
    }
    ColumnWriter& parameters() { return parameters_; }

    // Moves to the next row; false after the last.
    bool next() {
        row_.rewind();
        const int code = sqlite3_step(statement_);
        if (code == SQLITE_ROW) return true;
        if (code != SQLITE_DONE) throw_fault(sqlite3_db_handle(statement_), code);
        return false;
    }

    // For statements without rows. Returns how many rows it changed.
    int run() {
        while (next()) {
        }
        return sqlite3_changes(sqlite3_db_handle(statement_));
    }

    template <class T>
    void read(T& value) {
        row_("", value);
    }
    ColumnReader& row() { return row_; }

    // Reads the row again.
    void rewind() { row_.rewind(); }

    template <class T>
    T take() {
        T value{};
        read(value);
        return value;
    }

    // As SQLite writes it, of whatever type it is.
    std::string take_text() { return std::string(row_.next_text()); }
    Bytes take_bytes() { return Bytes(row_.next_bytes()); }

  private:
    explicit Query(sqlite3_stmt* statement) : statement_(statement), parameters_(statement), row_(statement) {}

    sqlite3_stmt* statement_;
    Parameters parameters_;
    ResultRow row_;
};

inline void read_row(Query& query, ExecutionRow& row) {
    visit_execution_columns(row, [&](const char*, auto& field, ColumnUse) { query.read(field); });
    if (auto damage = damage_in(row)) throw_unreadable(std::move(*damage));
}

// A row's name, although it may be damaged.
template <class Name>
std::string name_of_row(Query& query, Name&& name) {
    try {
        query.rewind();
        return name(query);
    } catch (const Fault&) {
        return "with an unreadable key";
    }
}

// The rows of a query that can be read, by read(query); the others are reported, each under name(query).
template <class Row, class Name, class Read>
Sight<Row> read_sound(Query& query, DamageLog& damage, std::string_view table, Name&& name, Read&& read) {
    Sight<Row> sight;
    for (; query.next(); ++sight.seen) {
        read_or_report<Fault>(
            damage, table, [&] { return name_of_row(query, name); }, [&] { sight.rows.push_back(read(query)); });
    }
    return sight;
}

inline std::string name_of_execution(Query& query) {
    ExecutionId id;
    query.read(id.partition);
    query.read(id.uuid);
    return id.to_string();
}

inline std::string name_of_event(Query& query) {
    return std::to_string(query.take<std::int64_t>());
}

inline Sight<ExecutionRow> read_sound_executions(Query& query, DamageLog& damage) {
    return read_sound<ExecutionRow>(query, damage, "ff_exec_core", name_of_execution, [](Query& rows) {
        ExecutionRow row;
        read_row(rows, row);
        return row;
    });
}

inline Sight<ExecutionSummary> read_sound_summaries(Query& query, DamageLog& damage) {
    return read_sound<ExecutionSummary>(query, damage, "ff_exec_core", name_of_execution, [](Query& rows) {
        ExecutionSummary summary;
        visit_summary_columns(summary, [&](const char*, auto& field) { rows.read(field); });
        return summary;
    });
}

inline void read_row(Query& query, AttemptRow& row) {
    visit_attempt_columns(row, [&](const char*, auto& field) { query.read(field); });
}

template <class E>
void read_event(Query& query, E& event) {
    query.read(event.event_id);
    visit_event_columns(event, [&](const char*, auto& field) { query.read(field); });
}

inline void read_row(Query& query, LaneCounts& counts) {
    visit_counts([&](std::string_view, std::int64_t& count) { query.read(count); }, counts);
}

// The rows of statements::trim_points().
inline ChannelPoints read_trim_points(Statement& trim_points) {
    ChannelPoints points{};
    for (Query query(trim_points); query.next();) {
        const auto channel = query.take<Channel>();
        query.read(points[index_of(channel)]);
    }
    return points;
}

// The rows of statements::members().
inline Sight<FlowMember> read_members(Statement& members, const FlowKey& flow, DamageLog& damage,
                                      std::int64_t limit = -1) {
    Query query(members, flow.partition, flow.flow_id, limit);
    const auto name = [&](Query& row) { return ExecutionId{flow.partition, row.take<Uuid>()}.to_string(); };
    return read_sound<FlowMember>(query, damage, "ff_exec_core", name, [&](Query& row) {
        FlowMember member;
        member.id.partition = flow.partition;
        row.read(member.id.uuid);
        row.read(member.phase);
        return member;
    });
}

// The rows of statements::tally().
inline MemberTally read_tally(Statement& tally, const FlowKey& flow) {
    MemberTally found;
    for (Query query(tally, flow.partition, flow.flow_id); query.next();) {
        const auto state = query.take<PublicState>();
        const auto outcome = query.take<TerminalOutcome>();
        const auto cause = query.take<std::optional<CancellationCause>>();
        found.add(query.take<std::uint32_t>(), state, outcome, cause);
        found.last_end_ms = std::max(found.last_end_ms, query.take<std::optional<std::int64_t>>());
        found.kept_until_ms = std::max(found.kept_until_ms, query.take<std::optional<std::int64_t>>());
        const bool kept_for_ever = query.take<bool>();
        found.kept_for_ever = found.kept_for_ever || kept_for_ever;
    }
    return found;
}

// The rows of statements::list_routes(), which leaves the settings out. A class that cannot be read keeps its place
// without a lane, so that nothing is routed to it; a lane whose state cannot be read is disabled.
inline Routes read_routes(Statement& list_routes, DamageLog& damage) {
    Routes routes;
    for (Query query(list_routes); query.next();) {
        query.read(routes.lane_revision);
        query.read(routes.setting_revision);
        const auto class_id = query.take<std::optional<std::int32_t>>();
        if (!class_id) continue;
        auto& entry = routes.classes.emplace_back();
        entry.class_id = *class_id;
        std::string lane_id;
        const bool readable = read_or_report<Fault>(
            damage, "ff_claim_class", [&] { return std::to_string(*class_id); },
            [&] {
                query.read(lane_id);
                query.read(entry.required_capabilities);
            });
        if (!readable) continue;
        entry.lane_id = std::move(lane_id);
        LaneState state = LaneState::disabled;
        const bool knows_state = read_or_report<Fault>(
            damage, LaneRow::table, [&] { return entry.lane_id; },
            [&] { state = query.take<std::optional<LaneState>>().value_or(LaneState::active); });
        if (!knows_state) routes.unreadable_lanes.insert(entry.lane_id);
        if (state != LaneState::active) routes.lane_states.emplace(entry.lane_id, state);
    }
    return routes;
}

}  // namespace flowfabric::sqlite
