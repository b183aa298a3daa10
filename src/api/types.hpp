#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "api/struct_type.hpp"
#include "api/type.hpp"
#include "flowfabric/condition.hpp"
#include "flowfabric/events.hpp"
#include "flowfabric/field.hpp"
#include "flowfabric/ids.hpp"
#include "flowfabric/lease_ref.hpp"
#include "flowfabric/policy.hpp"
#include "flowfabric/state.hpp"
#include "flowfabric/stream.hpp"

// Maps C++ types to their Type. Only files that define type_of include this.
namespace flowfabric::api {

template <class T>
concept Described = requires { T::type_name; };
template <class T>
concept HasNames = std::is_enum_v<T> && (enum_names<T>.size() > 0);
template <Described T>
constexpr std::string_view variant_name_of() {
    if constexpr (requires { T::variant_name; }) return T::variant_name;
    return T::type_name;
}

// Ids and handles: a text that is parsed.
template <class T>
concept TextForm = requires(const T& value, std::string_view text) {
    { T::parse(text) } -> std::same_as<Result<T>>;
    { value.to_string() } -> std::same_as<std::string>;
};
// Policies and conditions: a document of their own.
template <class T>
concept JsonForm = requires(const T& value, std::string_view text) {
    { T::parse(text) } -> std::same_as<Result<T>>;
    { value.to_json() } -> std::same_as<std::string>;
};

template <class T>
class EnumType final : public NamesType {
  public:
    EnumType() : NamesType({enum_names<T>.begin(), enum_names<T>.end()}) {}
    void set(void* into, std::size_t index) const override { *static_cast<T*>(into) = static_cast<T>(index); }
    std::size_t get(const void* from) const override { return static_cast<std::size_t>(*static_cast<const T*>(from)); }
};

template <std::integral T>
class NumberType final : public IntegerType {
  public:
    NumberType() : IntegerType(std::numeric_limits<T>::min(), std::numeric_limits<T>::max()) {}
    void set(void* into, std::int64_t number) const override { *static_cast<T*>(into) = static_cast<T>(number); }
    void set(void* into, std::uint64_t number) const override { *static_cast<T*>(into) = static_cast<T>(number); }
    boost::json::value write(const void* from) const override { return *static_cast<const T*>(from); }
};

template <class T>
inline constexpr TextShape text_shape{};
template <class Tag>
inline constexpr TextShape text_shape<UuidOf<Tag>>{.format = "uuid"};
template <>
inline constexpr TextShape text_shape<Uuid>{.format = "uuid"};
template <>
inline constexpr TextShape text_shape<ExecutionId>{
    .pattern = R"(^\{fp:\d{1,3}\}:[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$)"};
template <>
inline constexpr TextShape text_shape<FrameId>{.pattern = R"(^\d{1,19}(-\d{1,19})?$)"};
template <>
inline constexpr TextShape text_shape<StreamBound>{.pattern = R"(^(start|end|\d{1,19}(-\d{1,19})?)$)"};

// The names of documents in the API's description.
template <class T>
inline constexpr std::string_view document_name{};
template <>
inline constexpr std::string_view document_name<RetryPolicy> = "RetryPolicy";
template <>
inline constexpr std::string_view document_name<ExecutionPolicy> = "ExecutionPolicy";
template <>
inline constexpr std::string_view document_name<ResumeCondition> = "ResumeCondition";

template <TextForm T>
class TextFormType final : public ParsedType {
  public:
    TextFormType() : ParsedType(text_shape<T>) {}
    Result<void> parse(std::string_view text, void* into) const override {
        auto parsed = T::parse(text);
        if (!parsed) return parsed.error();
        *static_cast<T*>(into) = *std::move(parsed);
        return {};
    }
    std::string text(const void* from) const override { return static_cast<const T*>(from)->to_string(); }
};

template <JsonForm T>
class JsonFormType final : public DocumentType {
  public:
    JsonFormType() : DocumentType(document_name<T>) {}
    Result<void> parse(std::string_view text, void* into) const override {
        auto parsed = T::parse(text);
        if (!parsed) return parsed.error();
        *static_cast<T*>(into) = *std::move(parsed);
        return {};
    }
    std::string text(const void* from) const override { return static_cast<const T*>(from)->to_json(); }
};

template <class E>
class OpenType final : public ParsedType {
  public:
    OpenType() : ParsedType({.known = enum_names<E>}) {}
    Result<void> parse(std::string_view text, void* into) const override {
        *static_cast<Open<E>*>(into) = Open<E>::parse(text);
        return {};
    }
    std::string text(const void* from) const override { return std::string(static_cast<const Open<E>*>(from)->text()); }
};

template <class T>
class OptionalOf final : public OptionalType {
  public:
    OptionalOf() : OptionalType(type_of<T>()) {}
    void* emplace(void* into) const override { return &static_cast<std::optional<T>*>(into)->emplace(); }
    const void* value(const void* from) const override {
        const auto& optional = *static_cast<const std::optional<T>*>(from);
        return optional ? &*optional : nullptr;
    }
};

template <class T>
class VectorOf final : public ListType {
  public:
    VectorOf() : ListType(type_of<T>()) {}
    void clear(void* into) const override { static_cast<std::vector<T>*>(into)->clear(); }
    void* append(void* into) const override { return &static_cast<std::vector<T>*>(into)->emplace_back(); }
    std::size_t size(const void* from) const override { return static_cast<const std::vector<T>*>(from)->size(); }
    const void* at(const void* from, std::size_t i) const override {
        return &(*static_cast<const std::vector<T>*>(from))[i];
    }
};

template <class T>
class MapOf final : public MapType {
  public:
    MapOf() : MapType(type_of<T>()) {}
    void clear(void* into) const override { static_cast<std::map<std::string, T>*>(into)->clear(); }
    void* insert(void* into, std::string_view key) const override {
        return &(*static_cast<std::map<std::string, T>*>(into))[std::string(key)];
    }
    void each(const void* from, const Visit& visit) const override {
        for (const auto& [key, value] : *static_cast<const std::map<std::string, T>*>(from)) visit(key, &value);
    }
};

// `{"Name": {…}}`, or `"Name"` for an alternative without fields.
template <class... T>
class OneOf final : public VariantType {
    using Variant = std::variant<T...>;

