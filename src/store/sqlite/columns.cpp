#include "store/sqlite/columns.hpp"

#include <array>
#include <cstring>

#include "store/sqlite/database.hpp"

namespace flowfabric::sqlite {

// ---- parameters -------------------------------------------------------------------------------------------------

void Parameters::require_bound(int code) const {
    if (code != SQLITE_OK) throw_fault(sqlite3_db_handle(statement_), code);
}

void Parameters::number(ColumnForm, std::int64_t value) {
    require_bound(sqlite3_bind_int64(statement_, ++bound_, value));
}

void Parameters::text(std::string_view value) {
    // A null pointer would bind NULL.
    const char* text = value.data() == nullptr ? "" : value.data();
    require_bound(sqlite3_bind_text64(statement_, ++bound_, text, value.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void Parameters::binary(std::string_view value) {
    const char* bytes = value.data() == nullptr ? "" : value.data();
    require_bound(sqlite3_bind_blob64(statement_, ++bound_, bytes, value.size(), SQLITE_STATIC));
}

void Parameters::uuid(const Uuid& value) {
    binary({reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size()});
}

void Parameters::json(std::string_view value) {
    text(value);
}

void Parameters::tokens(const std::vector<std::string>& values) {
    joined(values, ',');
}

void Parameters::texts(const std::vector<std::string>& values) {
    joined(values, '\n');
}

void Parameters::null(ColumnForm) {
    require_bound(sqlite3_bind_null(statement_, ++bound_));
}

void Parameters::joined(const std::vector<std::string>& values, char separator) {
    std::string all;
    for (const std::string& value : values) {
        if (&value != &values.front()) all += separator;
        all += value;
    }
    require_bound(sqlite3_bind_text64(statement_, ++bound_, all.c_str(), all.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

// ---- results ----------------------------------------------------------------------------------------------------

void ResultRow::next(const char*) {
    ++column_;
}

void ResultRow::refuse_row(std::string why) const {
    throw_unreadable(std::move(why));
}

void ResultRow::refuse(const std::string& why) const {
    throw_unreadable("column " + std::string(sqlite3_column_name(statement_, column_)) + ": " + why);
}

// A column may hold any type, whatever it was declared as.
void ResultRow::expect(int type) const {
    const int found = sqlite3_column_type(statement_, column_);
    if (found == type) return;
    constexpr std::array<std::string_view, 6> names{"", "a number", "a fraction", "a text", "a blob", "NULL"};
    refuse(std::string(names[static_cast<std::size_t>(found)]) + " instead of " +
           std::string(names[static_cast<std::size_t>(type)]));
}

bool ResultRow::is_null() const {
    return sqlite3_column_type(statement_, column_) == SQLITE_NULL;
}

std::int64_t ResultRow::number(ColumnForm) const {
    expect(SQLITE_INTEGER);
    return sqlite3_column_int64(statement_, column_);
}

std::string_view ResultRow::text() const {
    expect(SQLITE_TEXT);
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column_));
    return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column_))};
}

std::string_view ResultRow::binary() const {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column_));
    return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column_))};
}

Uuid ResultRow::uuid() const {
    Uuid uuid;
    const std::string_view bytes = binary();
    if (bytes.size() != uuid.bytes.size()) refuse("no UUID");
    std::memcpy(uuid.bytes.data(), bytes.data(), bytes.size());
    return uuid;
}

Json ResultRow::json() const {
    return {std::string(text())};
}

std::vector<std::string> ResultRow::tokens() const {
    return split(text(), ',');
}

std::vector<std::string> ResultRow::texts() const {
    return split(text(), '\n');
}

std::string_view ResultRow::next_text() {
    ++column_;
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column_));
    if (text == nullptr) return {};
    return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column_))};
}

std::string_view ResultRow::next_bytes() {
    ++column_;
    return binary();
}

}  // namespace flowfabric::sqlite
