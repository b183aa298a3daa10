#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/names.hpp"
#include "core/rows/side_row.hpp"

// Rows, column by column, for code that does not know their types. A field of any type has one of a few forms, and a
// store says once how it writes and reads each of them.
namespace flowfabric {

// Tokens contain no comma, texts no control character.
enum class ColumnForm : std::uint8_t { boolean, int16, int32, int64, text, binary, uuid, json, tokens, texts };

// Bytes where a string would be text.
struct BinaryView {
    std::string_view bytes;
};

namespace detail {

template <class T>
struct Plain {
    using type = T;
};
template <class T>
struct Plain<std::optional<T>> {
    using type = T;
};

template <class T>
consteval ColumnForm find_form() {
    if constexpr (std::same_as<T, bool>) return ColumnForm::boolean;
    if constexpr (std::integral<T> && sizeof(T) == 2) return ColumnForm::int16;
    if constexpr (std::integral<T> && sizeof(T) == 4) return ColumnForm::int32;
    if constexpr (std::integral<T> && sizeof(T) == 8) return ColumnForm::int64;
    if constexpr (std::same_as<T, Binary> || std::same_as<T, BinaryView>) return ColumnForm::binary;
    if constexpr (std::same_as<T, Uuid> || requires(T id) { id.uuid; }) return ColumnForm::uuid;
    if constexpr (std::same_as<T, Json>) return ColumnForm::json;
    if constexpr (std::same_as<T, std::vector<std::string>>) return ColumnForm::tokens;
    if constexpr (std::same_as<T, TextList>) return ColumnForm::texts;
    return ColumnForm::text;
}

}  // namespace detail

template <class T>
inline constexpr ColumnForm form_of = detail::find_form<typename detail::Plain<T>::type>();

// A visitor that hands each field on in its form. What it hands on refers to the row.
class ColumnWriter {
  public:
    virtual ~ColumnWriter() = default;

    template <class T>
    void operator()(const char*, const T& field) {
        write(field);
    }

  protected:
    virtual void number(ColumnForm form, std::int64_t value) = 0;  // boolean to int64
    virtual void text(std::string_view value) = 0;
    virtual void binary(std::string_view value) = 0;
    virtual void uuid(const Uuid& value) = 0;
    virtual void json(std::string_view value) = 0;
    virtual void tokens(const std::vector<std::string>& values) = 0;
    virtual void texts(const std::vector<std::string>& values) = 0;
    virtual void null(ColumnForm form) = 0;

  private:
    template <std::integral T>
    void write(T value) {
        number(form_of<T>, static_cast<std::int64_t>(value));
    }
    template <class E>
        requires std::is_enum_v<E>
    void write(E value) {
        text(to_string(value));
    }
    template <class E>
    void write(const Open<E>& value) {
        text(value.text());
    }
    template <class Tag>
    void write(const UuidOf<Tag>& value) {
        uuid(value.uuid);
    }
    void write(std::string_view value) { text(value); }
    void write(const std::string& value) { text(value); }
    void write(BinaryView value) { binary(value.bytes); }
    void write(const Binary& value) { binary(value.bytes); }
    void write(const Uuid& value) { uuid(value); }
    void write(const Json& value) { json(value.text); }
    void write(const std::vector<std::string>& values) { tokens(values); }
    void write(const TextList& value) { texts(value.values); }
    template <class T>
    void write(const std::optional<T>& value) {
        if (value) {
            write(*value);
        } else {
            null(form_of<T>);
        }
    }
};

// A visitor that fills each field from the next column of a stored row. A column that does not hold what the field can
// take throws the store's own fault, which names the column.
class ColumnReader {
  public:
    virtual ~ColumnReader() = default;

    template <class T>
    void operator()(const char* name, T& field) {
        next(name);
        read(field);
    }

    [[noreturn]] virtual void refuse_row(std::string why) const = 0;

  protected:
    virtual void next(const char* name) = 0;
    // Of the column at hand.
    virtual bool is_null() const = 0;
    virtual std::int64_t number(ColumnForm form) const = 0;
    virtual std::string_view text() const = 0;
    virtual std::string_view binary() const = 0;
    virtual Uuid uuid() const = 0;
    virtual Json json() const = 0;
    virtual std::vector<std::string> tokens() const = 0;
    virtual std::vector<std::string> texts() const = 0;
    [[noreturn]] virtual void refuse(const std::string& why) const = 0;

  private:
    template <std::integral T>
    void read(T& value) {
        const std::int64_t stored = number(form_of<T>);
        if constexpr (std::same_as<T, bool>) {
            value = stored != 0;
        } else {
            if (!std::in_range<T>(stored)) refuse("the number " + std::to_string(stored) + " is out of range");
            value = static_cast<T>(stored);
        }
    }
    template <class E>
        requires std::is_enum_v<E>
    void read(E& value) {
        const std::string_view stored = text();
        const auto known = parse_enum<E>(stored);
        if (!known) refuse("unknown literal '" + std::string(stored) + "'");
        value = *known;
    }
    template <class E>
    void read(Open<E>& value) {
        value = Open<E>::parse(text());
    }
    template <class Tag>
    void read(UuidOf<Tag>& value) {
        value.uuid = uuid();
    }
    void read(std::string& value) { value = text(); }
    void read(Binary& value) { value.bytes = binary(); }
    void read(Uuid& value) { value = uuid(); }
    void read(Json& value) { value = json(); }
    void read(std::vector<std::string>& values) { values = tokens(); }
    void read(TextList& value) { value.values = texts(); }
    template <class T>
    void read(std::optional<T>& value) {
        if (is_null()) {
            value.reset();
        } else {
            read(value.emplace());
        }
    }
};

struct ColumnDescription {
    std::string name;
    ColumnForm form;
};

// Of a row or a key.
template <class Fields>
std::vector<ColumnDescription> describe_columns() {
    std::vector<ColumnDescription> columns;
    const Fields fields;
    visit_columns(fields, [&]<class T>(const char* name, const T&) { columns.push_back({name, form_of<T>}); });
    return columns;
}

}  // namespace flowfabric
