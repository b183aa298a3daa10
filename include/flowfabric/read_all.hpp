#pragma once

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "flowfabric/client.hpp"
#include "flowfabric/limits.hpp"

namespace flowfabric {

// Every item of a list, however many pages that takes: read_all(client, ListLanes{}, &LanePage::lanes).
template <QueryType Q, class Page, class Item>
Result<std::vector<Item>> read_all(Client& client, Q query, std::vector<Item> Page::* items) {
    std::vector<Item> all;
    for (query.limit = max_page;;) {
        auto page = client.read(query);
        if (!page) return page.error();
        std::ranges::move((*page).*items, std::back_inserter(all));
        if (!page->next) return all;
        query.after = std::move(page->next);
    }
}

}  // namespace flowfabric
