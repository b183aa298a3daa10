#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/common_options.hpp"
#include "flowfabric/commands.hpp"
#include "flowfabric/events.hpp"
#include "flowfabric/flow.hpp"

// The commands of `ff`. Each takes its options as main.cpp parsed them, writes its answer to standard output and
// returns the exit code: 0, or 1 after a typed error on standard error. Wrong usage (2) never gets here.
namespace flowfabric::cli {

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
int run_bench(std::vector<std::string> arguments);
int run_version(bool json);

}  // namespace flowfabric::cli
