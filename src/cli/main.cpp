#include <algorithm>
#include <map>

#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/grammar.hpp"

// The one file that knows the grammar of `ff`: it fills plain option structs and calls one command.
namespace flowfabric::cli {
namespace {

using namespace std::chrono_literals;

void add_submit(CLI::App& app, Run& chosen, CommonOptions& common, SubmitOptions& options) {
    auto& submit = add_command(app, "submit", "Submit executions and print their ids", chosen, [&] {
        return options.many ? run_submit_many(common, options) : run_submit(common, options);
    });
    submit.footer(
        "With --many each line is a JSON object with the fields of create_execution: execution_id, namespace, "
        "lane_id,\n"
        "execution_kind, input (any JSON value, which the worker gets as its text) or input_b64 (bytes),\n"
        "payload_encoding, priority, creator_identity, idempotency_key, tags, policy, delay_until_ms and\n"
        "execution_deadline_at_ms. What a line leaves out is as the options say.");
    add_common(submit, common);
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
    submit.add_option("--policy", options.policy, "The execution policy: JSON text, @FILE, or - for standard input")
        ->type_name("JSON|@FILE|-");
}

void add_list(CLI::App& app, Run& chosen, CommonOptions& common, ListOptions& options) {
    auto& list =
        add_command(app, "list", "List executions, ordered by id", chosen, [&] { return run_list(common, options); });
    add_common(list, common);
    const auto& names = enum_names<PublicState>;
    const auto set_state = [&options](const std::string& name) { options.state = parse_enum<PublicState>(name); };
    list.add_option_function<std::string>("--state", set_state, "Only executions in this state")
        ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())))
        ->type_name("STATE");
    list.add_option("--partition", options.partition, "Only executions of this partition, the N in {fp:N}:UUID")
        ->type_name("N");
    list.add_option("--limit", options.limit, "At most this many, up to 1000")->capture_default_str();
    list.add_option("--after", options.after, "Continue after this id, the last page's cursor")->type_name("ID");
}

// A command about one execution.
CLI::App& add_on_execution(CLI::App& app, const std::string& name, const std::string& help, Run& chosen,
                           CommonOptions& common, std::string& id, Run run) {
    auto& command = add_command(app, name, help, chosen, std::move(run));
    add_common(command, common);
    command.add_option("id", id, "The execution's id")->required()->type_name("ID");
    return command;
}

void add_cancel(CLI::App& app, Run& chosen, CommonOptions& common, CancelOptions& options) {
    auto& cancel = add_on_execution(app, "cancel", "Cancel an execution, running or not", chosen, common, options.id,
                                    [&] { return run_cancel(common, options); });
    cancel.add_option("--reason", options.reason, "Why, for those who look at it later")->type_name("TEXT");
    cancel.add_option("--source", options.source, "On whose account")->type_name("TEXT")->capture_default_str();
}

void add_lanes(CLI::App& app, Run& chosen, CommonOptions& common, LanesOptions& options) {
    static const std::map<std::string, LaneState> states{{"pause", LaneState::paused},
                                                         {"resume", LaneState::active},
                                                         {"drain", LaneState::draining},
                                                         {"disable", LaneState::disabled}};
    auto& lanes = add_command(app, "lanes", "List lanes, or change the state of one", chosen,
                              [&] { return run_lanes(common, options); });
    lanes.footer(
        "pause    the lane accepts work and hands out none\n"
        "drain    the lane hands out what it has and accepts none\n"
        "disable  neither\n"
        "resume   both");
    add_common(lanes, common);
    const auto change = [&options](const std::string& name) { options.change_to = states.at(name); };
    auto* action = lanes.add_option_function<std::string>("action", change, "What to do with the lane")
                       ->check(CLI::IsMember(&states).description(""))
                       ->type_name("pause|resume|drain|disable");
    action->needs(lanes.add_option("lane", options.lane, "The lane; one that is not known yet is registered"));
}

void add_settings(CLI::App& app, Run& chosen, CommonOptions& common, SettingsOptions& options) {
    auto& settings = add_command(app, "settings", "List the store's settings, which hold for every process", chosen,
                                 [&] { return run_settings(common, options); });
    settings.footer(
        "A change holds at once, in every process that uses the store. A duration is 500ms, 30s, 5m, 1h, 7d, or 0;\n"
        "default_retry_policy is JSON as the retry_policy of an execution policy.");
    add_common(settings, common);
    settings.require_subcommand(0, 1);
    auto& set = add_command(settings, "set", "Change a setting", chosen, [&] { return run_settings(common, options); });
    add_common(set, common);
    set.add_option("name", options.name, "The setting's name")->required()->type_name("NAME");
    set.add_option("value", options.value, "Its new value")->required()->type_name("VALUE");
}