  public:
    OneOf() : VariantType({{variant_name_of<T>(), &type_of<T>()}...}) {}
    void* emplace(void* into, std::size_t index) const override {
        void* chosen = nullptr;
        std::size_t i = 0;
        ((i++ == index ? void(chosen = &static_cast<Variant*>(into)->template emplace<T>()) : void()), ...);
        return chosen;
    }
    std::size_t index(const void* from) const override { return static_cast<const Variant*>(from)->index(); }
    const void* value(const void* from) const override {
        return std::visit([](const auto& chosen) -> const void* { return &chosen; },
                          *static_cast<const Variant*>(from));
    }
};

// Collects what a struct lists. A field stands at the same distance in every object, so that one object tells all.
template <class T>
class Listing : public MemberList {
  public:
    template <class Access>
    void operator()(std::string_view name, Access access, const FieldRule& rule, std::string_view summary) {
        auto& field = std::invoke(access, sample_);
        add(name, type_of<std::remove_reference_t<decltype(field)>>(), rule, summary, &sample_, &field);
    }

  private:
    T sample_{};
};

template <Described T>
class StructOf final : public StructType {
  public:
    StructOf() : StructType(T::type_name, listed()) {}

  private:
    static std::vector<Member> listed() {
        Listing<T> listing;
        if constexpr (requires { T::fields(listing); }) T::fields(listing);
        return listing.take();
    }
};

// ---- which Type a C++ type has --------------------------------------------------------------------------------------

template <class T>
struct TypeFor;
template <>
struct TypeFor<bool> {
    using Is = BoolType;
};
template <>
struct TypeFor<double> {
    using Is = RealType;
};
template <>
struct TypeFor<std::string> {
    using Is = TextType;
};
template <>
struct TypeFor<Json> {
    using Is = RawJsonType;
};
template <>
struct TypeFor<LeaseEpoch> {
    using Is = EpochType;
};
template <>
struct TypeFor<LeaseRef> {
    using Is = LeaseType;
};
template <std::integral T>
struct TypeFor<T> {
    using Is = NumberType<T>;
};
template <HasNames T>
struct TypeFor<T> {
    using Is = EnumType<T>;
};
template <TextForm T>
struct TypeFor<T> {
    using Is = TextFormType<T>;
};
template <JsonForm T>
struct TypeFor<T> {
    using Is = JsonFormType<T>;
};
template <Described T>
struct TypeFor<T> {
    using Is = StructOf<T>;
};
template <class E>
struct TypeFor<Open<E>> {
    using Is = OpenType<E>;
};
template <class T>
struct TypeFor<std::optional<T>> {
    using Is = OptionalOf<T>;
};
template <class T>
struct TypeFor<std::vector<T>> {
    using Is = VectorOf<T>;
};
template <class T>
struct TypeFor<std::map<std::string, T>> {
    using Is = MapOf<T>;
};
template <class... T>
struct TypeFor<std::variant<T...>> {
    using Is = OneOf<T...>;
};

template <class T>
const Type& type_of() {
    static const typename TypeFor<T>::Is type;
    return type;
}

}  // namespace flowfabric::api
