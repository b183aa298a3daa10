#include <fmt/format.h>

#include <boost/json/array.hpp>

#include "cli/command_table.hpp"
#include "cli/store_location.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/engine.hpp"
#include "flowfabric/roles.hpp"

namespace flowfabric::cli {
namespace {

int run_migrate(const CommonOptions& common, bool with_roles) {
    const auto store = store_url(common.store);
    if (!store) return fail_with(store.error(), common.json);
    const auto applied = migrate(*store);
    if (!applied) return fail_with(applied.error(), common.json);
    std::vector<std::string> roles;
    if (with_roles) {
        auto created = create_roles(*store);
        if (!created) return fail_with(created.error(), common.json);
        roles = *std::move(created);
    }

    if (common.json) {
        const boost::json::array steps(applied->begin(), applied->end());
        boost::json::object object{{"store", store_for_display(*store)}, {"applied", steps}};
        if (with_roles) object["roles"] = boost::json::array(roles.begin(), roles.end());
        print_json(object);
        return 0;
    }
    for (const auto& step : *applied) print_line("applied " + step);
    if (applied->empty()) print_line("The schema of " + store_for_display(*store) + " is current.");
    for (const auto& role : roles) print_line(fmt::format("role {0} has its rights; GRANT {0} TO a user", role));
    return 0;
}

}  // namespace

void add_migrate(CommandTable& table) {
    const auto with_roles = std::make_shared<bool>(false);
    auto& command =
        table.add_plain(table.app(), "migrate", "Bring the store's schema up to date",
                        [&common = table.common(), with_roles] { return run_migrate(common, *with_roles); });
    add_store(command, table.common());
    command.add_flag("--roles", *with_roles,
                     "Create the roles ff_worker, ff_submitter and ff_reader of PostgreSQL, with the rights they need");
    add_examples(command, {"ff migrate --store postgres://flowfabric@db/flowfabric --roles"});
}

}  // namespace flowfabric::cli
