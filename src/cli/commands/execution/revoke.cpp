#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/text/id_argument.hpp"
#include "cli/text/output.hpp"

namespace flowfabric::cli {
namespace {

struct RevokeOptions {
    std::string id;
    std::string reason;
    std::string worker_instance_id;
};

Result<Revocation> revoke(const CommonOptions& common, const RevokeOptions& options) {
    const auto client = open_client(common);
    if (!client) return client.error();
    const auto id = execution_argument(**client, options.id);
    if (!id) return id.error();
    return (*client)->revoke_lease({.execution_id = *id,
                                    .expected_lease_id = std::nullopt,
                                    .worker_instance_id = options.worker_instance_id,
                                    .reason = options.reason});
}

int run_revoke(const CommonOptions& common, const RevokeOptions& options) {
    const auto revocation = revoke(common, options);
    if (!revocation) return fail_with(revocation.error(), common.json);
    if (common.json) {
        print_json(api::to_json(*revocation));
    } else {
        const bool revoked = std::holds_alternative<Revoked>(*revocation);
        print_line(revoked ? options.id + " is free to be claimed again" : options.id + " is held by no such worker");
    }
    return 0;
}

}  // namespace

void add_revoke(CommandTable& table) {
    auto [command, options] = table.add("revoke", "Take an execution away from its worker", run_revoke);
    add_id(command, options.id, "The execution's id");
    command.add_option("--reason", options.reason, "Why, for those who look at it later")->type_name("TEXT");
    command.add_option("--instance", options.worker_instance_id, "Only if this worker instance holds it")
        ->type_name("INSTANCE");
    add_examples(command, {"ff revoke '{fp:32}:01a1edbd-5876-779f-8e55-23416a6eca5e' --reason 'host is gone'"});
}

}  // namespace flowfabric::cli
