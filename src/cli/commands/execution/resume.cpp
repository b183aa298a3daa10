#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/text/id_argument.hpp"
#include "cli/text/output.hpp"

namespace flowfabric::cli {
namespace {

struct ResumeOptions {
    std::string id;
    std::chrono::milliseconds delay{0};
};

Result<Resumed> resume_now(const CommonOptions& common, const ResumeOptions& options) {
    const auto client = open_client(common);
    if (!client) return client.error();
    const auto id = execution_argument(**client, options.id);
    if (!id) return id.error();
    return (*client)->resume_execution(
        {.execution_id = *id, .resume_delay_ms = static_cast<std::uint64_t>(options.delay.count())});
}

int run_resume(const CommonOptions& common, const ResumeOptions& options) {
    const auto resumed = resume_now(common, options);
    if (!resumed) return fail_with(resumed.error(), common.json);
    if (common.json) {
        print_json(api::to_json(*resumed));
    } else {
        print_line(options.id + " " + std::string(to_string(resumed->public_state)));
    }
    return 0;
}

}  // namespace

void add_resume(CommandTable& table) {
    auto added = table.add("resume", "Let a suspended execution go on, whatever it waits for", run_resume);
    add_id(added.command, added.options.id, "The execution's id");
    add_duration(added.command, "--delay", "How long it rests before it goes on",
                 [&options = added.options](auto delay) { options.delay = delay; });
    add_examples(added.command, {"ff resume '{fp:32}:01a1edbd-5876-779f-8e55-23416a6eca5e'"});
}

}  // namespace flowfabric::cli
