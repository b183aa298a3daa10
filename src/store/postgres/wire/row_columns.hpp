#pragma once

#include <string>
#include <vector>

#include "core/rows/row_type.hpp"
#include "store/postgres/wire/connection.hpp"
#include "store/postgres/wire/params.hpp"

// Rows of side tables, to parameters and from results, by their descriptions.
namespace flowfabric::postgres {

class ParamsWriter final : public ColumnWriter {
  public:
    explicit ParamsWriter(RowParams& rows) : rows_(rows) {}

  private:
    void number(ColumnForm form, std::int64_t value) override;
    void text(std::string_view value) override;
    void binary(std::string_view value) override;
    void uuid(const Uuid& value) override;
    void json(std::string_view value) override;
    void tokens(const std::vector<std::string>& values) override;
    void texts(const std::vector<std::string>& values) override;
    void null(ColumnForm form) override;

    RowParams& rows_;
};

// The columns of one row of a result.
class CellsReader final : public ColumnReader {
  public:
    CellsReader(const Rows& rows, std::size_t row) : rows_(rows), row_(row) {}

    [[noreturn]] void refuse_row(std::string why) const override;

  private:
    void next(const char* name) override;
    bool is_null() const override { return !cell_; }
    std::int64_t number(ColumnForm form) const override;
    std::string_view text() const override;
    std::string_view binary() const override;
    Uuid uuid() const override;
    Json json() const override;
    std::vector<std::string> tokens() const override;
    std::vector<std::string> texts() const override;
    [[noreturn]] void refuse(const std::string& why) const override;

    const Rows& rows_;
    std::size_t row_;
    std::size_t column_ = 0;  // behind the one at hand
    std::string_view name_;
    Cell cell_;
};

RowParams params_of(const std::vector<RowRef>& rows, Shape shape);
// For what LookupStatement::for_rows() and WriteStatement give.
inline RowParams params_of(const std::vector<RowRef>& rows) {
    return params_of(rows, rows.size() == 1 ? Shape::one_row : Shape::many_rows);
}

// For a statement that reads so many rows behind a key.
Params params_behind(const RowRef& key, std::int64_t count);

}  // namespace flowfabric::postgres
