#pragma once

#include "core/rows/row_check.hpp"
#include "store/port.hpp"
#include "store/postgres/sql/side_statements.hpp"
#include "store/postgres/wire/connection.hpp"
#include "store/postgres/wire/row_columns.hpp"
#include "store/sound_rows.hpp"

// Results to rows. The first column of a row is `at`; the others follow in the order of core/rows/execution_row.hpp.
namespace flowfabric::postgres {

class RowReader {
  public:
    RowReader(const Rows& rows, std::size_t row, std::size_t at = 0) : rows_(rows), row_(row), column_(at) {}

    template <class T>
    void operator()(const char* name, T& field, ColumnUse = ColumnUse::fixed) {
        field = read_column<T>(name, cell());
    }
    std::optional<Bytes> bytes() { return rows_.get<std::optional<Bytes>>(row_, column_++); }
    Cell cell() { return rows_.cell(row_, column_++); }

  private:
    const Rows& rows_;
    std::size_t row_;
    std::size_t column_;
};

// Reads a row that came as one value, sql::record(): the number of its fields, then type, length and bytes of each.
class RecordReader {
  public:
    RecordReader(const Rows& rows, std::size_t row, std::size_t column = 0)
        : rest_(rows.cell(row, column).value_or("")) {
        take(sizeof(std::int32_t));
    }

    template <class T>
    void operator()(const char* name, T& field, ColumnUse = ColumnUse::fixed) {
        field = read_column<T>(name, cell());
    }
    std::optional<Bytes> bytes() { return CellReader<std::optional<Bytes>>::read(cell()); }
    // The next field as it came.
    Cell cell() {
        take(sizeof(std::uint32_t));
        const auto length = read_big_endian<std::int32_t>(take(sizeof(std::int32_t)));
        return length < 0 ? Cell() : Cell(take(static_cast<std::size_t>(length)));
    }

  private:
    std::string_view take(std::size_t size) {
        if (size > rest_.size()) throw_unreadable("a row is cut short");
        const auto taken = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return taken;
    }

