#include <map>

#include <CLI/CLI.hpp>

#include "bench/scenarios.hpp"
#include "cli/grammar.hpp"
#include "cli/secret_variable.hpp"
#include "flowfabric/commands.hpp"
#include "flowfabric/submit_flow.hpp"

// The one file that knows the grammar of `ff-bench`: it fills plain option structs and calls one scenario.
namespace flowfabric::bench {
namespace {

using cli::add_command;
using cli::Run;

// What a scenario fills with executions is never the store of the data directory.
void add_named_store(CLI::App& command, CommonOptions& common) {
    const bool named = !cli::environment("FF_STORE").empty() || !cli::environment("FF_STORE_FILE").empty();
    cli::add_common(command, common)->required(!named);
}

void add_drain_shape(CLI::App& command, DrainOptions& options) {
    command.add_option("--tasks", options.tasks, "How many executions")
        ->check(CLI::Range(1, 100'000'000))
        ->capture_default_str();
    command.add_option("--workers", options.workers, "How many workers claim at the same time")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    command.add_option("--batch", options.batch, "How many executions one claim asks for")
        ->check(CLI::Range(1U, max_claim_count))
        ->capture_default_str();
}

void add_drain(CLI::App& app, Run& chosen, CommonOptions& common, DrainOptions& options) {
    auto& drain = add_command(app, "drain", "Submit no-op executions, then claim and complete them all", chosen,
                              [&] { return run_drain(common, options); });
    add_named_store(drain, common);
    add_drain_shape(drain, options);
    const auto add_spread = [&](const char* name, std::uint32_t& over, const char* help, std::uint32_t most) {
        drain.add_option(name, over, help)->check(CLI::Range(1U, most))->capture_default_str();
    };
    add_spread(
        "--priorities", options.priorities,
        "Spread the executions over this many priorities; the rate is compared with that of one kind of execution",
        9001);
    add_spread("--lanes", options.lanes, "Spread them over this many lanes, of which a claim names up to 64",
               1'000'000);
    add_spread("--capability-sets", options.capability_sets,
               "Spread them over this many sets of capabilities, all of which every worker has", 65'536);
    add_spread("--engines", options.engines, "Spread the workers over this many engines on the one store", 64);
}

void add_submit(CLI::App& app, Run& chosen, CommonOptions& common, SubmitOptions& options) {
    auto& submit = add_command(app, "submit", "Submit executions through the engine and measure the rate", chosen,
                               [&] { return run_submit(common, options); });
    add_named_store(submit, common);
    submit.add_option("--tasks", options.tasks, "How many executions")
        ->check(CLI::Range(1, 100'000'000))
        ->capture_default_str();
    submit.add_option("--in-flight", options.in_flight, "How many submissions wait for their answer at the same time")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    submit.add_option("--payload-bytes", options.payload_bytes, "The size of each payload")
        ->check(CLI::Range(0, 1'048'576))
        ->capture_default_str();
}

void add_suspend(CLI::App& app, Run& chosen, CommonOptions& common, SuspendOptions& options) {
    auto& suspend = add_command(app, "suspend", "Measure how long a suspended execution takes to go on", chosen,
                                [&] { return run_suspend(common, options); });
    add_named_store(suspend, common);
    suspend.add_option("--samples", options.samples, "How many suspensions to measure")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
}

void add_flow(CLI::App& app, Run& chosen, CommonOptions& common, FlowOptions& options) {
    static const std::map<std::string, FlowShape> shapes{
        {"all", FlowShape::all}, {"chains", FlowShape::chains}, {"fan", FlowShape::fan}, {"cancel", FlowShape::cancel}};
    auto& flow = add_command(app, "flow", "Run chains and fans of executions, cancel flows, and measure", chosen,
                             [&] { return run_flow(common, options); });
    add_named_store(flow, common);
    const auto set_shape = [&options](const std::string& name) { options.shape = shapes.at(name); };
    flow.add_option_function<std::string>("--shape", set_shape, "What to measure")
        ->check(CLI::IsMember(&shapes).description(""))
        ->type_name("chains|fan|cancel|all")
        ->default_str("all");
    flow.add_option("--flows", options.flows, "How many chains run at the same time")
        ->check(CLI::Range(1, 10'000'000))
        ->capture_default_str();
    flow.add_option("--length", options.length, "How many members each chain has")
        ->check(CLI::Range(2, 1'000))
        ->capture_default_str();
    flow.add_option("--workers", options.workers, "How many workers claim at the same time")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    flow.add_option("--batch", options.batch, "How many executions one claim asks for")
        ->check(CLI::Range(1U, max_claim_count))
        ->capture_default_str();
    flow.add_option("--width", options.width, "How many members a fan has between its source and its sink")
        ->check(CLI::Range(1, static_cast<int>(max_submitted_nodes) - 2))
        ->capture_default_str();
    flow.add_option("--members", options.members, "How many members a flow to be cancelled has")
        ->check(CLI::Range(3, 10'000))
        ->capture_default_str();
    flow.add_option("--samples", options.samples, "How many single chains, fans and cancelled flows to measure")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
}

void add_latency(CLI::App& app, Run& chosen, CommonOptions& common, LatencyOptions& options) {
    auto& latency = add_command(app, "latency", "Measure how long work waits between its submission and a worker",
                                chosen, [&] { return run_latency(common, options); });
    add_named_store(latency, common);
    latency.add_option("--samples", options.samples, "How many executions to measure")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    latency.add_option("--load-seconds", options.load_seconds, "How long to measure under load; 0 leaves it out")
        ->check(CLI::Range(0, 3600))
        ->capture_default_str();
    latency.add_option("--worker-of", options.worker_of)->type_name("LANE")->group("");
}

void add_subscribe(CLI::App& app, Run& chosen, CommonOptions& common, SubscribeOptions& options) {
    auto& subscribe = add_command(app, "subscribe", "Measure what subscribers cost, and how soon they hear of events",
                                  chosen, [&] { return run_subscribe(common, options); });
    add_named_store(subscribe, common);
    add_drain_shape(subscribe, options.drain);
    subscribe.add_option("--rounds", options.rounds, "How many drains with subscribers, and as many without")
        ->check(CLI::Range(1, 1'000))
        ->capture_default_str();
    subscribe.add_option("--samples", options.samples, "How many events to measure while nothing else happens")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    subscribe.add_option("--idle-seconds", options.idle_seconds, "How long to count queries; 0 leaves it out")
        ->check(CLI::Range(0, 3600))
        ->capture_default_str();
    subscribe.add_option("--follow", options.follow)->group("");
    subscribe.add_option("--until", options.until)->type_name("ID")->group("");
}

void add_stream(CLI::App& app, Run& chosen, CommonOptions& common, StreamOptions& options) {
    auto& stream = add_command(app, "stream", "Measure how fast attempts put out frames, and how soon they are seen",
                               chosen, [&] { return run_stream(common, options); });
    add_named_store(stream, common);
    stream.add_option("--frames", options.frames, "How many frames each measurement of a rate appends")
        ->check(CLI::Range(1, 10'000'000))
        ->capture_default_str();
    stream.add_option("--samples", options.samples, "How many frames are appended or awaited one by one")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    stream.add_option("--payload-bytes", options.payload_bytes, "The size of each payload")
        ->check(CLI::Range(std::size_t{0}, max_frame_payload_bytes))
        ->capture_default_str();
}

void add_http(CLI::App& app, Run& chosen, CommonOptions& common, HttpOptions& options) {
    auto& http =
        add_command(app, "http", "Compare what clients of ff server reach with what an engine in the process does",
                    chosen, [&] { return run_http(common, options); });
    add_named_store(http, common);
    const auto add_number = [&](const char* name, auto& number, const char* help, std::uint64_t least,
                                std::uint64_t most) {
        http.add_option(name, number, help)->check(CLI::Range(least, most))->capture_default_str();
    };
    add_number("--tasks", options.tasks, "How many executions each measurement submits or drains", 1, 100'000'000);
    add_number("--connections", options.connections, "Over how many connections executions are submitted", 1, 10'000);
    add_number("--workers", options.workers, "How many workers drain", 1, 10'000);
    add_number("--batch", options.batch, "How many executions each round of a worker asks for", 1, max_claim_count);
    add_number("--rounds", options.rounds, "How many measurements of each kind, in turns", 1, 1'000);
    add_number("--idle-polls", options.idle_polls, "How many claims wait for nothing; 0 leaves it out", 0, 100'000);
    add_number("--idle-seconds", options.idle_seconds, "How long their cost is measured", 1, 3'600);
}

int main_with(int argc, char** argv) {
    CLI::App app("Measures what FlowFabric does on a store", "ff-bench");
    app.require_subcommand(1);
    app.set_version_flag("--version", "ff-bench " FF_VERSION);

    Run chosen;
    CommonOptions common;
    DrainOptions drain;
    SubmitOptions submit;
    LatencyOptions latency;
    SuspendOptions suspend;
    FlowOptions flow;
    SubscribeOptions subscribe;
    StreamOptions stream;
    HttpOptions http;
    add_drain(app, chosen, common, drain);
    add_submit(app, chosen, common, submit);
    add_latency(app, chosen, common, latency);
    add_suspend(app, chosen, common, suspend);
    add_flow(app, chosen, common, flow);
    add_subscribe(app, chosen, common, subscribe);
    add_stream(app, chosen, common, stream);
    add_http(app, chosen, common, http);
    return cli::parse_and_run(app, argc, argv, chosen);
}

}  // namespace
}  // namespace flowfabric::bench

int main(int argc, char** argv) {
    return flowfabric::cli::guarded_main("ff-bench", flowfabric::bench::main_with, argc, argv);
}
