#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/commands/execution/submit_many.hpp"
#include "cli/place.hpp"
#include "cli/text/output.hpp"
#include "cli/text/submission.hpp"
#include "flowfabric/client.hpp"

namespace flowfabric::cli {
namespace {

int run_submit(const CommonOptions& common, const SubmitOptions& options) {
    const auto texts = read_texts(options);
    if (!texts) return fail_with(texts.error(), common.json);
    auto command = command_of(*texts);
    if (!command) return fail_with(command.error(), common.json);
    const auto client = open_client(common, Missing::create);
    if (!client) return fail_with(client.error(), common.json);
    const auto created = (*client)->create_execution(*std::move(command));
    if (!created) return fail_with(created.error(), common.json);

    if (common.json) {
        print_json(api::to_json(*created));
    } else {
        print_line(created->execution_id.to_string());
    }
    return 0;
}

// The execution itself.
void add_what(CLI::App& submit, SubmitOptions& options) {
    submit.add_option("--lane", options.lane, "The lane to queue on")->capture_default_str();
    const auto* kind = submit.add_option("--kind", options.kind, "What kind of work it is; workers see it as FF_KIND");
    submit.add_option("--many", options.many, "Submit one execution per line of this file, - for standard input")
        ->type_name("FILE|-");
    submit.parse_complete_callback([kind, &options] {
        if (kind->count() == 0 && !options.many) throw CLI::RequiredError("--kind");
    });
    submit.add_option("--payload", options.payload, "The input: text, @FILE, or - for standard input")
        ->type_name("TEXT|@FILE|-");
    submit.add_option("--payload-encoding", options.payload_encoding, "What the payload is, a note for its readers");
    submit.add_option("--id", options.id, "The id to use, {fp:N}:UUID, instead of a new one")->type_name("ID");
    submit.add_option("--namespace", options.namespace_name, "The namespace")->capture_default_str();
    const auto add_tag = [&options](const std::vector<std::string>& tags) {
        for (const auto& tag : tags) {
            const auto equals = tag.find('=');
            if (equals == std::string::npos || equals == 0)
                throw CLI::ValidationError("--tag", tag + " is not KEY=VALUE");
            options.tags.insert_or_assign(tag.substr(0, equals), tag.substr(equals + 1));
        }
    };
    submit
        .add_option_function<std::vector<std::string>>("--tag", add_tag,
                                                       "A tag to attach, its key in the form owner.name; repeatable")
        ->allow_extra_args(false)
        ->type_name("KEY=VALUE");
}

// When and by which worker it runs.
void add_how(CLI::App& submit, SubmitOptions& options) {
    submit.add_option("--priority", options.priority, "0 to 9000; higher is claimed first")->capture_default_str();
    add_duration(submit, "--delay", "Do not run it before this time has passed",
                 [&](auto delay) { options.delay = delay; });
    add_duration(submit, "--deadline", "When it is overdue, counted from its creation",
                 [&](auto deadline) { options.deadline = deadline; });
    submit.add_option("--idempotency-key", options.idempotency_key,
                      "A second submit with this key in the namespace returns the first one's id");
    submit.add_option("--max-retries", options.max_retries,
                      "How often a failed attempt is repeated; otherwise as the store's\n"
                      "default_retry_policy says (`ff settings`)");
    add_duration(submit, "--retry-delay", "How long to wait before each retry",
                 [&](auto delay) { options.retry_delay = delay; });
    submit.add_option("--capability", options.capabilities, "A capability that its worker must have; repeatable")
        ->allow_extra_args(false);
    submit.add_option("--policy", options.policy, "The execution policy: JSON text, @FILE, or - for standard input")
        ->type_name("JSON|@FILE|-");
}

}  // namespace

void add_submit(CommandTable& table) {
    const auto run = [](const CommonOptions& common, const SubmitOptions& options) {
        return options.many ? run_submit_many(common, options) : run_submit(common, options);
    };
    auto added = table.add("submit", "Submit executions and print their ids", +run);
    add_what(added.command, added.options);
    add_how(added.command, added.options);
    added.command.footer(
        "With --many each line is a JSON object with the fields of create_execution: execution_id, namespace, "
        "lane_id,\n"
        "execution_kind, input (any JSON value, which the worker gets as its text) or input_b64 (bytes),\n"
        "payload_encoding, priority, creator_identity, idempotency_key, tags, policy, delay_until_ms and\n"
        "execution_deadline_at_ms. What a line leaves out is as the options say.");
    add_examples(added.command, {"ff submit --kind monthly --lane reports --payload november --priority 5",
                                 "ff submit --kind monthly --lane reports --payload @november.json --delay 2h",
                                 "ff submit --lane reports --kind monthly --many jobs.jsonl"});
}

}  // namespace flowfabric::cli
