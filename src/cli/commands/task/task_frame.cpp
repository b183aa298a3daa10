#include "api/type.hpp"
#include "cli/commands/task/task_commands.hpp"
#include "cli/place.hpp"
#include "cli/text/output.hpp"
#include "cli/text/text_argument.hpp"

namespace flowfabric::cli {
namespace {

struct TaskFrameOptions {
    std::string payload;
    std::optional<FrameKind> kind;
    std::optional<FrameMode> mode;
    std::string type;
    std::optional<std::string> encoding;
    std::optional<std::string> correlation_id;
    std::optional<std::uint64_t> ttl_ms;
};

int run_task_frame(const CommonOptions& common, const TaskFrameOptions& options) {
    const auto lease = lease_of_task();
    if (!lease) return fail_with(lease.error(), common.json);
    auto payload = read_text_argument(options.payload);
    if (!payload) return fail_with(payload.error(), common.json);
    const auto client = open_client(common);
    if (!client) return fail_with(client.error(), common.json);
    AppendFrame frame;
    frame.lease = *lease;
    frame.payload = *std::move(payload);
    frame.payload_encoding = options.encoding;
    if (options.kind) frame.kind = *options.kind;
    if (options.mode) frame.mode = *options.mode;
    frame.frame_type = options.type;
    frame.correlation_id = options.correlation_id;
    frame.ttl_ms = options.ttl_ms;
    const auto appended = (*client)->append_frame(std::move(frame));
    if (!appended) return fail_with(appended.error(), common.json);
    if (common.json) print_json(api::to_json(*appended));
    return 0;
}

}  // namespace

void add_task_frame(CommandTable& table, CLI::App& task) {
    auto added =
        table.add_to(task, "frame", "Put something out; whoever follows the execution sees it at once", run_task_frame);
    auto& command = added.command;
    auto& options = added.options;
    command.add_option("payload", options.payload, "The frame: text, @FILE, or - for standard input")
        ->required()
        ->type_name("TEXT|@FILE|-");
    add_choice<FrameKind>(command, "--kind", "Where it comes from", [&options](FrameKind kind) {
        options.kind = kind;
    })->default_str("event");
    command.add_option("--type", options.type, "What it is, in your own words; by default its kind")->type_name("TEXT");
    add_choice<FrameMode>(command, "--mode", "What the stream keeps of it; summary: the frame patches the summary",
                          [&options](FrameMode mode) { options.mode = mode; })
        ->default_str("durable");
    add_duration(command, "--ttl", "Of a best-effort frame: how long it is of interest",
                 [&options](auto ttl) { options.ttl_ms = static_cast<std::uint64_t>(ttl.count()); });
    command.add_option("--encoding", options.encoding, "What the payload is, a note for its readers");
    command.add_option("--correlation-id", options.correlation_id, "What the worker knows the matter by");
    add_examples(command, {"ff task frame 'page 3 of 9' --type step", "ff task frame '{\"pages\": 3}' --mode summary"});
}

}  // namespace flowfabric::cli
