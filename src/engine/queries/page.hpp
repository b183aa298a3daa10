#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "engine/queries/queries.hpp"
#include "flowfabric/limits.hpp"

namespace flowfabric {

template <class Row>
struct RowsOfPage {
    std::vector<Row> rows;
    bool more = false;  // there are others behind them
};

// What `read` gives for the query; it is asked for one row more than the page takes.
template <class Query, class Read>
auto read_page(Query query, Read read)
    -> StoreResult<RowsOfPage<typename decltype(read(query))::value_type::value_type>> {
    RowsOfPage<typename decltype(read(query))::value_type::value_type> page;
    if (query.limit == 0) return page;
    query.limit = std::min(query.limit, max_page) + 1;
    auto rows = read(query);
    if (!rows) return rows.error();
    page.rows = *std::move(rows);
    page.more = page.rows.size() == query.limit;
    if (page.more) page.rows.pop_back();
    return page;
}

// The page that the query asks for, of all items in the order of their places.
template <class Query, class Page, class Item, class Place>
Page page_of(const Query& query, std::vector<Item> all, std::vector<Item> Page::* items, Place place) {
    const auto first = query.after ? std::ranges::upper_bound(all, *query.after, {}, place) : all.begin();
    const auto count = std::min<std::ptrdiff_t>(all.end() - first, std::min(query.limit, max_page));
    Page page;
    (page.*items).assign(std::move_iterator(first), std::move_iterator(first + count));
    if (count > 0 && first + count != all.end()) page.next = std::invoke(place, (page.*items).back());
    return page;
}

}  // namespace flowfabric
