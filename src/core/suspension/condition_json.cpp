#include <boost/json.hpp>
#include <initializer_list>
#include <utility>

#include "flowfabric/condition.hpp"
#include "flowfabric/json_fault.hpp"

namespace flowfabric {
namespace {

namespace json = boost::json;

EngineError malformed_at(std::string_view path, std::string_view why) {
    std::string reason = "malformed at path ";
    reason.append(path.empty() ? "<root>" : path).append(": ").append(why);
    return invalid_input("resume_condition", reason);
}

ResumeCondition unknown(const json::value& value) {
    return {UnknownCondition{json::serialize(value)}};
}

// The one field of an object that stands for a variant with content.
const json::key_value_pair* only_field(const json::value& value) {
    const json::object* object = value.if_object();
    return object != nullptr && object->size() == 1 ? object->begin() : nullptr;
}

Result<void> expect_fields(const json::object& object, std::initializer_list<std::string_view> required,
                           std::string_view optional, std::string_view path) {
    for (const std::string_view name : required) {
        if (!object.contains(name)) return malformed_at(path, std::string(name).append(" is required"));
    }
    if (object.size() > required.size() + (!optional.empty() && object.contains(optional) ? 1 : 0)) {
        return malformed_at(path, "has an unknown field");
    }
    return {};
}

// No matcher where the variant is one that we do not know.
Result<std::optional<SignalMatcher>> read_matcher(const json::value& value, std::string_view path) {
    using Matcher = std::optional<SignalMatcher>;
    if (value.is_string()) return value.get_string() == "Wildcard" ? Matcher(Wildcard{}) : std::nullopt;
    const auto* variant = only_field(value);
    if (variant == nullptr) return malformed_at(path, "matcher: expected \"Wildcard\" or {\"ByName\": name}");
    if (variant->key() != "ByName") return Matcher(std::nullopt);
    const json::string* name = variant->value().if_string();
    if (name == nullptr) return malformed_at(path, "matcher: ByName: expected a string");
    return Matcher(ByName{std::string(*name)});
}

Result<ResumeCondition> read_single(const json::value& whole, const json::value& content, std::string_view path) {
    const json::object* fields = content.if_object();
    if (fields == nullptr) return malformed_at(path, "Single: expected an object");
    if (auto checked = expect_fields(*fields, {"waitpoint_key", "matcher"}, "", path); !checked) return checked.error();
    const json::string* key = fields->at("waitpoint_key").if_string();
    if (key == nullptr) return malformed_at(path, "waitpoint_key: expected a string");
    auto matcher = read_matcher(fields->at("matcher"), path);
    if (!matcher) return matcher.error();
    if (!*matcher) return unknown(whole);
    return ResumeCondition{Single{std::string(*key), std::move(**matcher)}};
}

Result<ResumeCondition> read_condition(const json::value& value, const std::string& path);

Result<ResumeCondition> read_all_of(const json::object& fields, const std::string& path) {
    if (auto checked = expect_fields(fields, {"kind", "members"}, "", path); !checked) return checked.error();
    const json::array* members = fields.at("members").if_array();
    if (members == nullptr) return malformed_at(path, "members: expected an array");
    AllOf all;
    for (std::size_t i = 0; i < members->size(); ++i) {
        auto member =
            read_condition((*members)[i], path + (path.empty() ? "" : ".") + "members[" + std::to_string(i) + "]");
        if (!member) return member.error();
        all.members.push_back(std::move(*member));
    }
    return ResumeCondition{std::move(all)};
}

Result<ResumeCondition> read_count(const json::value& whole, const json::object& fields, std::string_view path) {
    if (auto checked = expect_fields(fields, {"kind", "n", "count_kind", "waitpoints"}, "matcher", path); !checked) {
        return checked.error();
    }
    Count count;
    const json::value& n = fields.at("n");
    if (!n.is_int64() || !std::in_range<std::uint32_t>(n.get_int64())) {
        return malformed_at(path, "n: expected an integer from 0 to 4294967295");
    }
    count.n = static_cast<std::uint32_t>(n.get_int64());
    const json::string* count_kind = fields.at("count_kind").if_string();
    if (count_kind == nullptr) return malformed_at(path, "count_kind: expected a string");
    const auto kind = parse_enum<CountKind>(*count_kind);
    if (!kind) return unknown(whole);
    count.kind = *kind;
    if (const json::value* given = fields.if_contains("matcher")) {
        auto matcher = read_matcher(*given, path);
        if (!matcher) return matcher.error();
        if (!*matcher) return unknown(whole);
        count.matcher = std::move(*matcher);
    }
    const json::array* waitpoints = fields.at("waitpoints").if_array();
    if (waitpoints == nullptr) return malformed_at(path, "waitpoints: expected an array of strings");
    for (const json::value& key : *waitpoints) {
        if (!key.is_string()) return malformed_at(path, "waitpoints: expected an array of strings");
        count.waitpoints.emplace_back(key.get_string());
    }
    return ResumeCondition{std::move(count)};
}

Result<ResumeCondition> read_composite(const json::value& whole, const json::value& content, const std::string& path) {
    const json::object* fields = content.if_object();
    if (fields == nullptr) return malformed_at(path, "Composite: expected an object");
    const json::value* kind = fields->if_contains("kind");
    if (kind == nullptr || !kind->is_string()) return malformed_at(path, "kind: expected a string");
    if (kind->get_string() == "AllOf") return read_all_of(*fields, path);
    if (kind->get_string() == "Count") return read_count(whole, *fields, path);
    return unknown(whole);
}

// Recurses no deeper than the JSON parser, which refuses more than 32 levels.
Result<ResumeCondition> read_condition(const json::value& value, const std::string& path) {
    if (value.is_string()) {
        if (value.get_string() == "OperatorOnly") return ResumeCondition{OperatorOnly{}};
        if (value.get_string() == "TimeoutOnly") return ResumeCondition{TimeoutOnly{}};
        return unknown(value);
    }
    const auto* variant = only_field(value);
    if (variant == nullptr) return malformed_at(path, "expected a string or an object with one field");
    if (variant->key() == "Single") return read_single(value, variant->value(), path);
    if (variant->key() == "Composite") return read_composite(value, variant->value(), path);
    return unknown(value);
}

json::value matcher_json(const SignalMatcher& matcher) {
    if (const auto* by_name = std::get_if<ByName>(&matcher)) return json::object{{"ByName", by_name->name}};
    return "Wildcard";
}

json::value json_of(const ResumeCondition& condition);

json::value json_of(const Single& single) {
    return json::object{
        {"Single", json::object{{"waitpoint_key", single.waitpoint_key}, {"matcher", matcher_json(single.matcher)}}}};
}
json::value json_of(const OperatorOnly&) {
    return "OperatorOnly";
}
json::value json_of(const TimeoutOnly&) {
    return "TimeoutOnly";
}
json::value json_of(const AllOf& all) {
    json::array members;
    for (const ResumeCondition& member : all.members) members.push_back(json_of(member));
    return json::object{{"Composite", json::object{{"kind", "AllOf"}, {"members", std::move(members)}}}};
}
json::value json_of(const Count& count) {
    json::object fields{{"kind", "Count"}, {"n", count.n}, {"count_kind", to_string(count.kind)}};
    if (count.matcher) fields["matcher"] = matcher_json(*count.matcher);
    fields["waitpoints"] = json::array(count.waitpoints.begin(), count.waitpoints.end());
    return json::object{{"Composite", std::move(fields)}};
}
json::value json_of(const UnknownCondition& unknown) {
    boost::system::error_code failure;
    return json::parse(unknown.json, failure);
}

json::value json_of(const ResumeCondition& condition) {
    return std::visit([](const auto& node) { return json_of(node); }, condition.node);
}

}  // namespace

Result<ResumeCondition> ResumeCondition::parse(std::string_view text) {
    boost::system::error_code failure;
    const json::value value = json::parse(text, failure);
    if (failure) return malformed_at("", json_fault(text));
    return read_condition(value, "");
}

std::string ResumeCondition::to_json() const {
    return json::serialize(json_of(*this));
}

}  // namespace flowfabric
