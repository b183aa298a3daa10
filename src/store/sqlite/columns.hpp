#pragma once

#include <sqlite3.h>

#include <array>
#include <concepts>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/names.hpp"
#include "core/rows/side_row.hpp"
#include "store/sqlite/database.hpp"

// How each C++ type stands in a column: one `bind_value` and one `read_value` per type.
//
// Texts and blobs are bound without a copy: what is bound outlives the query.
namespace flowfabric::sqlite {

// Raw bytes, a BLOB; Bytes is a std::string, which would be TEXT.
struct Blob {
    std::string_view bytes;
};

template <class T>
concept NamedEnum = std::is_enum_v<T> && !enum_names<T>.empty();

// A column may hold any type, whatever it was declared as.
inline void expect_type(sqlite3_stmt* statement, int column, int type) {
    const int found = sqlite3_column_type(statement, column);
    if (found == type) return;
    constexpr std::array<std::string_view, 6> names{"", "a number", "a fraction", "a text", "a blob", "NULL"};
    throw_unreadable("column " + std::string(sqlite3_column_name(statement, column)) + " holds " +
                     std::string(names[static_cast<std::size_t>(found)]) + " instead of " +
                     std::string(names[static_cast<std::size_t>(type)]));
}

inline std::string_view text_at(sqlite3_stmt* statement, int column) {
    expect_type(statement, column, SQLITE_TEXT);
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
    return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement, column))};
}

inline std::string_view blob_at(sqlite3_stmt* statement, int column) {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, column));
    return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement, column))};
}

// ---- parameters -------------------------------------------------------------------------------------------------

template <std::integral T>
int bind_value(sqlite3_stmt* statement, int index, T value) {
    return sqlite3_bind_int64(statement, index, static_cast<sqlite3_int64>(value));
}

inline int bind_value(sqlite3_stmt* statement, int index, std::string_view value) {
    // A null pointer would bind NULL.
    const char* text = value.data() == nullptr ? "" : value.data();
    return sqlite3_bind_text64(statement, index, text, value.size(), SQLITE_STATIC, SQLITE_UTF8);
}

inline int bind_value(sqlite3_stmt* statement, int index, const std::string& value) {
    return bind_value(statement, index, std::string_view(value));
}

template <NamedEnum T>
int bind_value(sqlite3_stmt* statement, int index, T value) {
    return bind_value(statement, index, to_string(value));
}

template <class E>
int bind_value(sqlite3_stmt* statement, int index, const Open<E>& value) {
    return bind_value(statement, index, value.text());
}

inline int bind_value(sqlite3_stmt* statement, int index, Blob value) {
    const char* bytes = value.bytes.data() == nullptr ? "" : value.bytes.data();
    return sqlite3_bind_blob64(statement, index, bytes, value.bytes.size(), SQLITE_STATIC);
}

inline int bind_value(sqlite3_stmt* statement, int index, const Uuid& value) {
    return sqlite3_bind_blob(statement, index, value.bytes.data(), static_cast<int>(value.bytes.size()), SQLITE_STATIC);
}

template <class Tag>
int bind_value(sqlite3_stmt* statement, int index, const UuidOf<Tag>& value) {
    return bind_value(statement, index, value.uuid);
}

inline int bind_value(sqlite3_stmt* statement, int index, const Json& value) {
    return bind_value(statement, index, value.text);
}

inline int bind_joined(sqlite3_stmt* statement, int index, const std::vector<std::string>& values, char separator) {
    std::string joined;
    for (const auto& value : values) {
        if (!joined.empty()) joined += separator;
        joined += value;
    }
    return sqlite3_bind_text64(statement, index, joined.c_str(), joined.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

// Tokens never contain a comma.
inline int bind_value(sqlite3_stmt* statement, int index, const std::vector<std::string>& tokens) {
    return bind_joined(statement, index, tokens, ',');
}

inline int bind_value(sqlite3_stmt* statement, int index, const TextList& list) {
    return bind_joined(statement, index, list.values, '\n');
}

inline int bind_value(sqlite3_stmt* statement, int index, const Binary& value) {
    return bind_value(statement, index, Blob{value.bytes});
}

template <class T>
int bind_value(sqlite3_stmt* statement, int index, const std::optional<T>& value) {
    return value ? bind_value(statement, index, *value) : sqlite3_bind_null(statement, index);
}

// ---- results ----------------------------------------------------------------------------------------------------

template <std::integral T>
void read_value(sqlite3_stmt* statement, int column, T& value) {
    expect_type(statement, column, SQLITE_INTEGER);
    const std::int64_t stored = sqlite3_column_int64(statement, column);
    if constexpr (std::same_as<T, bool>) {
        value = stored != 0;
    } else {
        if (!std::in_range<T>(stored)) {
            throw_unreadable("column " + std::string(sqlite3_column_name(statement, column)) + ": the number " +
                             std::to_string(stored) + " is out of range");
        }
        value = static_cast<T>(stored);
    }
}

inline void read_value(sqlite3_stmt* statement, int column, std::string& value) {
    value = text_at(statement, column);
}

template <NamedEnum T>
void read_value(sqlite3_stmt* statement, int column, T& value) {
    const auto text = text_at(statement, column);
    const auto parsed = parse_enum<T>(text);
    if (!parsed) {
        throw_unreadable("column " + std::string(sqlite3_column_name(statement, column)) +
                         " holds the unknown literal '" + std::string(text) + "'");
    }
    value = *parsed;
}

template <class E>
void read_value(sqlite3_stmt* statement, int column, Open<E>& value) {
    value = Open<E>::parse(text_at(statement, column));
}

inline void read_value(sqlite3_stmt* statement, int column, Uuid& value) {
    const auto bytes = blob_at(statement, column);
    if (bytes.size() != value.bytes.size()) {
        throw_unreadable("column " + std::string(sqlite3_column_name(statement, column)) + " holds no uuid");
    }
    std::memcpy(value.bytes.data(), bytes.data(), bytes.size());
}

template <class Tag>
void read_value(sqlite3_stmt* statement, int column, UuidOf<Tag>& value) {
    read_value(statement, column, value.uuid);
}

inline void read_value(sqlite3_stmt* statement, int column, Json& value) {
    read_value(statement, column, value.text);
}

inline void read_value(sqlite3_stmt* statement, int column, std::vector<std::string>& tokens) {
    tokens = split(text_at(statement, column), ',');
}

inline void read_value(sqlite3_stmt* statement, int column, TextList& list) {
    list.values = split(text_at(statement, column), '\n');
}

inline void read_value(sqlite3_stmt* statement, int column, Binary& value) {
    value.bytes = Bytes(blob_at(statement, column));
}

template <class T>
void read_value(sqlite3_stmt* statement, int column, std::optional<T>& value) {
    if (sqlite3_column_type(statement, column) == SQLITE_NULL) {
        value.reset();
    } else {
        read_value(statement, column, value.emplace());
    }
}

}  // namespace flowfabric::sqlite
