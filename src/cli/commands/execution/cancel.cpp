#include "api/type.hpp"
#include "cli/commands.hpp"
#include "cli/store_location.hpp"
#include "cli/text/id_argument.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::cli {
namespace {

Result<Cancelled> cancel(const StoreOptions& store, const CancelOptions& options) {
    const auto id = execution_argument(options.id);
    if (!id) return id.error();
    const auto engine = open_existing(store);
    if (!engine) return engine.error();
    return (*engine)->cancel_execution(
        {.execution = {.execution_id = *id}, .reason = options.reason, .source = options.source});
}

}  // namespace

int run_cancel(const CommonOptions& common, const CancelOptions& options) {
    const auto cancelled = cancel(common.store, options);
    if (!cancelled) return fail_with(cancelled.error(), common.json);
    if (common.json) {
        print_json(api::to_json(*cancelled));
    } else {
        print_line(cancelled->execution_id.to_string() + " " + std::string(to_string(cancelled->public_state)));
    }
    return 0;
}

}  // namespace flowfabric::cli
