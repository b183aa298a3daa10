#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "cli/common_options.hpp"

// The scenarios of `ff-bench`. Each takes its options as main.cpp parsed them, writes its report to standard output and
// returns the exit code, as the commands of `ff` do.
namespace flowfabric::bench {

using cli::CommonOptions;
using cli::StoreOptions;

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

struct SubmitOptions {
    std::uint64_t tasks = 20'000;
    std::uint32_t in_flight = 64;
    std::size_t payload_bytes = 128;
};

struct LatencyOptions {
    std::uint64_t samples = 200;
    std::uint32_t load_seconds = 5;
    std::string worker_of;  // a lane: the process that the bench starts beside itself as the worker
};

struct SuspendOptions {
    std::uint64_t samples = 500;
};

enum class FlowShape : std::uint8_t { all, chains, fan, cancel };

struct FlowOptions {
    FlowShape shape = FlowShape::all;
    std::uint64_t flows = 2'000;
    std::uint32_t length = 10;
    std::uint32_t workers = 16;
    std::uint32_t batch = 100;
    std::uint32_t width = 1'000;
    std::uint32_t members = 1'000;
    std::uint64_t samples = 30;
};

struct SubscribeOptions {
    DrainOptions drain{.tasks = 20'000};  // short, so that both drains of a round meet the same machine
    std::uint32_t rounds = 9;
    std::uint64_t samples = 200;
    std::uint32_t idle_seconds = 5;
    std::uint32_t follow = 0;  // not 0: this is the child process of a bench, with as many subscribers
    std::string until;         // in the child process: the execution at whose end they stop
};

struct StreamOptions {
    std::uint64_t frames = 10'000;
    std::uint64_t samples = 500;
    std::size_t payload_bytes = 128;
};

struct HttpOptions {
    std::uint64_t tasks = 20'000;
    std::uint32_t connections = 64;
    std::uint32_t workers = 8;
    std::uint32_t batch = 100;
    std::uint32_t rounds = 5;
    std::uint32_t idle_polls = 2'000;
    std::uint32_t idle_seconds = 5;
};

int run_drain(const CommonOptions& common, const DrainOptions& options);
int run_submit(const CommonOptions& common, const SubmitOptions& options);
int run_latency(const CommonOptions& common, const LatencyOptions& options);
int run_suspend(const CommonOptions& common, const SuspendOptions& options);
int run_flow(const CommonOptions& common, const FlowOptions& options);
int run_subscribe(const CommonOptions& common, const SubscribeOptions& options);
int run_stream(const CommonOptions& common, const StreamOptions& options);
int run_http(const CommonOptions& common, const HttpOptions& options);

}  // namespace flowfabric::bench
