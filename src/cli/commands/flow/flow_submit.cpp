#include "api/type.hpp"
#include "cli/commands.hpp"
#include "cli/store_location.hpp"
#include "cli/text/flow_file.hpp"
#include "cli/text/output.hpp"
#include "cli/text/text_argument.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::cli {
namespace {

Result<SubmitFlow> read_flow(const std::string& file) {
    const auto text = read_text_argument(file == "-" ? file : "@" + file);
    if (!text) return text.error();
    return parse_flow(*text);
}

}  // namespace

int run_flow_submit(const CommonOptions& common, const std::string& file) {
    auto flow = read_flow(file);
    if (!flow) return fail_with(flow.error(), common.json);
    const auto engine = open_engine(common.store, Reconcilers::off);
    if (!engine) return fail_with(engine.error(), common.json);
    const auto submitted = (*engine)->submit_flow(*std::move(flow));
    if (!submitted) return fail_with(submitted.error(), common.json);
    if (common.json) {
        print_json(api::to_json(*submitted));
    } else {
        print_line(submitted->flow_id.to_string());
    }
    return 0;
}

}  // namespace flowfabric::cli
