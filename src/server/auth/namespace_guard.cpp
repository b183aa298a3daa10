#include "server/auth/namespace_guard.hpp"

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
    std::optional<Id> id;
    switch (belonging.to) {
        case To::name:
            return check_name(caller, holder, name);
        case To::execution:
            id = execution_in(holder, name);
            break;
        case To::lease:
            id = leased_in(holder, name);
            break;
        case To::flow:
            if (const auto text = text_at(holder, name)) id = as_optional(FlowId::parse(*text));
            break;
    }
    return id ? check_id(caller, *id, belonging.may_be_new) : std::nullopt;
}

std::optional<api::Problem> NamespaceGuard::check_id(const Caller& caller, const Id& id, bool may_be_new) {
    const auto own = namespace_of(id);
    if (!own) return api::problem_of(own.error());
    if (*own ? caller.reaches(**own) : may_be_new) return std::nullopt;
    const auto kind = std::holds_alternative<FlowId>(id) ? ErrorKind::flow_not_found : ErrorKind::execution_not_found;
    return api::problem_of(
        {.kind = kind, .detail = std::visit([](const auto& of_any) { return of_any.to_string(); }, id)});
}

Result<std::optional<std::string>> NamespaceGuard::namespace_of(const Id& id) {
    const std::string key = std::visit([](const auto& of_any) { return of_any.to_string(); }, id);
    {
        const std::scoped_lock lock(mutex_);
        const auto now = std::chrono::steady_clock::now();
        if (now - known_since_ > remembered_for || known_.size() >= most_remembered) {
            known_.clear();
            known_since_ = now;
        }
        if (const auto known = known_.find(key); known != known_.end()) return std::optional(known->second);
    }
    auto found = look_up(id);
    if (found && *found) {
        const std::scoped_lock lock(mutex_);
        known_.emplace(key, **found);
    }
    return found;
}

Result<std::optional<std::string>> NamespaceGuard::look_up(const Id& id) {
    if (const auto* execution = std::get_if<ExecutionId>(&id)) return client_.read(GetExecutionNamespace{*execution});
    const auto flow = client_.read(DescribeFlow{std::get<FlowId>(id)});
    if (!flow) return flow.error();
    return *flow ? std::optional((*flow)->namespace_name) : std::nullopt;
}

}  // namespace flowfabric::server
