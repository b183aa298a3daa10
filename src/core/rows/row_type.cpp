#include "core/rows/row_type.hpp"

#include "core/rows/key_text.hpp"
#include "core/rows/row_check.hpp"

namespace flowfabric {
namespace {

template <class Fields>
RowRef ref_to(const Fields& fields) {
    return {&fields,
            [](const void* it, ColumnWriter& writer) { visit_columns(*static_cast<const Fields*>(it), writer); }};
}

template <class Fields>
std::vector<RowRef> refs_to(const std::vector<Fields>& all) {
    std::vector<RowRef> refs;
    refs.reserve(all.size());
    for (const Fields& fields : all) refs.push_back(ref_to(fields));
    return refs;
}

template <class Row>
void read_columns(ColumnReader& reader, Row& row) {
    visit_columns(row, reader);
    if constexpr (requires { damage_in(row); }) {
        if (auto damage = damage_in(row)) reader.refuse_row(std::move(*damage));
    }
}

template <class Row>
RowChanges changes_in(const RowTable<Row>& table) {
    RowChanges changes;
    table.each_put(
        [&](const Row& row, bool is_new) { (is_new ? changes.inserts : changes.upserts).push_back(ref_to(row)); });
    table.each_erased([&](const typename Row::Key& key) { changes.erased.push_back(ref_to(key)); });
    table.each_cut([&](const auto& cut) { changes.cuts.push_back(ref_to(cut)); });
    return changes;
}

template <class Row>
RowType describe() {
    using Key = typename Row::Key;
    RowType type{
        .table = Row::table,
        .columns = describe_columns<Row>(),
        .key_size = describe_columns<Key>().size(),
        .lock = Row::lock,
        .owned = OwnedRow<Row>,
        .of_flow = FlowRows<Row>,
        .of_group = GroupRows<Row>,
        .of_source = SourceRows<Row>,
        .in_series = SeriesRow<Row>,
        .wanted = [](const SideRowsWanted& all) -> const RelatedRows& { return all.of<Row>(); },
        .wanted_keys = [](const SideRowsWanted& all) { return refs_to(all.of<Row>().keys); },
        .wants_keys = [](const SideRowsWanted& all) { return !all.of<Row>().keys.empty(); },
        .wanted_behind = [](const SideRowsWanted& all) { return refs_to(all.of<Row>().behind); },
        .changes = [](const SideTables& all) { return changes_in(all.of<Row>()); },
        .changed = [](const SideTables& all) { return all.of<Row>().changed(); },
        .read = [](ColumnReader& reader, void* row) { read_columns(reader, *static_cast<Row*>(row)); },
        .load =
            [](ColumnReader& reader, SideTables& into) {
                Row row;
                read_columns(reader, row);
                into.of<Row>().load(std::move(row));
            },
        .check =
            [](ColumnReader& reader) {
                Row row;
                read_columns(reader, row);
            },
        .read_key =
            [](ColumnReader& reader) {
                Key key;
                visit_columns(key, reader);
                return key_text(key);
            },
    };
    if constexpr (OwnedRow<Row>) type.has_some = Row::has_some;
    if constexpr (requires { Row::loaded_where; }) type.loaded_where = Row::loaded_where;
    if constexpr (NumberedRow<Row>) {
        type.series_size = describe_columns<typename Row::Series>().size();
        type.number_column = Row::number_column;
    }
    if constexpr (QueuedRow<Row>) type.queue_column = Row::queue_column;
    return type;
}

std::vector<RowType> describe_all() {
    std::vector<RowType> types;
    SideTables{}.each([&]<class Row>(const RowTable<Row>&) { types.push_back(describe<Row>()); });
    return types;
}

}  // namespace

std::span<const RowType> side_row_types() {
    static const std::vector<RowType> types = describe_all();
    return types;
}

}  // namespace flowfabric
