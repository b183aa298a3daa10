#include <algorithm>

#include "api/json_text.hpp"
#include "api/struct_type.hpp"
#include "core/base/handle_codec.hpp"
#include "flowfabric/events.hpp"
#include "flowfabric/lease_ref.hpp"

// Everything but structs.
namespace flowfabric::api {
namespace {

namespace json = boost::json;

Result<std::string_view> text_of(const json::value& value, const Path& where) {
    const auto* text = value.if_string();
    if (text == nullptr) return where.refuse("must be a string");
    return std::string_view(*text);
}

// What the parser of a type complains about, at the place of the value. An invalid_input begins with a name for the
// value, which the place replaces.
EngineError at_place(EngineError error, const Path& where) {
    const std::string place = where.text();
    if (place.empty()) return error;
    const auto colon = error.kind == ErrorKind::invalid_input ? error.detail.find(": ") : std::string::npos;
    if (colon == std::string::npos) {
        error.detail.insert(0, place + ": ");
    } else {
        error.detail.replace(0, colon, place);
    }
    return error;
}

}  // namespace

Result<void> BoolType::read(const json::value& value, void* into, const Path& where) const {
    const auto* truth = value.if_bool();
    if (truth == nullptr) return where.refuse("must be true or false");
    *static_cast<bool*>(into) = *truth;
    return {};
}

json::value BoolType::write(const void* from) const {
    return *static_cast<const bool*>(from);
}

Result<void> RealType::read(const json::value& value, void* into, const Path& where) const {
    boost::system::error_code failure;
    const auto number = value.to_number<double>(failure);
    if (failure) return where.refuse("must be a number");
    *static_cast<double*>(into) = number;
    return {};
}

json::value RealType::write(const void* from) const {
    return *static_cast<const double*>(from);
}

Result<void> TextType::read(const json::value& value, void* into, const Path& where) const {
    const auto text = text_of(value, where);
    if (!text) return text.error();
    *static_cast<std::string*>(into) = *text;
    return {};
}

json::value TextType::write(const void* from) const {
    return json::string(*static_cast<const std::string*>(from));
}

Result<void> RawJsonType::read(const json::value& value, void* into, const Path&) const {
    static_cast<Json*>(into)->text = json_text(value);
    return {};
}

json::value RawJsonType::write(const void* from) const {
    const std::string& text = static_cast<const Json*>(from)->text;
    boost::system::error_code failure;
    json::value document = json::parse(text, failure);
    return failure ? json::value(text) : std::move(document);
}

Result<void> IntegerType::read(const json::value& value, void* into, const Path& where) const {
    // A number with a fraction of zero counts as the integer that it is.
    boost::system::error_code failure;
    if (const auto number = value.to_number<std::int64_t>(failure); !failure) {
        const bool fits = number >= min_ && (number < 0 || static_cast<std::uint64_t>(number) <= max_);
        if (fits) {
            set(into, number);
            return {};
        }
    } else if (const auto large = value.to_number<std::uint64_t>(failure); !failure && large <= max_) {
        set(into, large);
        return {};
    }
    return where.refuse("must be an integer from " + std::to_string(min_) + " to " + std::to_string(max_));
}

Result<void> EpochType::read(const json::value& value, void* into, const Path& where) const {
    boost::system::error_code failure;
    const auto number = value.to_number<std::uint64_t>(failure);
    if (failure) return where.refuse("must be an integer that is not negative");
    static_cast<LeaseEpoch*>(into)->value = number;
    return {};
}

json::value EpochType::write(const void* from) const {
    return static_cast<const LeaseEpoch*>(from)->value;
}

Result<void> LeaseType::read(const json::value& value, void* into, const Path& where) const {
    auto& lease = *static_cast<LeaseRef*>(into);
    if (value.is_string()) {
        auto& handle = lease.emplace<Handle>();
        if (auto done = type_of<Handle>().read(value, &handle, where); !done) return done;
        // What is no handle at all is the caller's fault; whether it is good here, the store decides.
        if (!decode_handle(handle, handle.backend)) return where.refuse("is not a handle");
        return {};
    }
    if (value.is_object()) return type_of<Fence>().read(value, &lease.emplace<Fence>(), where);
    return where.refuse("must be a handle or an object that names a lease");
}

json::value LeaseType::write(const void* from) const {
    return std::visit([](const auto& lease) { return to_json(lease); }, *static_cast<const LeaseRef*>(from));
}

Result<void> NamesType::read(const json::value& value, void* into, const Path& where) const {
    const auto* text = value.if_string();
    const auto found = text == nullptr ? names_.end() : std::ranges::find(names_, std::string_view(*text));
    if (found == names_.end()) {
        std::string all;
        for (const std::string_view name : names_) all.append(all.empty() ? "" : ", ").append(name);
        return where.refuse("must be one of " + all);
    }
    set(into, static_cast<std::size_t>(found - names_.begin()));
    return {};
}

json::value NamesType::write(const void* from) const {
    return json::string(names_[get(from)]);
}

Result<void> ParsedType::read(const json::value& value, void* into, const Path& where) const {
    const auto text = text_of(value, where);
    if (!text) return text.error();
    auto parsed = parse(*text, into);
    if (!parsed) return at_place(std::move(parsed).error(), where);
    return {};
}

json::value ParsedType::write(const void* from) const {
    return json::string(text(from));
}

Result<void> DocumentType::read(const json::value& value, void* into, const Path& where) const {
    auto parsed = parse(json::serialize(value), into);
    if (!parsed) return at_place(std::move(parsed).error(), where);
    return {};
}

json::value DocumentType::write(const void* from) const {
    return json::parse(text(from));
}

Result<void> OptionalType::read(const json::value& value, void* into, const Path& where) const {
    if (value.is_null()) return {};
    return type_.read(value, emplace(into), where);
}

json::value OptionalType::write(const void* from) const {
    const void* there = value(from);
    return there == nullptr ? json::value(nullptr) : type_.write(there);
}

Result<void> ListType::read(const json::value& value, void* into, const Path& where) const {
    const auto* items = value.if_array();
    if (items == nullptr) return where.refuse("must be an array");
    clear(into);
    for (std::size_t i = 0; i < items->size(); ++i) {
        if (auto done = element_.read((*items)[i], append(into), where.at(i)); !done) return done;
    }
    return {};
}

json::value ListType::write(const void* from) const {
    json::array items;
    const std::size_t count = size(from);
    items.reserve(count);
    for (std::size_t i = 0; i < count; ++i) items.push_back(element_.write(at(from, i)));
    return items;
}

Result<void> MapType::read(const json::value& value, void* into, const Path& where) const {
    const auto* object = value.if_object();
    if (object == nullptr) return where.refuse("must be an object");
    clear(into);
    for (const auto& [key, item] : *object) {
        const std::string_view name(key);
        if (auto done = element_.read(item, insert(into, name), where.at(name)); !done) return done;
    }
    return {};
}

json::value MapType::write(const void* from) const {
    json::object object;
    each(from, [&](const std::string& key, const void* value) { object[key] = element_.write(value); });
    return object;
}

Result<void> VariantType::read(const json::value& value, void* into, const Path& where) const {
    static const json::value no_fields = json::object{};
    const auto* object = value.if_object();
    const bool bare = value.is_string();
    if (!bare && (object == nullptr || object->size() != 1)) {
        return where.refuse("must be an object with one field, the name of a variant, or that name");
    }
    const std::string_view name =
        bare ? std::string_view(value.get_string()) : std::string_view(object->begin()->key());
    const auto found = std::ranges::find(alternatives_, name, &Alternative::name);
    if (found == alternatives_.end()) return where.at(name).refuse("is not a known variant");
    const auto index = static_cast<std::size_t>(found - alternatives_.begin());
    return found->type->read(bare ? no_fields : object->begin()->value(), emplace(into, index), where.at(name));
}

json::value VariantType::write(const void* from) const {
    const Alternative& alternative = alternatives_[index(from)];
    // An alternative that has fields is an object even if all of them are absent.
    const auto* fields = dynamic_cast<const StructType*>(alternative.type);
    if (fields != nullptr && fields->members().empty()) return json::string(alternative.name);
    return json::object{{alternative.name, alternative.type->write(value(from))}};
}

}  // namespace flowfabric::api
