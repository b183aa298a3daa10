#include "api/type.hpp"
#include "cli/commands.hpp"
#include "cli/store_location.hpp"
#include "cli/text/output.hpp"
#include "cli/text/submission.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::cli {

int run_submit(const CommonOptions& common, const SubmitOptions& options) {
    const auto texts = read_texts(options);
    if (!texts) return fail_with(texts.error(), common.json);
    auto command = command_of(*texts);
    if (!command) return fail_with(command.error(), common.json);
    const auto engine = open_engine(common.store, Reconcilers::off);
    if (!engine) return fail_with(engine.error(), common.json);
    const auto created = (*engine)->create_execution(*std::move(command));
    if (!created) return fail_with(created.error(), common.json);

    if (common.json) {
        print_json(api::to_json(*created));
    } else {
        print_line(created->execution_id.to_string());
    }
    return 0;
}

}  // namespace flowfabric::cli
