#include <fmt/format.h>
#include <boost/json/array.hpp>

#include "cli/commands.hpp"
#include "cli/store_location.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::cli {
namespace {

std::string_view name_of(SigningKeyView::State state) {
    switch (state) {
        case SigningKeyView::State::active:
            return "active";
        case SigningKeyView::State::verifying:
            return "verifying";
        case SigningKeyView::State::lapsed:
            break;
    }
    return "lapsed";
}

boost::json::object json_of(const SigningKeyView& key) {
    boost::json::object object{
        {"kid", key.kid}, {"state", name_of(key.state)}, {"sealed", key.sealed}, {"rotated_at_ms", key.rotated_at_ms}};
    if (key.expires_at_ms) object["expires_at_ms"] = *key.expires_at_ms;
    return object;
}

int list(Engine& engine, bool as_json) {
    const auto keys = engine.list_signing_keys();
    if (!keys) return fail_with(keys.error(), as_json);
    if (as_json) {
        boost::json::array array;
        for (const auto& key : *keys) array.push_back(json_of(key));
        print_json(boost::json::object{{"keys", std::move(array)}});
        return 0;
    }
    if (keys->empty()) {
        print_line("No signing keys.");
        return 0;
    }
    Table table({"kid", "state", "secret", "rotated", "expires"});
    for (const auto& key : *keys) {
        table.add({printable(key.kid), std::string(name_of(key.state)), key.sealed ? "sealed" : "plain",
                   iso_time(key.rotated_at_ms), iso_time(key.expires_at_ms)});
    }
    table.print();
    return 0;
}

int reseal_all(Engine& engine, bool as_json) {
    const auto resealed = engine.reseal_signing_keys();
    if (!resealed) return fail_with(resealed.error(), as_json);
    if (as_json) {
        print_json(boost::json::object{{"resealed", resealed->resealed}, {"keys", resealed->keys}});
    } else {
        print_line(fmt::format("sealed {} of {} secrets; the others were", resealed->resealed, resealed->keys));
    }
    return 0;
}

}  // namespace

int run_keys(const CommonOptions& common, bool reseal) {
    const auto engine = open_existing(common.store);
    if (!engine) return fail_with(engine.error(), common.json);
    return reseal ? reseal_all(**engine, common.json) : list(**engine, common.json);
}

}  // namespace flowfabric::cli
