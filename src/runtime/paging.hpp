#pragma once

#include <algorithm>
#include <vector>

#include "flowfabric/views.hpp"
#include "runtime/hub/reader_pool.hpp"

namespace flowfabric {

template <class Row>
struct RowsOfPage {
    std::vector<Row> rows;
    bool more = false;  // there are others behind them
};

// What `read` gives for the query; it is asked for one row more than the page takes.
template <class Query, class Read>
auto read_page(ReaderPool& readers, Query query, Read read)
    -> Result<RowsOfPage<typename decltype(read(std::declval<StoreReader&>(), query))::value_type::value_type>> {
    using Rows = typename decltype(read(std::declval<StoreReader&>(), query))::value_type;
    RowsOfPage<typename Rows::value_type> page;
    if (query.limit == 0) return page;
    query.limit = std::min(query.limit, max_page) + 1;
    auto rows = readers.run([&](StoreReader& reader) { return read(reader, query); });
    if (!rows) return rows.error();
    page.rows = std::move(*rows);
    page.more = page.rows.size() == query.limit;
    if (page.more) page.rows.pop_back();
    return page;
}

}  // namespace flowfabric
