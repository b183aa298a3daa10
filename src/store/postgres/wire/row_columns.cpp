#include "store/postgres/wire/row_columns.hpp"

namespace flowfabric::postgres {

// ---- parameters -------------------------------------------------------------------------------------------------

void ParamsWriter::number(ColumnForm form, std::int64_t value) {
    switch (form) {
        case ColumnForm::boolean:
            return rows_.put(value != 0);
        case ColumnForm::int16:
            return rows_.put(static_cast<std::int16_t>(value));
        case ColumnForm::int32:
            return rows_.put(static_cast<std::int32_t>(value));
        default:
            return rows_.put(value);
    }
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

Params params_behind(const RowRef& key, std::int64_t count) {
    Params params = params_of({key}, Shape::one_row).finish();
    params.add(count);
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
    switch (form) {
        case ColumnForm::boolean:
            return static_cast<std::int64_t>(read_column<bool>(name_, cell_));
        case ColumnForm::int16:
            return read_column<std::int16_t>(name_, cell_);
        case ColumnForm::int32:
            return read_column<std::int32_t>(name_, cell_);
        default:
            return read_column<std::int64_t>(name_, cell_);
    }
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
