#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/rows/columns.hpp"
#include "store/postgres/wire/failure.hpp"

// How each C++ type of a row is stored: the SQL type, its oid, and the binary form in both directions.
namespace flowfabric::postgres {

template <std::integral T>
void write_big_endian(char* out, T value) {
    auto bits = static_cast<std::make_unsigned_t<T>>(value);
    for (std::size_t i = sizeof(T); i-- > 0;) {
        out[i] = static_cast<char>(bits & 0xFFU);
        if constexpr (sizeof(T) > 1) bits = static_cast<decltype(bits)>(bits >> 8U);
    }
}

template <std::integral T>
void append_big_endian(std::string& out, T value) {
    out.resize(out.size() + sizeof(T));
    write_big_endian(&out[out.size() - sizeof(T)], value);
}

template <std::integral T>
T read_big_endian(std::string_view bytes) {
    if (bytes.size() < sizeof(T)) throw_unreadable("a number is cut short");
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) bits = bits << 8U | static_cast<unsigned char>(bytes[i]);
    return static_cast<T>(bits);
}

template <class T>
struct Codec;

// Wire is the signed type that PostgreSQL has for T, which may have less room below or above.
template <class T, std::integral Wire, std::uint32_t Oid>
struct NumberCodec {
    static constexpr std::uint32_t oid = Oid;
    static void put(std::string& out, T value) { append_big_endian(out, static_cast<Wire>(value)); }
    static T get(std::string_view bytes) {
        if (bytes.size() != sizeof(Wire)) throw_unreadable("a number has the wrong width");
        const auto value = read_big_endian<Wire>(bytes);
        if constexpr (!std::same_as<T, bool>) {
            if (!std::in_range<T>(value)) throw_unreadable("the number " + std::to_string(value) + " is out of range");
        }
        return static_cast<T>(value);
    }
};

template <>
struct Codec<std::int16_t> : NumberCodec<std::int16_t, std::int16_t, 21> {
    static constexpr std::string_view type = "smallint";
};
template <>
struct Codec<std::uint16_t> : NumberCodec<std::uint16_t, std::int16_t, 21> {
    static constexpr std::string_view type = "smallint";
};
template <>
struct Codec<std::int32_t> : NumberCodec<std::int32_t, std::int32_t, 23> {
    static constexpr std::string_view type = "integer";
};
template <>
struct Codec<std::int64_t> : NumberCodec<std::int64_t, std::int64_t, 20> {
    static constexpr std::string_view type = "bigint";
};
template <>
struct Codec<std::uint64_t> : NumberCodec<std::uint64_t, std::int64_t, 20> {
    static constexpr std::string_view type = "bigint";
};
template <>
struct Codec<bool> : NumberCodec<bool, std::int8_t, 16> {
    static constexpr std::string_view type = "boolean";
};

template <>
struct Codec<std::string_view> {
    static constexpr std::uint32_t oid = 25;
    static constexpr std::string_view type = "text";
    static void put(std::string& out, std::string_view value) { out.append(value); }
};
template <>
struct Codec<std::string> : Codec<std::string_view> {
    static std::string get(std::string_view bytes) { return std::string(bytes); }
};

// Marks bytes, which as a C++ type are a string like any text.
struct Blob {
    std::string_view bytes;
};
template <>
struct Codec<Blob> {
    static constexpr std::uint32_t oid = 17;
    static constexpr std::string_view type = "bytea";
    static void put(std::string& out, Blob value) { out.append(value.bytes); }
};

template <>
struct Codec<Binary> {
    static constexpr std::uint32_t oid = Codec<Blob>::oid;
    static constexpr std::string_view type = Codec<Blob>::type;
    static void put(std::string& out, const Binary& value) { out.append(value.bytes); }
    static Binary get(std::string_view bytes) { return {Bytes(bytes)}; }
};

inline std::optional<Blob> as_blob(const std::optional<Bytes>& bytes) {
    return bytes ? std::optional(Blob{*bytes}) : std::nullopt;
}

template <>
struct Codec<Uuid> {
    static constexpr std::uint32_t oid = 2950;
    static constexpr std::string_view type = "uuid";
    static void put(std::string& out, const Uuid& value) {
        out.append(reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size());
    }
    static Uuid get(std::string_view bytes) {
        Uuid uuid;
        if (bytes.size() != uuid.bytes.size()) throw_unreadable("a UUID is cut short");
        std::memcpy(uuid.bytes.data(), bytes.data(), uuid.bytes.size());
        return uuid;
    }
};

template <class Tag>
struct Codec<UuidOf<Tag>> {
    static constexpr std::uint32_t oid = Codec<Uuid>::oid;
    static constexpr std::string_view type = Codec<Uuid>::type;
    static void put(std::string& out, const UuidOf<Tag>& value) { Codec<Uuid>::put(out, value.uuid); }
    static UuidOf<Tag> get(std::string_view bytes) { return {Codec<Uuid>::get(bytes)}; }
};

struct JsonView {
    std::string_view text;
};

