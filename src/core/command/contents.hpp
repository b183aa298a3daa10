#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/execution/idempotency_row.hpp"
#include "core/rows/execution_row.hpp"
#include "core/rows/side_row.hpp"

namespace flowfabric {
namespace detail {

template <class T>
concept HasColumns = requires(const T& row) { visit_columns(row, [](const char*, const auto&) {}); };

// Adds up what values hold outside of themselves.
class Contents {
  public:
    template <class... Values>
    explicit Contents(const Values&... values) {
        (add(values), ...);
    }

    std::size_t bytes() const { return bytes_; }

    template <class T>
    void add(const T& value) {
        if constexpr (HasColumns<T>) {
            visit_columns(value, [this](const char*, const auto& field) { add(field); });
        }
    }
    void add(const std::string& text) { bytes_ += text.size(); }
    void add(const Json& json) { add(json.text); }
    void add(const ExecutionRow& row) {
        visit_execution_columns(row, [this](const char*, const auto& field, ColumnUse) { add(field); });
    }
    void add(const IdempotencyKey& key) { bytes_ += key.namespace_name.size() + key.key.size(); }
    template <class T>
    void add(const std::optional<T>& value) {
        if (value) add(*value);
    }
    template <class T>
    void add(const std::vector<T>& values) {
        bytes_ += values.size() * sizeof(T);
        for (const T& value : values) add(value);
    }
    template <class Key, class T>
    void add(const std::map<Key, T>& values) {
        for (const auto& [key, value] : values) {
            bytes_ += sizeof(std::pair<const Key, T>);
            add(key);
            add(value);
        }
    }

  private:
    std::size_t bytes_ = 0;
};

}  // namespace detail

// What the values hold outside of themselves.
template <class... Values>
std::size_t contents_of(const Values&... values) {
    return detail::Contents(values...).bytes();
}

}  // namespace flowfabric
