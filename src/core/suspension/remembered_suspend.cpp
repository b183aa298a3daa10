#include "core/suspension/remembered_suspend.hpp"

#include <algorithm>
#include <boost/json.hpp>

#include "core/base/hex.hpp"
#include "core/suspension/suspension.hpp"

namespace flowfabric {
namespace {

std::optional<std::string> text_in(const boost::json::object& object, std::string_view name) {
    const auto* value = object.if_contains(name);
    if (value == nullptr || !value->is_string()) return std::nullopt;
    return std::string(value->get_string());
}

template <class Id>
std::optional<Id> id_in(const boost::json::object& object, std::string_view name) {
    const auto text = text_in(object, name);
    if (!text) return std::nullopt;
    const auto id = Id::parse(*text);
    return id ? std::optional(*id) : std::nullopt;
}

std::optional<RememberedSuspend::Waitpoint> waitpoint_in(const boost::json::value& value) {
    if (!value.is_object()) return std::nullopt;
    const auto id = id_in<WaitpointId>(value.get_object(), "waitpoint_id");
    const auto key = text_in(value.get_object(), "waitpoint_key");
    const auto kid = text_in(value.get_object(), "kid");
    if (!id || !key || !kid) return std::nullopt;
    return RememberedSuspend::Waitpoint{*id, *key, *kid};
}

std::optional<std::vector<RememberedSuspend::Waitpoint>> waitpoints_in(const boost::json::object& object) {
    const auto* value = object.if_contains("waitpoints");
    if (value == nullptr || !value->is_array() || value->get_array().empty()) return std::nullopt;
    std::vector<RememberedSuspend::Waitpoint> all;
    for (const auto& element : value->get_array()) {
        auto waitpoint = waitpoint_in(element);
        if (!waitpoint) return std::nullopt;
        all.push_back(std::move(*waitpoint));
    }
    return all;
}

// Empty if the key that signed it is gone.
std::string token_of(const RememberedSuspend::Waitpoint& waitpoint, const ExecutionId& id, const Keyring& keyring) {
    const SigningKey* signer = keyring.find(waitpoint.kid);
    if (signer == nullptr) signer = keyring.find_lapsed(waitpoint.kid);
    return signer == nullptr ? std::string{} : waitpoint_token(*signer, id, waitpoint.id);
}

}  // namespace

Json RememberedSuspend::to_json() const {
    boost::json::array all;
    for (const Waitpoint& waitpoint : waitpoints) {
        all.push_back(boost::json::object{
            {"waitpoint_id", waitpoint.id.to_string()}, {"waitpoint_key", waitpoint.key}, {"kid", waitpoint.kid}});
    }
    boost::json::object object{{"variant", handle ? "Suspended" : "AlreadySatisfied"},
                               {"suspension_id", suspension_id.to_string()},
                               {"waitpoints", std::move(all)},
                               {"handle_opaque_hex", nullptr}};
    if (handle) object["handle_opaque_hex"] = hex_of(*handle);
    if (!signals.empty()) object["signals"] = boost::json::array(signals.begin(), signals.end());
    return {boost::json::serialize(object)};
}

std::optional<RememberedSuspend> RememberedSuspend::parse(const Json& json) {
    boost::system::error_code failure;
    const auto value = boost::json::parse(json.text, failure);
    if (failure || !value.is_object()) return std::nullopt;
    const auto& object = value.get_object();
    const auto variant = text_in(object, "variant");
    const auto suspension_id = id_in<SuspensionId>(object, "suspension_id");
    auto waitpoints = waitpoints_in(object);
    if (!variant || !suspension_id || !waitpoints) return std::nullopt;
    RememberedSuspend found{*suspension_id, std::move(*waitpoints)};
    if (const auto* signals = object.if_contains("signals"))
        found.signals = seqs_of({boost::json::serialize(*signals)});
    if (*variant == "AlreadySatisfied") return found;
    const auto hex = text_in(object, "handle_opaque_hex");
    found.handle = hex ? bytes_of_hex(*hex) : std::nullopt;
    return *variant == "Suspended" && found.handle ? std::optional(std::move(found)) : std::nullopt;
}

Result<SuspensionDetails> RememberedSuspend::details(const ExecutionId& id, const Keyring& keyring) const {
    SuspensionDetails details = details_of_ended(id, &keyring);
    const bool signed_all = !details.primary.token.empty() &&
                            std::ranges::none_of(details.additional, &std::string::empty, &SuspendedWaitpoint::token);
    if (!signed_all) {
        return EngineError{.kind = ErrorKind::unavailable, .detail = "the key that signed the token is gone"};
    }
    return details;
}

SuspensionDetails RememberedSuspend::details_of_ended(const ExecutionId& id, const Keyring* keyring) const {
    SuspensionDetails details{.suspension_id = suspension_id};
    for (const Waitpoint& waitpoint : waitpoints) {
        SuspendedWaitpoint one{waitpoint.id, waitpoint.key, {}};
        if (keyring != nullptr) one.token = token_of(waitpoint, id, *keyring);
        if (&waitpoint == &waitpoints.front()) {
            details.primary = std::move(one);
        } else {
            details.additional.push_back(std::move(one));
        }
    }
    return details;
}

Result<RememberedSuspend> recall(const SuspendDedupRow& row) {
    auto remembered = RememberedSuspend::parse(row.outcome_json);
    if (!remembered) return corruption(row.owner().to_string() + ": stored outcome of a suspend");
    return std::move(*remembered);
}

}  // namespace flowfabric