// The binary form of jsonb is a version byte and the text.
template <>
struct Codec<JsonView> {
    static constexpr std::uint32_t oid = 3802;
    static constexpr std::string_view type = "jsonb";
    static void put(std::string& out, JsonView value) {
        out.push_back('\1');
        out.append(value.text);
    }
};
template <>
struct Codec<Json> : Codec<JsonView> {
    static void put(std::string& out, const Json& value) { Codec<JsonView>::put(out, {value.text}); }
    static Json get(std::string_view bytes) {
        if (!bytes.starts_with('\1')) throw_unreadable("a jsonb value is of an unknown version");
        return {std::string(bytes.substr(1))};
    }
};

template <class E>
    requires std::is_enum_v<E>
struct Codec<E> {
    static constexpr std::uint32_t oid = 25;
    static constexpr std::string_view type = "text";
    static void put(std::string& out, E value) { out.append(to_string(value)); }
    static E get(std::string_view bytes) {
        const auto value = parse_enum<E>(bytes);
        if (!value) throw_unreadable("unknown literal '" + std::string(bytes) + "'");
        return *value;
    }
};

template <class E>
struct Codec<Open<E>> {
    static constexpr std::uint32_t oid = 25;
    static constexpr std::string_view type = "text";
    static void put(std::string& out, const Open<E>& value) { out.append(value.text()); }
    static Open<E> get(std::string_view bytes) { return Open<E>::parse(bytes); }
};

// Read as text[]. As a parameter, one text per row with the elements joined by what they never contain: unnest would
// flatten an array of arrays.
template <>
struct Codec<std::vector<std::string>> {
    static constexpr std::uint32_t oid = 25;
    static constexpr std::string_view type = "text";
    static constexpr std::string_view separator = "\n";
    static void put(std::string& out, const std::vector<std::string>& value) {
        for (const auto& element : value) {
            if (&element != &value.front()) out.append(separator);
            out.append(element);
        }
    }
    static std::vector<std::string> get(std::string_view bytes) {
        constexpr std::size_t header = 3 * sizeof(std::int32_t);
        constexpr std::size_t dimension = 2 * sizeof(std::int32_t);
        std::vector<std::string> value;
        const auto dimensions = read_big_endian<std::int32_t>(bytes);
        if (dimensions == 0) return value;
        if (dimensions != 1 || bytes.size() < header + dimension) throw_unreadable("an array is not of one dimension");
        const auto count = read_big_endian<std::int32_t>(bytes.substr(header));
        bytes.remove_prefix(header + dimension);
        for (std::int32_t i = 0; i < count; ++i) {
            const auto length = read_big_endian<std::int32_t>(bytes);
            bytes.remove_prefix(sizeof(std::int32_t));
            if (length < 0) throw_unreadable("an array has a NULL element");
            const auto size = static_cast<std::size_t>(length);
            if (size > bytes.size()) throw_unreadable("an array is cut short");
            value.emplace_back(bytes.substr(0, size));
            bytes.remove_prefix(size);
        }
        return value;
    }
};

template <>
struct Codec<TextList> : Codec<std::vector<std::string>> {
    static void put(std::string& out, const TextList& value) {
        Codec<std::vector<std::string>>::put(out, value.values);
    }
    static TextList get(std::string_view bytes) { return {Codec<std::vector<std::string>>::get(bytes)}; }
};

template <class T>
struct Codec<std::optional<T>> {
    static constexpr std::uint32_t oid = Codec<T>::oid;
    static constexpr std::string_view type = Codec<T>::type;
};

// Calls use.operator()<T>() with the type by which values of the form are sent.
template <class Use>
decltype(auto) with_form(ColumnForm form, Use&& use) {
    switch (form) {
        case ColumnForm::boolean:
            return use.template operator()<bool>();
        case ColumnForm::int16:
            return use.template operator()<std::int16_t>();
        case ColumnForm::int32:
            return use.template operator()<std::int32_t>();
        case ColumnForm::int64:
            return use.template operator()<std::int64_t>();
        case ColumnForm::binary:
            return use.template operator()<Blob>();
        case ColumnForm::uuid:
            return use.template operator()<Uuid>();
        case ColumnForm::json:
            return use.template operator()<JsonView>();
        case ColumnForm::tokens:
        case ColumnForm::texts:
            return use.template operator()<std::vector<std::string>>();
        case ColumnForm::text:
            break;
    }
    return use.template operator()<std::string_view>();
}

// A cell of a result; empty for NULL.
using Cell = std::optional<std::string_view>;

template <class T>
struct CellReader {
    static T read(const Cell& cell) {
        if (!cell) throw_unreadable("a value is missing");
        return Codec<T>::get(*cell);
    }
};
template <class T>
struct CellReader<std::optional<T>> {
    static std::optional<T> read(const Cell& cell) {
        return cell ? std::optional<T>(Codec<T>::get(*cell)) : std::nullopt;
    }
};

// A value of the named column.
template <class T>
T read_column(std::string_view name, const Cell& cell) {
    try {
        return CellReader<T>::read(cell);
    } catch (const Failure& failure) {
        throw_unreadable("column " + std::string(name) + ": " + failure.what());
    }
}

}  // namespace flowfabric::postgres
