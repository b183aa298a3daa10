#pragma once

#include <algorithm>

#include "store/port.hpp"
#include "store/sqlite/columns.hpp"

namespace flowfabric::sqlite {

// One use of a prepared statement: binds from left to right, steps, reads from left to right, and resets the
// statement at the end of its scope, so that no read transaction outlives it.
class Query {
  public:
    template <class... Values>
    explicit Query(Statement& statement, const Values&... values) : statement_(statement.get()) {
        (bind(values), ...);
    }
    ~Query() { sqlite3_reset(statement_); }
    Query(const Query&) = delete;
    Query& operator=(const Query&) = delete;

    template <class T>
    void bind(const T& value) {
        const int code = bind_value(statement_, ++bound_, value);
        if (code != SQLITE_OK) throw_fault(sqlite3_db_handle(statement_), code);
    }

    // Moves to the next row; false after the last.
    bool next() {
        column_ = 0;
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
        read_value(statement_, column_++, value);
    }

    template <class T>
    T take() {
        T value{};
        read(value);
        return value;
    }

    Bytes take_bytes() { return Bytes(blob_at(statement_, column_++)); }

  private:
    sqlite3_stmt* statement_;
    int bound_ = 0;
    int column_ = 0;
};

inline void read_row(Query& query, ExecutionRow& row) {
    visit_execution_columns(row, [&](const char*, auto& field, ColumnUse) { query.read(field); });
}

inline void read_row(Query& query, AttemptRow& row) {
    visit_attempt_columns(row, [&](const char*, auto& field) { query.read(field); });
}

template <class E>
void read_event(Query& query, E& event) {
    query.read(event.event_id);
    visit_event_columns(event, [&](const char*, auto& field) { query.read(field); });
}

// The rows of statements::trim_points().
inline TrimPoints read_trim_points(Statement& trim_points) {
    TrimPoints points{};
    for (Query query(trim_points); query.next();) {
        const auto channel = query.take<Channel>();
        query.read(points[static_cast<std::size_t>(channel)]);
    }
    return points;
}

// The rows of statements::members().
inline std::vector<FlowMember> read_members(Statement& members, const FlowKey& flow, std::int64_t limit = -1) {
    std::vector<FlowMember> found;
    for (Query query(members, flow.partition, flow.flow_id, limit); query.next();) {
        auto& member = found.emplace_back();
        member.id.partition = flow.partition;
        query.read(member.id.uuid);
        query.read(member.phase);
    }
    return found;
}

// The rows of statements::tally().
inline MemberTally read_tally(Statement& tally, const FlowKey& flow) {
    MemberTally found;
    for (Query query(tally, flow.partition, flow.flow_id); query.next();) {
        const auto state = query.take<PublicState>();
        count_of(found.counts, state) += query.take<std::uint32_t>();
        found.spared += query.take<std::uint32_t>();
        found.last_end_ms = std::max(found.last_end_ms, query.take<std::optional<std::int64_t>>());
        found.kept_until_ms = std::max(found.kept_until_ms, query.take<std::optional<std::int64_t>>());
        const bool kept_for_ever = query.take<bool>();
        found.kept_for_ever = found.kept_for_ever || kept_for_ever;
    }
    return found;
}

// The rows of statements::list_routes().
inline Routes read_routes(Statement& list_routes) {
    Routes routes;
    for (Query query(list_routes); query.next();) {
        query.read(routes.lane_revision);
        const auto class_id = query.take<std::optional<std::int32_t>>();
        if (!class_id) continue;
        auto& entry = routes.classes.emplace_back();
        entry.class_id = *class_id;
        query.read(entry.lane_id);
        query.read(entry.required_capabilities);
        const auto state = query.take<std::optional<LaneState>>().value_or(LaneState::active);
        if (state != LaneState::active) routes.lane_states.emplace(entry.lane_id, state);
    }
    return routes;
}

}  // namespace flowfabric::sqlite
