#include "api/type.hpp"
#include "cli/commands.hpp"
#include "cli/store_location.hpp"
#include "cli/text/execution_output.hpp"
#include "cli/text/id_argument.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::cli {
namespace {

Result<std::vector<AttemptView>> attempts_of(const StoreOptions& store, const std::string& text) {
    const auto id = execution_argument(text);
    if (!id) return id.error();
    const auto engine = open_existing(store);
    if (!engine) return engine.error();
    const auto state = (*engine)->read_execution_state(*id);
    if (!state) return state.error();
    if (!*state) return execution_not_found(text);
    return (*engine)->list_attempts(*id);
}

}  // namespace

int run_attempts(const CommonOptions& common, const std::string& id) {
    const auto attempts = attempts_of(common.store, id);
    if (!attempts) return fail_with(attempts.error(), common.json);
    if (common.json) {
        print_json(boost::json::object{{"execution_id", id}, {"attempts", api::to_json(*attempts)}});
    } else if (attempts->empty()) {
        print_line("No attempts.");
    } else {
        print_attempts(*attempts);
    }
    return 0;
}

}  // namespace flowfabric::cli
