#include "api/routes/request_form.hpp"

#include <algorithm>
#include <charconv>

#include <boost/json/array.hpp>

#include "api/routes/request_digest.hpp"
#include "api/struct_type.hpp"
#include "core/base/base64.hpp"
#include "core/base/trace_context.hpp"

namespace flowfabric::api {
namespace {

namespace json = boost::json;

template <class Number>
std::optional<Number> number_in(std::string_view text) {
    Number number{};
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

// What does not read as the type stays text, and is refused with the other fields.
json::value value_of_text(const Type& type, std::string_view text) {
    if (const auto* optional = dynamic_cast<const OptionalType*>(&type)) return value_of_text(optional->type(), text);
    if (dynamic_cast<const IntegerType*>(&type) != nullptr) {
        if (const auto number = number_in<std::int64_t>(text)) return *number;
        if (const auto number = number_in<std::uint64_t>(text)) return *number;
    }
    if (dynamic_cast<const BoolType*>(&type) != nullptr) {
        if (text == "true" || text == "1") return true;
        if (text == "false" || text == "0") return false;
    }
    return json::string(text);
}

void add_text(const StructType& request, std::string_view name, std::string_view text, json::object& object) {
    const auto member = std::ranges::find(request.members(), name, &Member::name);
    if (member == request.members().end()) {
        object[name] = text;
        return;
    }
    // A list is given by repetition.
    if (const auto* list = dynamic_cast<const ListType*>(member->type)) {
        if (!object[name].is_array()) object[name] = json::array{};
        object[name].get_array().push_back(value_of_text(list->element(), text));
        return;
    }
    // An empty parameter counts as absent.
    if (!text.empty()) object[name] = value_of_text(*member->type, text);
}

Problem refuse(unsigned status, std::string_view field, std::string_view reason) {
    return unreadable(status, invalid_input(field, reason));
}

OrProblem<std::string> bytes_of(std::string_view name, const json::value& value) {
    const auto* items = value.if_array();
    if (items == nullptr) return refuse(422, name, "must be an array of integers from 0 to 255");
    std::string bytes;
    bytes.reserve(items->size());
    for (const json::value& item : *items) {
        boost::system::error_code failure;
        const auto number = item.to_number<std::int64_t>(failure);
        if (failure || number < 0 || number > 255)
            return refuse(422, name, "must be an array of integers from 0 to 255");
        bytes.push_back(static_cast<char>(number));
    }
    return bytes;
}

// The field by its dotted name; objects on the way are made.
json::value& field_at(json::object& object, std::string_view name) {
    json::object* at = &object;
    for (auto dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.')) {
        json::value& inner = (*at)[name.substr(0, dot)];
        if (!inner.is_object()) inner = json::object{};
        at = &inner.get_object();
        name.remove_prefix(dot + 1);
    }
    return (*at)[name];
}

std::optional<Problem> rename(const RequestAlias& alias, json::object& object) {
    const auto found = object.find(alias.name);
    if (found == object.end()) return std::nullopt;
    const bool may_be_json = alias.name == alias.field && !found->value().is_null();
    if (may_be_json && !bytes_of(alias.name, found->value())) return std::nullopt;
    json::value value = std::move(found->value());
    object.erase(found);
    if (value.is_null() || alias.form == RequestAlias::Form::ignored) return std::nullopt;
    if (alias.form == RequestAlias::Form::text) {
        if (!value.is_string()) return refuse(422, alias.name, "must be a string");
        value = to_base64(std::string_view(value.get_string()));
    }
    const bool is_payload = alias.form != RequestAlias::Form::same;
    const std::string target = std::string(alias.field) + (is_payload ? "_b64" : "");
    if (object.contains(target) || object.contains(alias.field)) {
        return refuse(422, alias.name, "is given twice, also as " + std::string(alias.field));
    }
    if (alias.form == RequestAlias::Form::bytes) {
        auto bytes = bytes_of(alias.name, value);
        if (!bytes) return bytes.error();
        value = to_base64(*bytes);
    }
    field_at(object, target) = std::move(value);
    return std::nullopt;
}

// A limit of another form is refused with the other fields.
std::optional<Problem> check_limit(const Route& route, const json::object& object) {
    const json::value* limit = route.most_items == 0 ? nullptr : object.if_contains("limit");
    boost::system::error_code failure;
    const auto number = limit == nullptr ? 0 : limit->to_number<std::int64_t>(failure);
    if (failure || number <= route.most_items) return std::nullopt;
    return refuse(400, "limit", "must be an integer from 1 to " + std::to_string(route.most_items));
}

bool has(const StructType& request, std::string_view field) {
    return std::ranges::find(request.members(), field, &Member::name) != request.members().end();
}

void add_trace(const StructType& request, const RequestParts& parts, json::object& object) {
    if (!parts.traceparent || !has(request, "traceparent") || object.contains("traceparent")) return;
    const auto trace = read_traceparent(*parts.traceparent);
    if (!trace) return;
    object["traceparent"] = *trace;
    if (parts.tracestate && is_tracestate(*parts.tracestate)) object["tracestate"] = *parts.tracestate;
}

// Where the operation's request has the id of the path.
std::string_view target_of_id(const Route& route) {
    const auto alias = std::ranges::find(route.aliases, route.id_field, &RequestAlias::name);
    return alias == route.aliases.end() ? route.id_field : alias->field;
}

// The id of the path under the name that its caller knows.
EngineError as_called(const Route& route, EngineError refusal) {
    const std::string_view target = target_of_id(route);
    const bool is_of_id = !target.empty() && refusal.detail.starts_with(std::string(target) + ':');
    if (is_of_id) refusal.detail.replace(0, target.size(), route.id_field);
    return refusal;
}

// Whether the first field that the refusal names stands in the path or the query.
bool is_of_target(const Route& route, const EngineError& refusal) {
    if (route.method == "GET" || route.method == "DELETE") return true;
    const auto field = refusal.detail.substr(0, refusal.detail.find_first_of(":.["));
    return route.path.find('{' + field + '}') != std::string_view::npos ||
           (field == route.id_field && route.path.find("{id}") != std::string_view::npos);
}

}  // namespace

std::string_view field_of_place(const Route& route, std::string_view place) {
    return place == "id" ? route.id_field : place;
}

OrProblem<json::object> request_of(const Route& route, const OperationEntry& operation, json::object body,
                                   const RequestParts& parts) {
    const auto& request = dynamic_cast<const StructType&>(*operation.request);
    json::object object = route.without_body ? json::object{} : std::move(body);
    for (const auto& [name, text] : parts.query) add_text(request, name, text, object);
    for (const auto& [place, text] : parts.places) {
        const std::string_view field = field_of_place(route, place);
        const json::value* given = object.if_contains(field);
        if (given != nullptr && !given->is_null() && *given != json::value(text)) {
            const std::string name(field);
            std::string error = "path ";
            error.append(name).append(" does not match body ").append(name);
            return Problem{.status = 400,
                           .error = std::move(error),
                           .kind = "invalid_input",
                           .retryable = std::nullopt,
                           .details = {{name, "differs from the path"}}};
        }
        const auto id = ExecutionId::parse(text);
        if (id && id->partition > max_partition) {
            return refuse(400, field, "partition_mismatch: not below " + std::to_string(max_partition + 1));
        }
        object.erase(field);
        add_text(request, field, text, object);
    }
    const json::value* own_key = object.if_contains("idempotency_key");
    const bool by_header =
        parts.idempotency_key && has(request, "idempotency_key") && (own_key == nullptr || own_key->is_null());
    for (const RequestAlias& alias : route.aliases) {
        if (auto problem = rename(alias, object)) return *std::move(problem);
    }
    if (route.prepare != nullptr) {
        if (auto problem = route.prepare(object)) return *std::move(problem);
    }
    if (auto problem = check_limit(route, object)) return *std::move(problem);
    if (by_header) {
        if (has(request, "request_digest")) object["request_digest"] = digest_of(route.operation, object);
        object["idempotency_key"] = *parts.idempotency_key;
    }
    add_trace(request, parts, object);
    return object;
}

OrProblem<std::variant<Commands, Queries>> asked_by(const Route& route, const OperationEntry& operation,
                                                    const json::object& request) {
    auto asked = operation.parse(request, {.ignore_unknown_fields = true});
    if (asked) return *std::move(asked);
    // Published clients know it by its own code, wherever the capabilities stand.
    if (asked.error().kind == ErrorKind::invalid_capabilities) return problem_of(asked.error());
    const EngineError refusal = as_called(route, asked.error());
    return unreadable(is_of_target(route, refusal) ? 400 : 422, refusal);
}

}  // namespace flowfabric::api
