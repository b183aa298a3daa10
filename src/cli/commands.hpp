#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flowfabric/commands.hpp"
#include "flowfabric/events.hpp"
#include "flowfabric/flow.hpp"

// The commands of `ff`. Each takes its options as main.cpp parsed them, writes its answer to standard output and
// returns the exit code: 0, or 1 after a typed error on standard error. Wrong usage (2) never gets here.
namespace flowfabric::cli {

struct StoreOptions {
    std::string store;  // empty: the embedded file in the data directory
    bool migrate = true;
};

struct CommonOptions {
    StoreOptions store;
    bool json = false;
};

struct SubmitOptions {
    std::optional<std::string> id;
    std::string namespace_name = "default";
    std::string lane = "default";
    std::string kind;
    std::string payload;
    std::optional<std::string> payload_encoding;
    std::int32_t priority = 0;
    std::chrono::milliseconds delay{0};
    std::optional<std::chrono::milliseconds> deadline;
    std::string idempotency_key;
    std::optional<std::uint32_t> max_retries;
    std::optional<std::chrono::milliseconds> retry_delay;
    std::vector<std::string> capabilities;
    Tags tags;
    std::optional<std::string> policy;
    std::optional<std::string> many;  // a file of submissions, - for standard input; the others are then defaults
};

struct CancelOptions {
    std::string id;
    std::string reason;
    std::string source = CancelExecution{}.source;
};

struct LanesOptions {
    std::optional<LaneState> change_to;  // absent: list them
    std::string lane;
};

struct SettingsOptions {
    std::optional<std::string> name;  // absent: list them
    std::string value;
};

struct ListOptions {
    std::optional<std::uint16_t> partition;
    std::optional<PublicState> state;
    std::optional<std::string> after;
    std::uint32_t limit = 50;
};

struct FlowListOptions {
    std::optional<std::uint16_t> partition;
    std::optional<std::string> after;
    std::uint32_t limit = 50;
};

struct FlowCancelOptions {
    std::string id;
    CancellationPolicy policy = CancellationPolicy::cancel_all;
    std::string reason;
    std::chrono::milliseconds wait{30'000};  // 0: leaves the members to engines that run
};

struct FlowTagOptions {
    std::string id;
    std::string key;
    std::optional<std::string> value;  // absent: print it
};

struct FlowEdgesOptions {
    std::string id;
    std::string execution;
};

struct TailOptions {
    Channel channel = Channel::completion;
    std::optional<std::string> namespace_name;
    std::optional<std::uint16_t> partition;
    std::string from = "now";  // or start, or a cursor in hex
    std::optional<std::string> consumer;
};

struct ConsumersOptions {
    bool remove = false;  // otherwise list
    Channel channel = Channel::completion;
    std::string consumer;
};

struct WorkerCommandOptions {
    std::vector<std::string> lanes = {"default"};
    std::vector<std::string> capabilities;
    std::string worker_id = "ff-worker";
    std::string worker_instance_id;  // empty: host, process id and a random part
    std::uint32_t concurrency = 1;
    std::chrono::milliseconds lease_ttl{30'000};
    std::vector<std::string> command;
};

struct ServerOptions {
    std::string program = "ff";  // as it was called, for what to try next
    std::string address = "127.0.0.1";
    std::uint16_t port = 8080;
};

struct DrainOptions {
    std::uint64_t tasks = 100'000;
    std::uint32_t workers = 16;
    std::uint32_t batch = 100;
    // What the executions are spread over.
    std::uint32_t priorities = 1;
    std::uint32_t lanes = 1;
    std::uint32_t capability_sets = 1;
    bool same_set = false;  // all of them require one set, of the usual size
    // What the workers are spread over.
    std::uint32_t engines = 1;

    bool spread() const { return priorities > 1 || lanes > 1 || (capability_sets > 1 && !same_set) || engines > 1; }
};

struct SubmitBenchOptions {
    std::uint64_t tasks = 20'000;
    std::uint32_t in_flight = 64;
    std::size_t payload_bytes = 128;
};

struct LatencyBenchOptions {
    std::uint64_t samples = 200;
    std::uint32_t load_seconds = 5;
    std::string worker_of;  // a lane: the process that the bench starts beside itself as the worker
};

struct SuspendBenchOptions {
    std::uint64_t samples = 500;
};

enum class FlowShape : std::uint8_t { all, chains, fan, cancel };

struct FlowBenchOptions {
    FlowShape shape = FlowShape::all;
    std::uint64_t flows = 2'000;
    std::uint32_t length = 10;
    std::uint32_t workers = 16;
    std::uint32_t batch = 100;
    std::uint32_t width = 1'000;
    std::uint32_t members = 1'000;
    std::uint64_t samples = 30;
};

struct SubscribeBenchOptions {
    DrainOptions drain{.tasks = 20'000};  // short, so that both drains of a round meet the same machine
    std::uint32_t rounds = 9;
    std::uint64_t samples = 200;
    std::uint32_t idle_seconds = 5;
    std::uint32_t follow = 0;  // more: the process that the bench starts beside itself, with this many subscribers …
    std::string until;         // … that stop when this execution ends
};

int run_migrate(const CommonOptions& common, bool with_roles);
int run_submit(const CommonOptions& common, const SubmitOptions& options);
int run_submit_many(const CommonOptions& common, const SubmitOptions& options);
int run_cancel(const CommonOptions& common, const CancelOptions& options);
int run_get(const CommonOptions& common, const std::string& id);
int run_attempts(const CommonOptions& common, const std::string& id);
int run_explain(const CommonOptions& common, const std::string& id);
int run_list(const CommonOptions& common, const ListOptions& options);
int run_lanes(const CommonOptions& common, const LanesOptions& options);
int run_settings(const CommonOptions& common, const SettingsOptions& options);
int run_consumers(const CommonOptions& common, const ConsumersOptions& options);
int run_workers(const CommonOptions& common, const std::optional<std::string>& namespace_name);
int run_keys(const CommonOptions& common, bool reseal);
int run_doctor(const CommonOptions& common);
int run_flow_submit(const CommonOptions& common, const std::string& file);
int run_flow_show(const CommonOptions& common, const std::string& id);
int run_flow_list(const CommonOptions& common, const FlowListOptions& options);
int run_flow_cancel(const CommonOptions& common, const FlowCancelOptions& options);
int run_flow_tag(const CommonOptions& common, const FlowTagOptions& options);
int run_flow_edges(const CommonOptions& common, const FlowEdgesOptions& options);
int run_tail(const CommonOptions& common, const TailOptions& options);
int run_worker(const CommonOptions& common, const WorkerCommandOptions& options);
int run_server(const CommonOptions& common, const ServerOptions& options);
int run_bench_drain(const CommonOptions& common, const DrainOptions& options);
int run_bench_submit(const CommonOptions& common, const SubmitBenchOptions& options);
int run_bench_latency(const CommonOptions& common, const LatencyBenchOptions& options);
int run_bench_suspend(const CommonOptions& common, const SuspendBenchOptions& options);
int run_bench_flow(const CommonOptions& common, const FlowBenchOptions& options);
int run_bench_subscribe(const CommonOptions& common, const SubscribeBenchOptions& options);
int run_version(bool json);

}  // namespace flowfabric::cli
