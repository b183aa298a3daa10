#include "api/struct_type.hpp"

#include <algorithm>

#include "api/json_text.hpp"
#include "core/base/base64.hpp"
#include "core/base/hex.hpp"

// Structs, with their payloads and cursors.
namespace flowfabric::api {
namespace {

namespace json = boost::json;

std::string base64_name(const Member& member) {
    return std::string(member.name) + "_b64";
}

// A payload's bytes, its encoding, or a cursor: a string, there or not.
const std::string* text_in(const Member& member, const void* object) {
    const void* at = member.in(object);
    const auto* optional = dynamic_cast<const OptionalType*>(member.type);
    return static_cast<const std::string*>(optional == nullptr ? at : optional->value(at));
}

std::string& text_to(const Member& member, void* object) {
    void* at = member.in(object);
    const auto* optional = dynamic_cast<const OptionalType*>(member.type);
    return *static_cast<std::string*>(optional == nullptr ? at : optional->emplace(at));
}

bool is_payload(const Member& member) {
    return member.rule.form == FieldRule::Form::payload;
}

bool is_cursor(const Member& member) {
    return member.rule.form == FieldRule::Form::cursor;
}

Result<void> read_cursor(const Member& member, const json::value& value, void* into, const Path& where) {
    auto bytes = value.is_string() ? bytes_of_hex(value.get_string()) : std::nullopt;
    if (!bytes) return where.refuse("must be a cursor: hexadecimal digits");
    text_to(member, into) = *std::move(bytes);
    return {};
}

}  // namespace

void MemberList::add(std::string_view name, const Type& type, const FieldRule& rule, std::string_view summary,
                     const void* object, const void* field) {
    const auto offset = static_cast<const std::byte*>(field) - static_cast<const std::byte*>(object);
    Member member{name, &type, rule, summary, static_cast<std::size_t>(offset), std::nullopt};
    const bool plain = !is_payload(member) && !is_cursor(member);
    if (plain && !rule.is_required && !type.is_absent(field)) member.default_value = type.write(field);
    members_.push_back(std::move(member));
}

const Member* StructType::find(std::string_view name) const {
    const auto found = std::ranges::find(members_, name, &Member::name);
    return found == members_.end() ? nullptr : &*found;
}

Result<void> StructType::read(const json::value& value, void* into, const Path& where) const {
    const auto* object = value.if_object();
    if (object == nullptr) return where.refuse("must be an object");
    for (const Member& member : members_) {
        if (is_payload(member)) {
            if (auto done = read_payload(member, *object, into, where); !done) return done;
            continue;
        }
        const Path place = where.at(member.name);
        const json::value* field = object->if_contains(member.name);
        if (field == nullptr || field->is_null()) {
            if (member.rule.is_required) return place.refuse("is required");
            continue;
        }
        auto done = is_cursor(member) ? read_cursor(member, *field, into, place)
                                      : member.type->read(*field, member.in(into), place);
        if (!done) return done;
    }
    if (where.options().ignore_unknown_fields) return {};
    for (const auto& [key, unused] : *object) {
        const std::string_view name(key);
        const bool known = std::ranges::any_of(members_, [&](const Member& member) {
            return name == member.name || (is_payload(member) && name == base64_name(member));
        });
        if (!known) return where.at(name).refuse("is not a known field");
    }
    return {};
}

Result<void> StructType::read_payload(const Member& member, const json::object& object, void* into,
                                      const Path& where) const {
    const std::string base64 = base64_name(member);
    const Path place = where.at(member.name);
    const json::value* plain = object.if_contains(member.name);
    const json::value* encoded = object.if_contains(base64);
    if (encoded != nullptr && encoded->is_null()) encoded = nullptr;
    if (plain != nullptr && encoded != nullptr) return place.refuse("is given twice, as JSON and as base64");
    if (encoded != nullptr) {
        auto bytes = encoded->is_string() ? from_base64(encoded->get_string()) : std::nullopt;
        if (!bytes) return where.at(base64).refuse("must be base64 with padding");
        text_to(member, into) = *std::move(bytes);
        return {};
    }
    if (plain == nullptr) return member.rule.is_required ? place.refuse("is required") : Result<void>{};
    text_to(member, into) = json_text(*plain);
    const Member* encoding = find(member.rule.encoding);
    if (encoding == nullptr) return {};
    const json::value* named = object.if_contains(encoding->name);
    if (named != nullptr && !named->is_null() && *named != json::value("json")) {
        return where.at(encoding->name).refuse("must be json, or absent, with a payload that is not base64");
    }
    text_to(*encoding, into) = "json";
    return {};
}

json::value StructType::write(const void* from) const {
    json::object object;
    for (const Member& member : members_) {
        if (is_payload(member)) {
            write_payload(member, from, object);
            continue;
        }
        if (is_cursor(member)) {
            if (const std::string* bytes = text_in(member, from)) object[member.name] = hex_of(*bytes);
            continue;
        }
        const void* at = member.in(from);
        if (!member.type->is_absent(at)) object[member.name] = member.type->write(at);
    }
    return object;
}

void StructType::write_payload(const Member& member, const void* from, json::object& object) const {
    const std::string* bytes = text_in(member, from);
    if (bytes == nullptr) return;
    const Member* encoding = find(member.rule.encoding);
    const std::string* named = encoding == nullptr ? nullptr : text_in(*encoding, from);
    if (named != nullptr && *named == "json") {
        boost::system::error_code failure;
        json::value document = json::parse(*bytes, failure);
        if (!failure) {
            object[member.name] = std::move(document);
            return;
        }
    }
    object[base64_name(member)] = to_base64(*bytes);
}

}  // namespace flowfabric::api
