#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/damage.hpp"
#include "store/port.hpp"

// How the stores list rows some of which may be damaged, and look for those that are.
namespace flowfabric {

// Runs `read`, which throws Thrown on a damaged row: it is reported under `key()` then, and false is returned.
template <class Thrown, class Key, class Read>
bool read_or_report(DamageLog& damage, std::string_view table, Key&& key, Read&& read) {
    try {
        read();
        return true;
    } catch (const Thrown& thrown) {
        if (thrown.error().fault != StoreFault::unreadable) throw;
        damage.report({std::string(table), key(), thrown.what()});
        return false;
    }
}

// Reports a row that was asked for by name; what its caller is told.
std::string report_asked(DamageLog& damage, const Damage& row);

// What a look for up to `limit` rows returns: the sound ones, and how many there were.
template <class Row>
struct Sight {
    std::vector<Row> rows;
    std::size_t seen = 0;
};

// A page that is short only where the rows end, although damaged ones are left out of it: look(n) is asked for more of
// them from the same place until it is full.
template <class Look>
auto whole_page(std::uint32_t limit, Look&& look) -> decltype(look(std::int64_t{}).rows) {
    for (std::int64_t asked = limit;; asked *= 2) {
        auto [rows, seen] = look(asked);
        const bool all = std::cmp_less(seen, asked);
        if (!all && rows.size() < limit) continue;
        if (rows.size() > limit) rows.resize(limit);
        return std::move(rows);
    }
}

// What a walk through all rows has come upon.
Finding judge_rows(std::size_t rows, const std::vector<Damage>& damaged);

}  // namespace flowfabric
