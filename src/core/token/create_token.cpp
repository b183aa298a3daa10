#include <algorithm>
#include <array>

#include "core/base/names.hpp"
#include "core/command/admission.hpp"
#include "core/token/on_token.hpp"

namespace flowfabric {
namespace {

// What audit records say of callers without a token of the store's.
constexpr std::array<std::string_view, 2> reserved_names{"-", "FF_API_TOKEN"};

class CreateTokenBody final : public OnToken {
  public:
    // The row has all but its time.
    CreateTokenBody(ApiTokenRow row, std::string secret)
        : OnToken(row.key.name), row_(std::move(row)), secret_(std::move(secret)) {}

    CommandTraits traits() const override {
        return {.name = "create_token", .urgency = Urgency::bulk, .on_tables = true};
    }
    std::size_t bytes() const override {
        return sizeof(*this) + contents_of(row_.key.name, row_.scopes.values, row_.namespaces.values, secret_);
    }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        WorkingSet& set = context.set;
        auto& tokens = set.side.of<ApiTokenRow>();
        const ApiTokenRow* known = tokens.find(token());
        if (known != nullptr && state_of(*known, set.now_ms) == TokenView::State::active) {
            return EngineError{.kind = ErrorKind::token_already_exists, .detail = "name: " + token().name};
        }
        if (row_.expires_at_ms && *row_.expires_at_ms <= set.now_ms) {
            return invalid_input("expires_at_ms", "must be in the future");
        }
        ApiTokenRow row = row_;
        row.created_at_ms = set.now_ms;
        tokens.put(std::move(row));
        return Answer::of<TokenCreated>({.name = token().name, .secret = secret_, .created_at_ms = set.now_ms});
    }

  private:
    ApiTokenRow row_;
    std::string secret_;
};

Result<void> check_scopes(const CreateToken& command) {
    Checks check;
    check(check_range("scopes", command.scopes.size(), 1, max_token_scopes));
    for (const Scope scope : command.scopes) check.require(is_known(scope), "scopes", "no such scope");
    check.require(std::ranges::count(command.scopes, Scope::worker) == 0 || command.namespaces.empty(), "namespaces",
                  "a token with the scope worker has none: a lane's work may belong to any namespace");
    if (check.fault()) return *check.fault();
    return {};
}

TextList names_of(std::vector<Scope> scopes) {
    std::ranges::sort(scopes);
    scopes.erase(std::ranges::unique(scopes).begin(), scopes.end());
    TextList names;
    for (const Scope scope : scopes) names.values.emplace_back(to_string(scope));
    return names;
}

}  // namespace

template <>
Result<Command> admit(CreateToken command, const Settings& settings, const IdSource&) {
    Checks check;
    check(check_identity("name", command.name));
    check.require(std::ranges::find(reserved_names, command.name) == reserved_names.end(), "name", "is reserved");
    check(check_scopes(command));
    check(check_range("namespaces", command.namespaces.size(), 0, max_token_namespaces));
    for (const std::string& name : command.namespaces) check(check_identity("namespaces", name));
    check.require(!command.expires_at_ms || *command.expires_at_ms >= 0, "expires_at_ms", "must not be negative");
    if (command.rate_limit_per_s) {
        check(check_range("rate_limit_per_s", *command.rate_limit_per_s, 1, max_token_rate_per_s));
    }
    if (check.fault()) return *check.fault();
    auto secret = new_secret(settings);
    if (!secret) return secret.error();
    ApiTokenRow row{.key = {std::move(command.name)},
                    .secret_hash = std::move(secret->hash),
                    .scopes = names_of(std::move(command.scopes)),
                    .namespaces = {std::move(command.namespaces)},
                    .expires_at_ms = command.expires_at_ms};
    if (command.rate_limit_per_s) row.rate_limit_per_s = static_cast<std::int32_t>(*command.rate_limit_per_s);
    return Command::make<CreateTokenBody>(std::move(row), std::move(secret->text));
}

}  // namespace flowfabric
