#include "server/auth/namespace_guard.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "api/problem.hpp"
#include "flowfabric/lease_ref.hpp"
#include "server/auth/refusals.hpp"

namespace flowfabric::server {
namespace {

namespace json = boost::json;
using To = api::Belonging::To;

// A namespace never changes, but an id that was removed may be given to something new.
constexpr std::chrono::seconds remembered_for{10};
constexpr std::size_t most_remembered = 100'000;

// Calls visit(object, name) for every object that the path leads to and the name of the field in it, until one is
// refused. Where the path ends early the operation refuses the request by itself.
template <class Visit>
std::optional<api::Problem> each_holder(json::object& object, std::string_view path, const Visit& visit) {
    const auto dot = path.find('.');
    if (dot == std::string_view::npos) return visit(object, path);
    std::string_view step = path.substr(0, dot);
    const std::string_view rest = path.substr(dot + 1);
    const bool is_list = step.ends_with("[]");
    if (is_list) step.remove_suffix(2);
    json::value* inner = object.if_contains(step);
    if (inner == nullptr) return std::nullopt;
    if (!is_list) return inner->is_object() ? each_holder(inner->get_object(), rest, visit) : std::nullopt;
    if (!inner->is_array()) return std::nullopt;
    for (json::value& item : inner->get_array()) {
        if (!item.is_object()) continue;
        if (auto refused = each_holder(item.get_object(), rest, visit)) return refused;
    }
    return std::nullopt;
}

std::optional<std::string_view> text_at(const json::object& object, std::string_view name) {
    const json::value* value = object.if_contains(name);
    if (value == nullptr || !value->is_string()) return std::nullopt;
    return std::string_view(value->get_string());
}

template <class T>
std::optional<T> as_optional(Result<T> result) {
    return result ? std::optional(*std::move(result)) : std::nullopt;
}

// The execution that the field names; nothing for what the operation refuses by itself.
std::optional<ExecutionId> execution_in(const json::object& holder, std::string_view name) {
    const auto text = text_at(holder, name);
    return text ? as_optional(ExecutionId::parse(*text)) : std::nullopt;
}
std::optional<ExecutionId> leased_in(const json::object& holder, std::string_view name) {
    const json::value* lease = holder.if_contains(name);
    if (lease != nullptr && lease->is_object()) return execution_in(lease->get_object(), "execution_id");
    const auto text = text_at(holder, name);
    const auto handle = text ? as_optional(Handle::parse(*text)) : std::nullopt;
    return handle ? as_optional(execution_of(*handle)) : std::nullopt;
}

// What `own` tells of the row, if it is there.
template <class Row, class Own>
Result<std::vector<std::string>> namespaces_in(const Result<std::optional<Row>>& row, Own own) {
    if (!row) return row.error();
    std::vector<std::string> names;
    if (*row) names.push_back(own(**row));
    return names;
}

std::optional<api::Problem> check_name(const Caller& caller, json::object& holder, std::string_view name) {
    json::value& given = holder[name];
    if (given.is_null() && caller.namespaces.size() == 1) given = caller.namespaces.front();
    if (given.is_null()) return api::unreadable(422, invalid_input(name, "must be one of those of the token"));
    if (!given.is_string() || caller.reaches(std::string_view(given.get_string()))) return std::nullopt;
    return forbidden(caller, "does not reach this namespace");
}

}  // namespace

void NamespaceGuard::hold(std::shared_ptr<const Caller> caller, const api::Route& route, json::object request,
                          Then then) {
    pool_->post([this, caller = std::move(caller), &route, request = std::move(request), then = std::move(then)] {
        then(held(*caller, route, request));
    });
}

api::OrProblem<json::object> NamespaceGuard::held(const Caller& caller, const api::Route& route, json::object request) {
    if (route.belongs_to.empty()) return forbidden(caller, "is held to namespaces, which this request is not");
    for (const api::Belonging& belonging : route.belongs_to) {
        auto refused = each_holder(request, belonging.field, [&](json::object& holder, std::string_view name) {
            return check(caller, belonging, holder, name);
        });
        if (refused) return *std::move(refused);
    }
    return request;
}

std::optional<api::Problem> NamespaceGuard::check(const Caller& caller, const api::Belonging& belonging,
                                                  json::object& holder, std::string_view name) {
    if (belonging.to == To::name) return check_name(caller, holder, name);
    const json::value* given = holder.if_contains(name);
    if (belonging.is_required && (given == nullptr || given->is_null())) {
        return api::unreadable(422, invalid_input(name, "must be given by a token that is held to namespaces"));
    }
    const auto id = id_in(belonging.to, holder, name);
    return id ? check_id(caller, *id, belonging.may_be_new) : std::nullopt;
}

// Nothing for what the operation refuses by itself.
std::optional<NamespaceGuard::Id> NamespaceGuard::id_in(To to, const json::object& holder, std::string_view name) {
    if (to == To::execution) return execution_in(holder, name);
    if (to == To::lease) return leased_in(holder, name);
    const auto text = text_at(holder, name);
    if (!text) return std::nullopt;
    switch (to) {
        case To::uuid:
            if (const auto uuid = Uuid::parse(*text)) return BareUuid{*uuid};
            return std::nullopt;
        case To::flow:
            return as_optional(FlowId::parse(*text));
        case To::bulk:
            return as_optional(BulkOperationId::parse(*text));
        case To::webhook:
            return WebhookName{std::string(*text)};
        default:
            return std::nullopt;
    }
}

ErrorKind NamespaceGuard::not_found_of(const Id& id) {
    if (std::holds_alternative<FlowId>(id)) return ErrorKind::flow_not_found;
    if (std::holds_alternative<BulkOperationId>(id)) return ErrorKind::bulk_operation_not_found;
    if (std::holds_alternative<WebhookName>(id)) return ErrorKind::webhook_not_found;
    return ErrorKind::execution_not_found;
}

std::optional<api::Problem> NamespaceGuard::check_id(const Caller& caller, const Id& id, bool may_be_new) {
    const auto own = namespaces_of(id);
    if (!own) return api::problem_of(own.error());
    const auto is_reached = [&](const std::string& name) { return caller.reaches(name); };
    if (own->empty() ? may_be_new : std::ranges::all_of(*own, is_reached)) return std::nullopt;
    return api::problem_of(
        {.kind = not_found_of(id), .detail = std::visit([](const auto& of_any) { return of_any.to_string(); }, id)});
}

Result<NamespaceGuard::Namespaces> NamespaceGuard::namespaces_of(const Id& id) {
    // The others are rarely asked for, and a name or a UUID may come to mean something else.
    if (!std::holds_alternative<ExecutionId>(id) && !std::holds_alternative<FlowId>(id)) return look_up(id);
    const std::string key = std::visit([](const auto& of_any) { return of_any.to_string(); }, id);
    {
        const std::scoped_lock lock(mutex_);
        const auto now = std::chrono::steady_clock::now();
        if (now - known_since_ > remembered_for || known_.size() >= most_remembered) {
            known_.clear();
            known_since_ = now;
        }
        if (const auto known = known_.find(key); known != known_.end()) return Namespaces{known->second};
    }
    auto found = look_up(id);
    if (found && !found->empty()) {
        const std::scoped_lock lock(mutex_);
        known_.emplace(key, found->front());
    }
    return found;
}

Result<NamespaceGuard::Namespaces> NamespaceGuard::look_up(const Id& id) {
    if (const auto* uuid = std::get_if<BareUuid>(&id)) return find(uuid->uuid);
    if (const auto* execution = std::get_if<ExecutionId>(&id)) {
        return namespaces_in(client_.read(GetExecutionNamespace{*execution}), std::identity());
    }
    if (const auto* flow = std::get_if<FlowId>(&id)) {
        return namespaces_in(client_.read(DescribeFlow{*flow}), std::mem_fn(&FlowSnapshot::namespace_name));
    }
    if (const auto* operation = std::get_if<BulkOperationId>(&id)) {
        return namespaces_in(client_.read(GetBulkOperation{*operation}),
                             [](const BulkOperationView& view) { return view.filter.namespace_name.value_or(""); });
    }
    return namespaces_in(client_.read(GetWebhook{std::get<WebhookName>(id).name}),
                         [](const WebhookView& view) { return view.namespace_name.value_or(""); });
}

Result<NamespaceGuard::Namespaces> NamespaceGuard::find(const Uuid& uuid) {
    const auto found = client_.read(FindExecutions{uuid});
    if (!found) return found.error();
    Namespaces all;
    for (const ExecutionId& id : found->executions) {
        auto own = namespaces_of(id);
        if (!own) return own;
        std::ranges::move(*own, std::back_inserter(all));
    }
    return all;
}

}  // namespace flowfabric::server
