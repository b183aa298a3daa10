#include "server/auth/access.hpp"

#include <utility>

#include "runtime/threads/guard.hpp"
#include "server/http/http_server.hpp"

namespace flowfabric::server {
namespace {

namespace json = boost::json;

// A lease is shown as the execution that it is of: in parts it names that, and otherwise holds it.
std::optional<std::string> leased_under(const json::value& lease) {
    const json::value* id = lease.is_object() ? lease.get_object().if_contains("execution_id") : nullptr;
    if (id != nullptr && id->is_string()) return std::string(id->get_string());
    if (!lease.is_string()) return std::nullopt;
    const auto handle = Handle::parse(std::string_view(lease.get_string()));
    const auto execution = handle ? execution_of(*handle) : Result<ExecutionId>(handle.error());
    return execution ? std::optional(execution->to_string()) : std::nullopt;
}

std::optional<std::string> subject_of(const api::Route& route, const json::object& request) {
    const json::object* object = &request;
    std::string_view path = api::subject_field(route);
    for (auto dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.')) {
        const json::value* inner = object->if_contains(path.substr(0, dot));
        if (inner == nullptr || !inner->is_object()) return std::nullopt;
        object = &inner->get_object();
        path.remove_prefix(dot + 1);
    }
    const json::value* subject = path.empty() ? nullptr : object->if_contains(path);
    if (subject == nullptr) return std::nullopt;
    if (path == "lease") return leased_under(*subject);
    return subject->is_string() ? std::optional<std::string>(subject->get_string()) : std::nullopt;
}

}  // namespace

Result<std::shared_ptr<Access>> Access::open(Engine& engine, std::shared_ptr<BlockingPool> pool,
                                             std::optional<std::string> api_token) {
    auto book = TokenBook::open([&engine] { return engine.accepted_tokens(); }, std::move(api_token));
    if (!book) return book.error();
    return std::shared_ptr<Access>(new Access(engine, *std::move(book), std::move(pool)));
}

Outcome Access::recorded(const api::Route& route, const json::object& request, const Asker& asker, Outcome then) {
    AuditEvent event;
    event.actor = asker.caller ? asker.caller->name : "-";
    event.action = route.operation;
    event.subject = subject_of(route, request);
    if (!asker.request_id.empty()) event.request_id = asker.request_id;
    return [self = shared_from_this(), &route, event = std::move(event),
            then = std::move(then)](api::OrProblem<api::SentAnswer> outcome) {
        AuditEvent told = event;
        told.status = static_cast<std::int32_t>(outcome ? outcome->status : outcome.error().status);
        self->engine_.record_audit(
            std::move(told), [self, &route, then, outcome = std::move(outcome)](const auto& done) {
                if (!done) {
                    log_error("no audit record of " + std::string(route.operation) + ": " + to_string(done.error()));
                }
                if (!route.changes_tokens || !outcome) return then(outcome);
                self->book_->renew([then, outcome] { then(outcome); });
            });
    };
}

Result<void> Access::check_exposure(const std::string& address, bool allow_unauthenticated) const {
    if (asks_for_token()) return {};
    if (!allow_unauthenticated && !is_loopback(address)) {
        return invalid_input("listen", address +
                                           " can be reached from other machines, whose callers could do anything: make "
                                           "a token, set FF_API_TOKEN, or pass --allow-unauthenticated");
    }
    log_warning("no token was ever made: every caller may submit, read results and change settings");
    log_warning("callers need no token on the routes of operators either, the tokens of waitpoints included");
    return {};
}

}  // namespace flowfabric::server
