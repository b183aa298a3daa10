#pragma once

#include <bitset>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/partition.hpp"
#include "store/postgres/wire/columns.hpp"

// A statement's parameters in PostgreSQL's binary format.
namespace flowfabric::postgres {

// One column of a multi-row statement: a one-dimensional array, with a cell per row.
class ArrayParam {
  public:
    explicit ArrayParam(std::uint32_t element_oid);

    template <class T>
    void put(const T& value) {
        const std::size_t at = bytes_.size();
        put_cell(value);
        compare_with_first(at);
        ++count_;
    }

    // Whether all cells are the same.
    bool uniform() const { return uniform_; }

    std::string finish() &&;
    // The first cell, of a column that is the same in all rows.
    std::optional<std::string> shared() const;

  private:
    void compare_with_first(std::size_t at);

    template <class T>
    void put_cell(const std::optional<T>& value) {
        if (value) {
            put_cell(*value);
        } else {
            append_big_endian(bytes_, std::int32_t{-1});
        }
    }

    template <class T>
    void put_cell(const T& value) {
        const std::size_t length_at = bytes_.size();
        bytes_.append(sizeof(std::int32_t), '\0');
        Codec<T>::put(bytes_, value);
        write_big_endian(&bytes_[length_at],
                         static_cast<std::int32_t>(bytes_.size() - length_at - sizeof(std::int32_t)));
    }

    std::string bytes_;
    std::int32_t count_ = 0;
    std::size_t first_end_ = 0;
    bool uniform_ = true;
};

class Params {
  public:
    Params() = default;
    template <class... T>
    static Params of(const T&... values) {
        Params params;
        (params.add(values), ...);
        return params;
    }

    template <class T>
    void add(const T& value) {
        Codec<T>::put(*values_.emplace_back(std::in_place), value);
    }
    template <class T>
    void add(const std::optional<T>& value) {
        if (value) {
            add(*value);
        } else {
            values_.emplace_back(std::nullopt);
        }
    }
    void add(ArrayParam array) { values_.emplace_back(std::move(array).finish()); }
    void add_shared(const ArrayParam& column) { values_.push_back(column.shared()); }

    // One array of what `project` makes of each element.
    template <class Range, class Project>
    void add_array(const Range& range, Project&& project) {
        ArrayParam array(Codec<std::decay_t<decltype(project(*range.begin()))>>::oid);
        for (const auto& element : range) array.put(project(element));
        add(std::move(array));
    }

    void append(const Params& further) {
        values_.insert(values_.end(), further.values_.begin(), further.values_.end());
    }

    const std::vector<std::optional<std::string>>& values() const { return values_; }

  private:
    std::vector<std::optional<std::string>> values_;
};

// A look-up takes many keys, as one array per column, or a single one's plain values.
enum class Shape : std::uint8_t { many_rows, one_row };

// Of the columns of a statement's rows, by position.
using ColumnSet = std::bitset<96>;

// The rows of a statement, column by column: an array per column or, for what is the same in all rows, a plain value,
// which spares the server a function scan and everybody the copies.
class RowParams {
  public:
    explicit RowParams(std::size_t rows) : RowParams(rows == 1 ? Shape::one_row : Shape::many_rows) {}
    explicit RowParams(Shape shape) : single_(shape == Shape::one_row) {}

    template <class T>
    void put(const T& value) {
        if (single_) return values_.add(value);
        if (column_ == columns_.size()) columns_.emplace_back(Codec<T>::oid);
        columns_[column_++].put(value);
    }
    void end_row() {
        column_ = 0;
        ++count_;
    }

    std::size_t count() const { return count_; }
    // The columns that are the same in all of many rows. The first is never among them: it says how many rows there
    // are.
    ColumnSet uniform() const;
    Shape shape() const { return single_ ? Shape::one_row : Shape::many_rows; }
    // Many rows with those columns as plain values; a single row has no others.
    Params finish(const ColumnSet& shared = {}) &&;

  private:
    const bool single_;
    Params values_;
    std::vector<ArrayParam> columns_;
    std::size_t column_ = 0;
    std::size_t count_ = 0;
};

inline void put_key(RowParams& rows, const ExecutionId& id) {
    rows.put(id.partition);
    rows.put(id.uuid);
}

inline void put_key(RowParams& rows, const IdempotencyKey& key) {
    rows.put(idempotency_partition(key.namespace_name, key.key));
    rows.put(key.namespace_name);
    rows.put(key.key);
}

// Of a side table's row.
template <class Key>
void put_key(RowParams& rows, const Key& key) {
    visit_columns(key, [&](const char*, const auto& field) { rows.put(field); });
}

template <class Key>
Params put_keys(RowParams rows, const std::vector<Key>& keys) {
    for (const auto& key : keys) {
        put_key(rows, key);
        rows.end_row();
    }
    return std::move(rows).finish();
}

// For a statement that takes any number of keys but none, as arrays.
template <class Key>
Params key_params(const std::vector<Key>& keys) {
    return put_keys(RowParams(Shape::many_rows), keys);
}

// For what LookupStatement::for_rows() gives.
template <class Key>
Params row_params(const std::vector<Key>& keys) {
    return put_keys(RowParams(keys.size()), keys);
}

}  // namespace flowfabric::postgres
