#include "store/postgres/wire/row_columns.hpp"

#include <concepts>

namespace flowfabric::postgres {

// ---- parameters -------------------------------------------------------------------------------------------------

void ParamsWriter::number(ColumnForm form, std::int64_t value) {
    with_form(form, [&]<class T>() {
        if constexpr (std::integral<T>) rows_.put(static_cast<T>(value));
    });
}

void ParamsWriter::text(std::string_view value) {
    rows_.put(value);
}

void ParamsWriter::binary(std::string_view value) {
    rows_.put(Blob{value});
}

void ParamsWriter::uuid(const Uuid& value) {
    rows_.put(value);
}

void ParamsWriter::json(std::string_view value) {
    rows_.put(JsonView{value});
}

void ParamsWriter::tokens(const std::vector<std::string>& values) {
    rows_.put(values);
}

void ParamsWriter::texts(const std::vector<std::string>& values) {
    rows_.put(values);
}

void ParamsWriter::null(ColumnForm form) {
    with_form(form, [&]<class T>() { rows_.put(std::optional<T>()); });
}

RowParams params_of(const std::vector<RowRef>& rows, Shape shape) {
    RowParams params(shape);
    ParamsWriter writer(params);
    for (const RowRef& row : rows) {
        row.write(writer);
        params.end_row();
    }
    return params;
}

// ---- results ----------------------------------------------------------------------------------------------------

void CellsReader::refuse_row(std::string why) const {
    throw_unreadable(std::move(why));
}

void CellsReader::refuse(const std::string& why) const {
    throw_unreadable("column " + std::string(name_) + ": " + why);
}

void CellsReader::next(const char* name) {
    name_ = name;
    cell_ = rows_.cell(row_, column_++);
}

std::int64_t CellsReader::number(ColumnForm form) const {
    return with_form(form, [&]<class T>() -> std::int64_t {
        if constexpr (std::integral<T>) {
            return static_cast<std::int64_t>(read_column<T>(name_, cell_));
        } else {
            refuse("not a number");
        }
    });
}

std::string_view CellsReader::text() const {
    if (!cell_) refuse("a value is missing");
    return *cell_;
}

std::string_view CellsReader::binary() const {
    return text();
}

Uuid CellsReader::uuid() const {
    return read_column<Uuid>(name_, cell_);
}

Json CellsReader::json() const {
    return read_column<Json>(name_, cell_);
}

std::vector<std::string> CellsReader::tokens() const {
    return read_column<std::vector<std::string>>(name_, cell_);
}

std::vector<std::string> CellsReader::texts() const {
    return tokens();
}

}  // namespace flowfabric::postgres
