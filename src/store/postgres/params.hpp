#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/postgres/columns.hpp"

// A statement's parameters in PostgreSQL's binary format.
namespace flowfabric::postgres {

// One column of a multi-row statement: a one-dimensional array, with a cell per row.
class ArrayParam {
  public:
    explicit ArrayParam(std::uint32_t element_oid);

    template <class T>
    void put(const T& value) {
        put_cell(value);
        ++count_;
    }

    std::string finish() &&;

  private:
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
        std::string bytes;
        Codec<T>::put(bytes, value);
        values_.emplace_back(std::move(bytes));
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

    // One array of what `project` makes of each element.
    template <class Range, class Project>
    void add_array(const Range& range, Project&& project) {
        ArrayParam array(Codec<std::decay_t<decltype(project(*range.begin()))>>::oid);
        for (const auto& element : range) array.put(project(element));
        add(std::move(array));
    }

    const std::vector<std::optional<std::string>>& values() const { return values_; }

  private:
    std::vector<std::optional<std::string>> values_;
};

// The rows of a statement, column by column: an array per column or, for a single row, its plain values, which spare
// the server a function scan over as many arrays as there are columns.
class RowParams {
  public:
    explicit RowParams(std::size_t rows) : single_(rows == 1) {}

    template <class T>
    void put(const T& value) {
        if (single_) return values_.add(value);
        if (column_ == columns_.size()) columns_.emplace_back(Codec<T>::oid);
        columns_[column_++].put(value);
    }
    void end_row() { column_ = 0; }

    Params finish() && {
        for (auto& column : columns_) values_.add(std::move(column));
        return std::move(values_);
    }

  private:
    const bool single_;
    Params values_;
    std::vector<ArrayParam> columns_;
    std::size_t column_ = 0;
};

// Keys as arrays, one per column.
inline Params key_params(const std::vector<ExecutionId>& ids) {
    Params params;
    params.add_array(ids, [](const ExecutionId& id) { return id.partition; });
    params.add_array(ids, [](const ExecutionId& id) { return id.uuid; });
    return params;
}

// Of a side table's rows.
template <class Key>
Params side_key_params(const std::vector<Key>& keys) {
    std::vector<ArrayParam> columns;
    for (const auto& key : keys) {
        std::size_t column = 0;
        visit_columns(key, [&]<class T>(const char*, const T& field) {
            if (column == columns.size()) columns.emplace_back(Codec<T>::oid);
            columns[column++].put(field);
        });
    }
    Params params;
    for (auto& column : columns) params.add(std::move(column));
    return params;
}

}  // namespace flowfabric::postgres