// A command about one flow.
CLI::App& add_on_flow(CLI::App& flow, const std::string& name, const std::string& help, Run& chosen,
                      CommonOptions& common, std::string& id, Run run) {
    auto& command = add_command(flow, name, help, chosen, std::move(run));
    add_common(command, common);
    command.add_option("id", id, "The flow's id")->required()->type_name("ID");
    return command;
}

void add_flow_submit(CLI::App& flow, Run& chosen, CommonOptions& common, std::string& file) {
    auto& submit = add_command(flow, "submit", "Submit a whole flow and print its id", chosen,
                               [&] { return run_flow_submit(common, file); });
    submit.footer(
        "The file is a JSON object with the fields of submit_flow: flow_kind, flow_id, namespace, tags, nodes and\n"
        "edges. A node has a name, an execution with the fields of a line of `ff submit --many`, and the policy of "
        "the\n"
        "edges into it ({\"kind\": \"all_of\"|\"any_of\"|\"quorum\", \"k\": N, \"on_satisfied\":\n"
        "\"cancel_remaining\"|\"let_run\"}). An edge has from, to, data_passing_ref and dependency_kind. With a\n"
        "flow_id of your own it is safe to submit the flow again.");
    add_common(submit, common);
    submit.add_option("file", file, "The flow, - for standard input")->required()->type_name("FILE|-");
}

void add_flow_list(CLI::App& flow, Run& chosen, CommonOptions& common, FlowListOptions& options) {
    auto& list = add_command(flow, "list", "List flows by partition and id", chosen,
                             [&] { return run_flow_list(common, options); });
    add_common(list, common);
    list.add_option("--partition", options.partition, "Only flows of this partition")->type_name("N");
    list.add_option("--limit", options.limit, "At most this many")->check(CLI::Range(1, 1000))->capture_default_str();
    list.add_option("--after", options.after, "Continue after this flow, the last page's cursor")->type_name("CURSOR");
}

void add_flow_cancel(CLI::App& flow, Run& chosen, CommonOptions& common, FlowCancelOptions& options) {
    auto& cancel = add_on_flow(flow, "cancel", "Cancel a flow and its members", chosen, common, options.id,
                               [&] { return run_flow_cancel(common, options); });
    cancel.footer(
        "cancel_all        every member that has not ended is cancelled\n"
        "cancel_pending    those are that do not run and are not suspended; the others may finish\n"
        "cancel_flow_only  no member is");
    const auto& names = enum_names<CancellationPolicy>;
    const auto set_policy = [&options](const std::string& name) {
        options.policy = *parse_enum<CancellationPolicy>(name);
    };
    cancel.add_option_function<std::string>("--policy", set_policy, "What becomes of the members")
        ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())).description(""))
        ->type_name("cancel_all|cancel_pending|cancel_flow_only")
        ->default_str("cancel_all");
    cancel.add_option("--reason", options.reason, "Why, for those who look at it later")->type_name("TEXT");
    add_duration(cancel, "--wait", "How long to wait for the members' end; 0 leaves them to engines that run",
                 [&](auto wait) { options.wait = wait; })
        ->default_str("30s");
}

struct FlowOptions {
    std::string id;
    std::string file;
    FlowListOptions list;
    FlowCancelOptions cancel;
    FlowTagOptions tag;
    FlowEdgesOptions edges;
};

void add_flow(CLI::App& app, Run& chosen, CommonOptions& common, FlowOptions& options) {
    auto& flow = *app.add_subcommand("flow", "Submit, show and cancel flows: graphs of executions");
    flow.require_subcommand(1);
    add_flow_submit(flow, chosen, common, options.file);
    add_on_flow(flow, "show", "Show a flow and what its members wait for", chosen, common, options.id,
                [&] { return run_flow_show(common, options.id); });
    add_flow_list(flow, chosen, common, options.list);
    add_flow_cancel(flow, chosen, common, options.cancel);
    auto& tag = add_on_flow(flow, "tag", "Print a tag of a flow, or set it", chosen, common, options.tag.id,
                            [&] { return run_flow_tag(common, options.tag); });
    tag.add_option("key", options.tag.key, "The tag's key, in the form owner.name")->required()->type_name("KEY");
    tag.add_option("value", options.tag.value, "What to set it to")->type_name("VALUE");
    auto& edges = add_on_flow(flow, "edges", "List the edges from and to a member of a flow", chosen, common,
                              options.edges.id, [&] { return run_flow_edges(common, options.edges); });
    edges.add_option("execution", options.edges.execution, "The member's id")->required()->type_name("EXECUTION");
}

