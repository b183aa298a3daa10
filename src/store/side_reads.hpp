#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/claim/routes.hpp"
#include "core/rows/side_tables.hpp"
#include "store/result.hpp"

namespace flowfabric {

// Side tables, and what engines remember of lanes, classes and settings.
class SideReads {
  public:
    virtual ~SideReads() = default;

    virtual StoreResult<SideTables> side_rows(const SideRowsWanted& wanted) = 0;
    template <class Row>
    StoreResult<std::optional<Row>> row(const typename Row::Key& key);  // of a side table
    template <class Row>
    StoreResult<std::vector<Row>> all();  // by key
    template <QueuedRow Row>
    StoreResult<std::vector<Row>> first(std::uint32_t limit);  // those that are due first, by key
    template <SeriesRow Row>
    StoreResult<std::vector<Row>> behind(const typename Row::Key& key, std::uint32_t limit);  // in its series, by key
    virtual StoreResult<Routes> routes() = 0;
};

template <class Row>
StoreResult<std::optional<Row>> SideReads::row(const typename Row::Key& key) {
    SideRowsWanted wanted;
    wanted.of<Row>().keys = {key};
    auto found = side_rows(wanted);
    if (!found) return found.error();
    const Row* row = found->template of<Row>().find(key);
    return row == nullptr ? std::nullopt : std::optional(*row);
}

template <QueuedRow Row>
StoreResult<std::vector<Row>> SideReads::first(std::uint32_t limit) {
    SideRowsWanted wanted;
    wanted.of<Row>().first = limit;
    auto found = side_rows(wanted);
    if (!found) return found.error();
    return found->template of<Row>().rows();
}

template <SeriesRow Row>
StoreResult<std::vector<Row>> SideReads::behind(const typename Row::Key& key, std::uint32_t limit) {
    SideRowsWanted wanted;
    wanted.of<Row>().behind = {key};
    wanted.of<Row>().piece = limit;
    auto found = side_rows(wanted);
    if (!found) return found.error();
    return found->template of<Row>().rows();
}

template <class Row>
StoreResult<std::vector<Row>> SideReads::all() {
    SideRowsWanted wanted;
    wanted.of<Row>().all = true;
    auto found = side_rows(wanted);
    if (!found) return found.error();
    return found->template of<Row>().rows();
}

}  // namespace flowfabric