    std::string_view rest_;
};

inline void require_sound(const ExecutionRow& execution) {
    if (auto damage = damage_in(execution)) throw_unreadable(std::move(*damage));
}

inline ExecutionRow read_execution(const Rows& rows, std::size_t row) {
    ExecutionRow execution;
    visit_execution_columns(execution, RowReader(rows, row));
    require_sound(execution);
    return execution;
}

inline ExecutionId read_execution_id(const Rows& rows, std::size_t row, std::size_t at = 0) {
    return {rows.get<std::uint16_t>(row, at), rows.get<Uuid>(row, at + 1)};
}

inline ExecutionSummary read_summary(const Rows& rows, std::size_t row) {
    ExecutionSummary summary;
    visit_summary_columns(summary, RowReader(rows, row));
    return summary;
}

inline FlowMember read_member(const Rows& rows, std::size_t row) {
    return {.id = read_execution_id(rows, row), .phase = rows.get<LifecyclePhase>(row, 2)};
}

inline Undispatched read_undispatched(const Rows& rows, std::size_t row) {
    return {.event_id = rows.get<std::int64_t>(row, 0),
            .execution_id = read_execution_id(rows, row, 1),
            .flow_id = rows.get<FlowId>(row, 3),
            .outcome = rows.get<TerminalOutcome>(row, 4),
            .cause = rows.get<std::optional<CancellationCause>>(row, 5)};
}

inline IdempotencyRow read_idempotency_row(const Rows& rows, std::size_t row) {
    return {.key = {rows.get<std::string>(row, 0), rows.get<std::string>(row, 1)},
            .execution_id = read_execution_id(rows, row, 2),
            .expires_at_ms = rows.get<std::int64_t>(row, 4),
            .request_digest = rows.get<std::optional<std::string>>(row, 5),
            .first_state = rows.get<std::optional<PublicState>>(row, 6)};
}

// Every row of an answer, as `read(rows, row)` sees it.
template <class Read>
auto read_all(const Rows& rows, Read&& read) {
    std::vector<decltype(read(rows, std::size_t{0}))> values;
    values.reserve(rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) values.push_back(read(rows, row));
    return values;
}

// ---- damaged rows -----------------------------------------------------------------------------------------------

// The key of a row of a side table.
inline std::string key_of(const RowType& type, const Rows& rows, std::size_t row) {
    try {
        CellsReader reader(rows, row);
        return type.read_key(reader);
    } catch (const Failure&) {
        return "with an unreadable key";
    }
}

inline std::string name_of_execution(const Rows& rows, std::size_t row, std::size_t at = 0) {
    try {
        return read_execution_id(rows, row, at).to_string();
    } catch (const Failure&) {
        return "with an unreadable key";
    }
}

inline std::string name_of_event(const Rows& rows, std::size_t row) {
    const Cell id = rows.cell(row, 0);
    return id ? std::to_string(read_big_endian<std::int64_t>(*id)) : "without an id";
}

// The rows of an answer that can be read; the others are reported, each under name(rows, row).
template <class Name, class Read>
auto read_sound(const Rows& rows, DamageLog& damage, std::string_view table, Name&& name, Read&& read) {
    Sight<decltype(read(rows, std::size_t{0}))> sight{.rows = {}, .seen = rows.size()};
    sight.rows.reserve(rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
        read_or_report<Failure>(
            damage, table, [&] { return name(rows, row); }, [&] { sight.rows.push_back(read(rows, row)); });
    }
    return sight;
}

inline Sight<ExecutionSummary> read_sound_summaries(const Rows& rows, DamageLog& damage) {
    const auto name = [](const Rows& all, std::size_t row) { return name_of_execution(all, row); };
    return read_sound(rows, damage, "ff_exec_core", name, read_summary);
}

inline Sight<FlowMember> read_sound_members(const Rows& rows, DamageLog& damage) {
    const auto name = [](const Rows& all, std::size_t row) { return name_of_execution(all, row); };
    return read_sound(rows, damage, "ff_exec_core", name, read_member);
}

// Rows of a side table that are asked for: a damaged one is reported and fails whatever asks for it.
void load_rows(const RowType& type, const Rows& rows, SideTables& into, DamageLog& damage);

// Those of a side table that can be read.
template <class Row>
Sight<Row> read_sound_rows(const Rows& rows, DamageLog& damage) {
    const RowType& type = row_type<Row>();
    const auto name = [&](const Rows& all, std::size_t row) { return key_of(type, all, row); };
    return read_sound(rows, damage, type.table, name, [](const Rows& all, std::size_t row) {
        CellsReader reader(all, row);
        return read_row<Row>(reader);
    });
}

// The rows of the statements `routes` and `routes_of_lanes`, which leave the settings out. A class that cannot be read
// keeps its place without a lane, so that nothing is routed to it; a lane whose state cannot be read is disabled.
inline Routes read_routes(const Rows& rows, DamageLog& damage) {
    Routes routes;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        routes.lane_revision = rows.get<std::int64_t>(row, 0);
        routes.setting_revision = rows.get<std::int64_t>(row, 1);
        const auto lane_id = rows.get<std::optional<std::string>>(row, 3);
        if (!lane_id) continue;
        if (const auto class_id = rows.get<std::optional<std::int32_t>>(row, 2)) {
            ClaimClass& known = routes.classes.emplace_back();
            known.class_id = *class_id;
            const bool readable = read_or_report<Failure>(
                damage, "ff_claim_class", [&] { return std::to_string(*class_id); },
                [&] {
                    known.required_capabilities =
                        read_column<std::vector<std::string>>("required_capabilities", rows.cell(row, 4));
                });
            if (readable) known.lane_id = *lane_id;
        }
        LaneState state = LaneState::disabled;
        const bool knows_state = read_or_report<Failure>(
            damage, LaneRow::table, [&] { return *lane_id; },
            [&] {
                state =
                    read_column<std::optional<LaneState>>("lane_state", rows.cell(row, 5)).value_or(LaneState::active);
            });
        if (!knows_state) routes.unreadable_lanes.insert(*lane_id);
        if (state != LaneState::active) routes.lane_states.emplace(*lane_id, state);
    }
    return routes;
}

// Settings that are read behind their revision are no older than it. One that cannot be read counts as not set.
inline Routes read_routes(Connection& connection, const Statement& statement, const Params& params, DamageLog& damage) {
    connection.send(statement, params);
    connection.send(side_statements(row_type<SettingRow>()).read_all);
    connection.end_section();
    const auto results = connection.receive();
    Routes routes = read_routes(results.front(), damage);
    routes.settings = settings_of(read_sound_rows<SettingRow>(results.back(), damage).rows);
    return routes;
}

}  // namespace flowfabric::postgres