void add_channel(CLI::App& command, Channel& channel) {
    const auto& names = enum_names<Channel>;
    const auto set_channel = [&channel](const std::string& name) { channel = *parse_enum<Channel>(name); };
    command.add_option_function<std::string>("--channel", set_channel, "Which events")
        ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())).description(""))
        ->type_name("completion|lease|signal|operator")
        ->default_str("completion");
}

void add_workers(CLI::App& app, Run& chosen, CommonOptions& common, std::optional<std::string>& namespace_name) {
    auto& workers = add_command(app, "workers", "List the registered workers that are alive", chosen,
                                [&] { return run_workers(common, namespace_name); });
    add_common(workers, common);
    workers.add_option("--namespace", namespace_name, "Only those of this namespace");
}

void add_consumers(CLI::App& app, Run& chosen, CommonOptions& common, ConsumersOptions& options) {
    auto& consumers = add_command(app, "consumers", "List the durable consumers of events, or remove one", chosen,
                                  [&] { return run_consumers(common, options); });
    consumers.footer("Events that a consumer has not acknowledged are kept. Remove one that will not come back.");
    add_common(consumers, common);
    const auto remove = [&options](const std::string&) { options.remove = true; };
    auto* action = consumers.add_option_function<std::string>("action", remove, "What to do with the consumer")
                       ->check(CLI::IsMember({"remove"}).description(""))
                       ->type_name("remove");
    action->needs(consumers.add_option("consumer", options.consumer, "The consumer's name"));
    add_channel(consumers, options.channel);
}

void add_keys(CLI::App& app, Run& chosen, CommonOptions& common, bool& reseal) {
    auto& keys = add_command(app, "keys", "List the signing keys without their secrets, or seal the secrets", chosen,
                             [&] { return run_keys(common, reseal); });
    keys.footer(
        "reseal  encrypts, with the key that FF_MASTER_KEY holds or FF_MASTER_KEY_FILE names (64 hex digits), every\n"
        "        secret that is stored in plain; engines without that key can neither sign nor verify from then on");
    add_common(keys, common);
    const auto set_reseal = [&reseal](const std::string&) { reseal = true; };
    keys.add_option_function<std::string>("action", set_reseal, "What to do with the keys")
        ->check(CLI::IsMember({"reseal"}).description(""))
        ->type_name("reseal");
}

void add_tail(CLI::App& app, Run& chosen, CommonOptions& common, TailOptions& options) {
    auto& tail = add_command(app, "tail", "Follow what happens, one event per line", chosen,
                             [&] { return run_tail(common, options); });
    tail.footer("Ends at SIGINT or SIGTERM. With --json each line has the cursor that --from continues behind.");
    add_common(tail, common);
    add_channel(tail, options.channel);
    tail.add_option("--namespace", options.namespace_name, "Only events of this namespace");
    tail.add_option("--partition", options.partition, "Only events of this partition, the N in {fp:N}:UUID")
        ->type_name("N");
    tail.add_option("--from", options.from, "Begin behind this cursor, with the oldest event, or with the next one")
        ->type_name("CURSOR|start|now")
        ->capture_default_str();
    tail.add_option("--consumer", options.consumer,
                    "A name to be known by: begins where it stood, and events it has not shown are kept for it");
}

void add_worker(CLI::App& app, Run& chosen, CommonOptions& common, WorkerCommandOptions& options) {
    auto& worker = add_command(app, "worker", "Run a program for every execution of a lane", chosen,
                               [&] { return run_worker(common, options); });
    worker.footer(
        "The program gets the payload on stdin; its stdout is the result. Exit status 0 completes the execution, 65\n"
        "(EX_DATAERR) fails it for good, any other fails the attempt; the end of its stderr is kept as the reason.\n"
        "FF_EXECUTION_ID, FF_ATTEMPT_INDEX, FF_LEASE_EPOCH, FF_LANE and FF_KIND are set. A lost lease ends the "
        "program\n"
        "with SIGTERM, five seconds later SIGKILL. The first SIGINT or SIGTERM to the worker lets running programs\n"
        "finish, the second one ends them; their executions are reclaimed. A worker that is killed takes its programs\n"
        "and their children along.");
    add_common(worker, common);
    worker.add_option("--lane", options.lanes, "The lane to serve; repeatable")
        ->allow_extra_args(false)
        ->capture_default_str();
    worker.add_option("--capability", options.capabilities, "A capability that this worker has; repeatable")
        ->allow_extra_args(false);
    worker.add_option("--concurrency", options.concurrency, "How many programs run at once")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    add_duration(worker, "--lease-ttl", "How long an execution stays ours without a renewal", [&](auto ttl) {
        if (ttl < 1s || ttl > 24h) throw CLI::ValidationError("--lease-ttl", "must be 1s to 24h");
        options.lease_ttl = ttl;
    })->default_str("30s");
    worker.add_option("--worker-id", options.worker_id, "The name of this pool of workers")->capture_default_str();
    worker.add_option("--instance-id", options.worker_instance_id,
                      "The name of this process; by default host, process id and a random part");
    worker.add_option("command", options.command, "The program and its arguments, after --")->type_name("");
    worker.parse_complete_callback([&options] {
        if (options.command.empty()) throw CLI::RequiredError("command");
    });
}

