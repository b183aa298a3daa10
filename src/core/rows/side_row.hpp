#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/rows/execution_row.hpp"

// Rows of the tables beside the executions (core/*/*_row.hpp, core/*/*_rows.hpp). Each type names its table, its key
// and its columns, the key's first; every store finds, writes and removes rows by that alone.
//
// Rows that an execution owns are loaded with it, when it says that it has some, and are covered by its lock; they go
// when it goes. Other rows are locked themselves.
namespace flowfabric {

// Text without control characters, any number of them: an array in PostgreSQL.
struct TextList {
    std::vector<std::string> values;

    bool operator==(const TextList&) const = default;
};

// What is locked for a batch that loads the row.
enum class RowLock : std::uint8_t {
    itself,
    before_executions,  // itself as well, and ahead of them
    covered_by_parent,  // what it belongs to is locked first: the execution, the flow, the outbox, the webhook
};

template <class T, class Plain>
concept Is = std::same_as<std::remove_const_t<T>, Plain>;

struct ExecutionKey {
    ExecutionId id;

    auto operator<=>(const ExecutionKey&) const = default;
};

template <Is<ExecutionKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit("partition_key", key.id.partition);
    visit("execution_id", key.id.uuid);
}

template <class Row>
concept OwnedRow = requires(const Row& row, const ExecutionRow& execution) {
    { row.owner() } -> std::same_as<ExecutionId>;
    { Row::has_some(execution) } -> std::same_as<bool>;
};

// A row that may be there although the batch that puts it has not looked for it. Any other is looked for first: if it
// was not found, it is new, and a batch that comes up with it at the same time is the one that fails.
template <class Row>
concept BlindUpsert = requires { requires Row::blind_upsert; };

// A row of a flow, of a group of edges within it, or out of an execution, can be asked for through it.
template <class Row>
concept FlowRows = requires(const Row& row) { row.flow(); };
template <class Row>
concept GroupRows = requires(const Row& row) { row.group(); };
template <class Row>
concept SourceRows = requires(const Row& row) { row.source(); };

// Rows that are worked off, in the order of a time that an index holds.
template <class Row>
concept QueuedRow = requires(const Row& row) {
    { row.queued_at_ms() } -> std::same_as<std::int64_t>;
    Row::queue_column;
};

// Rows that follow one another within a series, the key but for its last column: what comes behind a key in its series
// is read piece by piece. A batch reads it with the lock of what they belong to; such rows are read by nobody else if
// they are locked themselves.
template <class Row>
concept SeriesRow = requires(const Row& row) {
    { row.key.series() == row.key.series() } -> std::same_as<bool>;
};

// Rows that count on within a series, whose oldest are removed by their number without having been looked at. `Series`
// is the beginning of the key.
template <class Row>
concept NumberedRow = OwnedRow<Row> && requires(const Row& row, const typename Row::Series& series) {
    { row.series() } -> std::convertible_to<typename Row::Series>;
    { row.number() } -> std::same_as<std::int64_t>;
    { Row::number_column } -> std::convertible_to<std::string_view>;
    { Row::first_key(series) } -> std::same_as<typename Row::Key>;
};

// All rows of a series up to a number.
template <class Row>
struct CutOff {
    typename Row::Series series;
    std::int64_t through = 0;
};

template <class Row, class Visitor>
void visit_columns(const CutOff<Row>& cut, Visitor&& visit) {
    visit_columns(cut.series, visit);
    visit("through", cut.through);
}

// The column that holds a row's due time; `where` is SQL, from a column's name on, and says of which rows it counts.
struct DueColumn {
    std::string_view name;  // of what happens then
    std::string_view column;
    std::string_view where = {};
    std::string_view own_id = {};  // the column that names the row beside its partition, if it leads to nothing else
};

// A row that leads to an execution, to a flow or to itself when its time has come (core/rows/due_rows.hpp).
template <class Row>
concept DueRow = requires(const Row& row) {
    { row.due_at_ms() } -> std::same_as<std::optional<std::int64_t>>;
    { Row::due } -> std::convertible_to<DueColumn>;
};

}  // namespace flowfabric
