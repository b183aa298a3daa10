#pragma once

#include "core/side_rows.hpp"
#include "store/port.hpp"
#include "store/postgres/connection.hpp"

// Results to rows. The first column of a row is `at`; the others follow in the order of core/rows.hpp.
namespace flowfabric::postgres {

class RowReader {
  public:
    RowReader(const Rows& rows, std::size_t row, std::size_t at = 0) : rows_(rows), row_(row), column_(at) {}

    template <class T>
    void operator()(const char*, T& field, ColumnUse = ColumnUse::fixed) {
        field = rows_.get<T>(row_, column_++);
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
    RecordReader(const Rows& rows, std::size_t row) : rest_(rows.cell(row, 0).value_or("")) {
        take(sizeof(std::int32_t));
    }

    template <class T>
    void operator()(const char*, T& field, ColumnUse = ColumnUse::fixed) {
        field = CellReader<T>::read(cell());
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
        if (size > rest_.size()) throw Failure(StoreFault::data, "a stored row is cut short");
        const auto taken = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return taken;
    }

    std::string_view rest_;
};

// Calls use(reader) for a row that came as one value or column by column.
template <class Use>
auto with_reader(const Rows& rows, std::size_t row, Use&& use) {
    return rows.columns() == 1 ? use(RecordReader(rows, row)) : use(RowReader(rows, row));
}

inline ExecutionRow read_execution(const Rows& rows, std::size_t row) {
    ExecutionRow execution;
    visit_execution_columns(execution, RowReader(rows, row));
    return execution;
}

inline ExecutionId read_execution_id(const Rows& rows, std::size_t row, std::size_t at = 0) {
    return {rows.get<std::uint16_t>(row, at), rows.get<Uuid>(row, at + 1)};
}

inline FlowMember read_member(const Rows& rows, std::size_t row) {
    return {.id = read_execution_id(rows, row), .phase = rows.get<LifecyclePhase>(row, 2)};
}

inline Undispatched read_undispatched(const Rows& rows, std::size_t row) {
    return {.event_id = rows.get<std::int64_t>(row, 0),
            .execution_id = read_execution_id(rows, row, 1),
            .flow_id = rows.get<FlowId>(row, 3),
            .outcome = rows.get<TerminalOutcome>(row, 4)};
}

inline IdempotencyRow read_idempotency_row(const Rows& rows, std::size_t row) {
    return {.key = {rows.get<std::string>(row, 0), rows.get<std::string>(row, 1)},
            .execution_id = read_execution_id(rows, row, 2),
            .expires_at_ms = rows.get<std::int64_t>(row, 4)};
}

// Of a side table.
template <class Row>
Row read_row(const Rows& rows, std::size_t row) {
    Row value;
    visit_columns(value, RowReader(rows, row));
    return value;
}

inline Routes read_routes(const Rows& rows) {
    Routes routes;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        routes.lane_revision = rows.get<std::int64_t>(row, 0);
        const auto class_id = rows.get<std::optional<std::int32_t>>(row, 1);
        if (!class_id) continue;
        const auto lane_id = rows.get<std::string>(row, 2);
        routes.classes.push_back({.class_id = *class_id,
                                  .lane_id = lane_id,
                                  .required_capabilities = rows.get<std::vector<std::string>>(row, 3)});
        const auto state = rows.get<std::optional<LaneState>>(row, 4).value_or(LaneState::active);
        if (state != LaneState::active) routes.lane_states.emplace(lane_id, state);
    }
    return routes;
}

// Every row of an answer, as `read(rows, row)` sees it.
template <class Read>
auto read_all(const Rows& rows, Read&& read) {
    std::vector<decltype(read(rows, std::size_t{0}))> values;
    values.reserve(rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) values.push_back(read(rows, row));
    return values;
}

}  // namespace flowfabric::postgres
