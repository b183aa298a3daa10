#pragma once

#include <set>
#include <vector>

#include "store/port.hpp"

namespace flowfabric {

template <class Row>
struct Lookup {
    RowTable<Row> rows;
    std::set<typename Row::Key> damaged;
};

// The rows with these keys, which are sorted; one by one if one of them is damaged, so that it holds up no other.
template <class Row>
StoreResult<Lookup<Row>> look_up(StoreReader& reader, std::vector<typename Row::Key> keys) {
    SideRowsWanted wanted;
    wanted.of<Row>().keys = std::move(keys);
    auto found = reader.side_rows(wanted);
    if (found) return Lookup<Row>{std::move(found->template of<Row>()), {}};
    if (found.error().fault != StoreFault::unreadable) return found.error();
    const auto& asked = wanted.of<Row>().keys;
    if (asked.size() == 1) return Lookup<Row>{{}, {asked.front()}};
    Lookup<Row> all;
    for (const auto& key : asked) {
        auto one = look_up<Row>(reader, {key});
        if (!one) return one.error();
        for (Row& row : one->rows.rows()) all.rows.load(std::move(row));
        all.damaged.merge(one->damaged);
    }
    return all;
}

}  // namespace flowfabric
