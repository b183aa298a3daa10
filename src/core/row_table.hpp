#pragma once

#include <map>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace flowfabric {

// The rows of a small table that one batch works on: first as they were loaded, then as its commands leave them.
// `key_of(row)` tells a row's key.
template <class Row>
class RowTable {
  public:
    using Key = std::remove_cvref_t<decltype(key_of(std::declval<const Row&>()))>;

    void load(Row row) {
        auto key = key_of(row);
        slots_.insert_or_assign(std::move(key), Slot{std::move(row), false});
    }

    const Row* find(const Key& key) const {
        const auto slot = slots_.find(key);
        return slot == slots_.end() || !slot->second.row ? nullptr : &*slot->second.row;
    }

    void put(Row row) {
        auto key = key_of(row);
        slots_.insert_or_assign(std::move(key), Slot{std::move(row), true});
    }

    void erase(const Key& key) { slots_.insert_or_assign(key, Slot{std::nullopt, true}); }

    bool changed() const {
        for (const auto& [key, slot] : slots_) {
            if (slot.changed) return true;
        }
        return false;
    }

    // What is to be stored, by key: inserted where it is new.
    std::vector<Row> puts() const {
        std::vector<Row> rows;
        for (const auto& [key, slot] : slots_) {
            if (slot.changed && slot.row) rows.push_back(*slot.row);
        }
        return rows;
    }

    // What is to be removed, by key, if it is there.
    std::vector<Key> erased() const {
        std::vector<Key> keys;
        for (const auto& [key, slot] : slots_) {
            if (slot.changed && !slot.row) keys.push_back(key);
        }
        return keys;
    }

  private:
    struct Slot {
        std::optional<Row> row;
        bool changed = false;
    };
    std::map<Key, Slot> slots_;
};

}  // namespace flowfabric
