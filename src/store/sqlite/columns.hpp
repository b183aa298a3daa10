#pragma once

#include <sqlite3.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/rows/columns.hpp"

// How each form of a column stands in SQLite: numbers as INTEGER, bytes and UUIDs as BLOB, all else as TEXT.
namespace flowfabric::sqlite {

// The parameters of a statement, from left to right. Texts and blobs are bound without a copy: what is bound outlives
// the statement's use.
class Parameters final : public ColumnWriter {
  public:
    explicit Parameters(sqlite3_stmt* statement) : statement_(statement) {}

  private:
    void number(ColumnForm form, std::int64_t value) override;
    void text(std::string_view value) override;
    void binary(std::string_view value) override;
    void uuid(const Uuid& value) override;
    void json(std::string_view value) override;
    void tokens(const std::vector<std::string>& values) override;
    void texts(const std::vector<std::string>& values) override;
    void null(ColumnForm form) override;
    void joined(const std::vector<std::string>& values, char separator);
    void require_bound(int code) const;

    sqlite3_stmt* statement_;
    int bound_ = 0;
};

// The columns of a statement's present row, from left to right.
class ResultRow final : public ColumnReader {
  public:
    explicit ResultRow(sqlite3_stmt* statement) : statement_(statement) {}

    void rewind() { column_ = -1; }
    // The next column as SQLite writes it, of whatever type it is.
    std::string_view next_text();
    std::string_view next_bytes();

    [[noreturn]] void refuse_row(std::string why) const override;

  private:
    void next(const char* name) override;
    bool is_null() const override;
    std::int64_t number(ColumnForm form) const override;
    std::string_view text() const override;
    std::string_view binary() const override;
    Uuid uuid() const override;
    Json json() const override;
    std::vector<std::string> tokens() const override;
    std::vector<std::string> texts() const override;
    [[noreturn]] void refuse(const std::string& why) const override;
    void expect(int type) const;

    sqlite3_stmt* statement_;
    int column_ = -1;
};

}  // namespace flowfabric::sqlite