void add_server(CLI::App& app, Run& chosen, CommonOptions& common, ServerOptions& options) {
    auto& server = add_command(app, "server", "Run the engine with its HTTP server", chosen,
                               [&] { return run_server(common, options); });
    add_common(server, common);
    const auto set_address = [&options](const std::string& text) {
        const auto colon = text.rfind(':');
        std::uint16_t port = 0;
        if (colon == std::string::npos || !CLI::detail::lexical_cast(text.substr(colon + 1), port)) {
            throw CLI::ValidationError("--listen", text + " is not HOST:PORT");
        }
        auto host = text.substr(0, colon);
        if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
        options.address = host == "localhost" ? "127.0.0.1" : host;
        options.port = port;
    };
    server
        .add_option_function<std::string>("--listen", set_address, "The address to serve on; port 0 picks a free one")
        ->type_name("HOST:PORT")
        ->default_str("127.0.0.1:8080");
}

int main_with(int argc, char** argv) {
    CLI::App app("FlowFabric: durable executions on SQLite or PostgreSQL", "ff");
    app.require_subcommand(1);
    app.set_version_flag("--version", "ff " FF_VERSION);

    Run chosen;
    CommonOptions common;
    std::string id;
    SubmitOptions submit;
    CancelOptions cancel;
    ListOptions list;
    LanesOptions lanes;
    SettingsOptions settings;
    FlowOptions flow;
    TailOptions tail;
    ConsumersOptions consumers;
    std::optional<std::string> workers_namespace;
    bool reseal = false;
    WorkerCommandOptions worker;
    ServerOptions server;
    if (argc > 0) server.program = argv[0];
    std::vector<std::string> bench_arguments;

    add_server(app, chosen, common, server);
    add_submit(app, chosen, common, submit);
    add_cancel(app, chosen, common, cancel);
    add_on_execution(app, "get", "Show an execution, its attempts and its result", chosen, common, id,
                     [&] { return run_get(common, id); });
    add_on_execution(app, "attempts", "List the attempts of an execution", chosen, common, id,
                     [&] { return run_attempts(common, id); });
    add_on_execution(app, "explain", "Say why an execution is not running", chosen, common, id,
                     [&] { return run_explain(common, id); });
    add_list(app, chosen, common, list);
    add_lanes(app, chosen, common, lanes);
    add_settings(app, chosen, common, settings);
    add_flow(app, chosen, common, flow);
    add_tail(app, chosen, common, tail);
    add_consumers(app, chosen, common, consumers);
    add_workers(app, chosen, common, workers_namespace);
    add_keys(app, chosen, common, reseal);
    add_worker(app, chosen, common, worker);
    bool with_roles = false;
    auto& migrate = add_command(app, "migrate", "Bring the store's schema up to date", chosen,
                                [&] { return run_migrate(common, with_roles); });
    add_store(migrate, common);
    migrate.add_flag("--roles", with_roles,
                     "Create the roles ff_worker, ff_submitter and ff_reader of PostgreSQL, with the rights they need");
    add_store(add_command(app, "doctor", "Look at the store's health without changing anything", chosen,
                          [&] { return run_doctor(common); }),
              common);
    add_command(app, "bench", "Measure a store with ff-bench", chosen, [&] { return run_bench(bench_arguments); });
    add_json(add_command(app, "version", "Print the version", chosen, [&] { return run_version(common.json); }),
             common.json);

    // What stands behind `worker … --` and `bench` is taken as it is: an argument in brackets would be parsed as a
    // list.
    const std::string_view command = argc > 1 ? argv[1] : "";
    char** end = argv + argc;
    if (command == "worker") {
        char** separator = std::find(argv, end, std::string_view("--"));
        if (separator != end) worker.command.assign(separator + 1, end);
        end = separator;
    } else if (command == "bench") {
        bench_arguments.assign(argv + 2, end);
        end = argv + 2;
    }
    return parse_and_run(app, static_cast<int>(end - argv), argv, chosen);
}

}  // namespace
}  // namespace flowfabric::cli

int main(int argc, char** argv) {
    return flowfabric::cli::guarded_main("ff", flowfabric::cli::main_with, argc, argv);
}
