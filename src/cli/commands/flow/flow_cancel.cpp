#include <fmt/format.h>

#include "api/type.hpp"
#include "cli/commands.hpp"
#include "cli/store_location.hpp"
#include "cli/text/id_argument.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::cli {
namespace {

Result<FlowCancelled> cancel(const StoreOptions& store, const FlowCancelOptions& options) {
    const auto id = flow_argument(options.id);
    if (!id) return id.error();
    const auto engine = open_existing(store);
    if (!engine) return engine.error();
    CancelFlow command;
    command.flow_id = *id;
    command.policy = options.policy;
    command.reason = options.reason;
    command.requester = "ff";
    // This process does not see to the members, so other engines need not hold back.
    if (options.wait.count() == 0) command.grace_ms = 0;
    command.max_wait_ms = static_cast<std::uint64_t>(options.wait.count());
    auto cancelled = (*engine)->cancel_flow(std::move(command));
    if (!cancelled || !cancelled->already_terminal) return cancelled;
    const auto flow = (*engine)->describe_flow(*id);
    if (!flow) return flow.error();
    if (*flow && !(*flow)->cancelled_at_ms) {
        return EngineError{.kind = ErrorKind::flow_already_terminal,
                           .detail = fmt::format("{} is {}", options.id, to_string((*flow)->state)),
                           .not_active = {}};
    }
    return cancelled;
}

}  // namespace

int run_flow_cancel(const CommonOptions& common, const FlowCancelOptions& options) {
    const auto cancelled = cancel(common.store, options);
    if (!cancelled) return fail_with(cancelled.error(), common.json);
    if (common.json) {
        print_json(api::to_json(*cancelled));
    } else {
        print_line(fmt::format("{} cancelled, {}: {} members{}", options.id, to_string(cancelled->policy),
                               cancelled->members.size(),
                               cancelled->members_pending ? ", some of them still to be cancelled" : ""));
    }
    return 0;
}

}  // namespace flowfabric::cli
