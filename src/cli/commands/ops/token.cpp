#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/type.hpp"
#include "cli/change.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/read_all.hpp"

namespace flowfabric::cli {
namespace {

struct TokenOptions {
    CreateToken create;
    std::optional<std::chrono::milliseconds> expires_in;
};

std::int64_t token_clock_ms() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

int run_token_create(const CommonOptions& common, const TokenOptions& options) {
    CreateToken command = options.create;
    if (options.expires_in) command.expires_at_ms = token_clock_ms() + options.expires_in->count();
    return run_change(common, Missing::create, std::move(command),
                      [](const TokenCreated& created) { return created.secret; });
}

int run_token_rotate(const CommonOptions& common, const RotateToken& command) {
    return run_change(common, Missing::refuse, command, [](const TokenRotated& rotated) { return rotated.secret; });
}

int run_token_revoke(const CommonOptions& common, const RevokeToken& command) {
    return run_change(common, Missing::refuse, command, [](const TokenRevoked& revoked) {
        return fmt::format("{}: revoked {}", printable(revoked.name), iso_time(revoked.revoked_at_ms));
    });
}

std::string comma_list(const std::vector<std::string>& names) {
    return printable(fmt::format("{}", fmt::join(names, ",")));
}

int run_token_list(const CommonOptions& common, const ListTokens& query) {
    const auto client = open_client(common);
    if (!client) return fail_with(client.error(), common.json);
    const auto tokens = read_all(**client, query, &TokenPage::tokens);
    if (!tokens) return fail_with(tokens.error(), common.json);
    if (common.json) {
        print_json(boost::json::object{{"tokens", api::to_json(*tokens)}});
        return 0;
    }
    if (tokens->empty()) {
        print_line("No tokens.");
        return 0;
    }
    Table table({"name", "state", "scopes", "namespaces", "created_at", "expires_at"});
    for (const TokenView& token : *tokens) {
        table.add({printable(token.name), std::string(to_string(token.state)), comma_list(token.scopes),
                   token.namespaces.empty() ? "(all)" : comma_list(token.namespaces), iso_time(token.created_at_ms),
                   iso_time(token.expires_at_ms)});
    }
    table.print();
    return 0;
}

void add_token_name(CLI::App& command, std::string& name) {
    command.add_option("name", name, "The token's name")->required()->type_name("NAME");
}

void add_token_create(CommandTable& table, CLI::App& group) {
    auto [command, options] = table.add_to(group, "create", "Make a token and print its secret", run_token_create);
    add_token_name(command, options.create.name);
    const auto add_scope = [&scopes = options.create.scopes](const std::vector<std::string>& names) {
        for (const std::string& name : names) {
            const auto scope = parse_enum<Scope>(name);
            if (!scope)
                throw CLI::ValidationError("--scope", name + " is not one of read, submit, worker, signal, admin");
            scopes.push_back(*scope);
        }
    };
    command
        .add_option_function<std::vector<std::string>>("--scope", add_scope,
                                                       "What its callers may do; repeatable, admin includes all others")
        ->required()
        ->allow_extra_args(false)
        ->type_name("read|submit|worker|signal|admin");
    command.add_option("--namespace", options.create.namespaces, "A namespace that it is held to; repeatable")
        ->allow_extra_args(false);
    command
        .add_option("--rate-limit", options.create.rate_limit_per_s, "How many requests a second one server answers")
        ->type_name("N");
    add_duration(command, "--expires-in", "When it ceases to be accepted, counted from now",
                 [&expires_in = options.expires_in](auto lifetime) { expires_in = lifetime; });
    add_examples(command, {"ff token create ops --scope admin",
                           "ff token create ci --scope submit --scope read --namespace shop --expires-in 90d"});
}

}  // namespace

void add_token(CommandTable& table) {
    auto& group = table.add_group("token", "Make, list, rotate and revoke the tokens of callers of the API");
    group.footer(
        "A server takes callers without a token until the first one is made. Its secret is printed once, and only its\n"
        "digest is stored.");
    add_examples(group, {"ff token create ops --scope admin", "ff token list"});
    add_token_create(table, group);
    auto list = table.add_to(group, "list", "List the tokens without their secrets", run_token_list);
    add_examples(list.command, {"ff token list"});
    auto [rotate, rotation] = table.add_to(group, "rotate", "Give a token a new secret and print it", run_token_rotate);
    add_token_name(rotate, rotation.name);
    add_duration(rotate, "--overlap", "How long the secret before goes on working",
                 [&overlap_ms = rotation.overlap_ms](auto overlap) { overlap_ms = overlap.count(); })
        ->default_str("1h");
    add_examples(rotate, {"ff token rotate ci --overlap 10m"});
    auto [revoke, revocation] = table.add_to(group, "revoke", "End a token at once", run_token_revoke);
    add_token_name(revoke, revocation.name);
    add_examples(revoke, {"ff token revoke ci"});
}

}  // namespace flowfabric::cli
