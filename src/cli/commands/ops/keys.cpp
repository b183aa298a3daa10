#include <chrono>
#include <random>

#include <fmt/format.h>

#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/client.hpp"

namespace flowfabric::cli {
namespace {

struct KeysOptions {
    std::string action;  // empty: list
    std::string kid;     // of the new key; empty: named by the time
    std::chrono::milliseconds grace{std::chrono::hours(24)};
};

int list(Client& client, bool as_json) {
    const auto keys = client.list_signing_keys();
    if (!keys) return fail_with(keys.error(), as_json);
    if (as_json) {
        print_json(boost::json::object{{"keys", api::to_json(*keys)}});
        return 0;
    }
    if (keys->empty()) {
        print_line("No signing keys.");
        return 0;
    }
    Table table({"kid", "state", "sealed", "rotated_at", "expires_at"});
    for (const auto& key : *keys) {
        table.add({printable(key.kid), std::string(to_string(key.state)), key.sealed ? "true" : "false",
                   iso_time(key.rotated_at_ms), iso_time(key.expires_at_ms)});
    }
    table.print();
    return 0;
}

int reseal_all(Client& client, bool as_json) {
    const auto resealed = client.reseal_signing_keys();
    if (!resealed) return fail_with(resealed.error(), as_json);
    if (as_json) {
        print_json(api::to_json(*resealed));
    } else {
        print_line(fmt::format("sealed {} of {} secrets; the others were", resealed->resealed, resealed->keys));
    }
    return 0;
}

std::string random_secret() {
    std::random_device random;
    std::string hex;
    for (int word = 0; word < 8; ++word) hex += fmt::format("{:08x}", random());
    return hex;
}

// 2026-01-31T12:34:56.789Z as k20260131T123456789Z
std::string kid_of_now() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    std::string kid = "k" + iso_time(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
    std::erase_if(kid, [](char c) { return c == '-' || c == ':' || c == '.'; });
    return kid;
}

int rotate(Client& client, const KeysOptions& options, bool as_json) {
    const auto rotated =
        client.rotate_waitpoint_hmac_secret({.new_kid = options.kid.empty() ? kid_of_now() : options.kid,
                                             .new_secret_hex = random_secret(),
                                             .grace_ms = options.grace.count()});
    if (!rotated) return fail_with(rotated.error(), as_json);
    if (as_json) {
        print_json(api::to_json(*rotated));
    } else {
        print_line(fmt::format("{} signs from now on{}", printable(rotated->new_kid),
                               rotated->previous_kid ? ", instead of " + printable(*rotated->previous_kid) : ""));
    }
    return 0;
}

int run_keys(const CommonOptions& common, const KeysOptions& options) {
    const auto client = open_client(common);
    if (!client) return fail_with(client.error(), common.json);
    if (options.action == "reseal") return reseal_all(**client, common.json);
    if (options.action == "rotate") return rotate(**client, options, common.json);
    return list(**client, common.json);
}

}  // namespace

void add_keys(CommandTable& table) {
    auto added =
        table.add("keys", "List the signing keys without their secrets, rotate them, or seal the secrets", run_keys);
    auto& command = added.command;
    auto& options = added.options;
    add_choice_of(command, "action", "What to do with the keys", {"rotate", "reseal"},
                  [&options](const std::string& action) { options.action = action; });
    command.add_option("--kid", options.kid, "The new key's name; by default the time")->type_name("NAME");
    add_duration(command, "--grace", "How long the old key goes on verifying", [&options](auto grace) {
        options.grace = grace;
    })->default_str("1d");
    command.footer(
        "rotate  signs with a new random key from now on\n"
        "reseal  encrypts, with the key that FF_MASTER_KEY holds or FF_MASTER_KEY_FILE names (64 hex digits), every\n"
        "        secret that is stored in plain; engines without that key can neither sign nor verify from then on");
    add_examples(command, {"ff keys", "ff keys rotate --grace 7d", "ff keys reseal"});
}

}  // namespace flowfabric::cli
