#include <cmath>
#include <functional>

#include "bench/chains_run.hpp"
#include "bench/report.hpp"
#include "bench/scenarios.hpp"
#include "bench/single_flows.hpp"
#include "bench/support.hpp"
#include "cli/store_location.hpp"
#include "flowfabric/engine.hpp"

// How fast flows run: many chains at once, the hop from one member to the next, fans, and how soon a cancelled flow's
// members are.
namespace flowfabric::bench {
namespace {

using Duration = BenchClock::duration;

struct ChainsReport {
    ChainsRun::Times times;
    Latencies idle_hops, loaded_hops;
};

struct FanReport {
    Latencies out, in, flow;
};

struct FlowReport {
    std::string store;
    std::optional<ChainsReport> chains;
    std::optional<FanReport> fan;
    std::optional<Latencies> cancel;
};

constexpr std::uint64_t warm_up = 3;

// What `run` gives, `count` times; the first few are not counted.
template <class T>
Result<std::vector<T>> samples_of(std::uint64_t count, const std::function<Result<T>()>& run) {
    std::vector<T> samples;
    for (std::uint64_t i = 0; i < warm_up + count; ++i) {
        auto sample = run();
        if (!sample) return sample.error();
        if (i >= warm_up) samples.push_back(*std::move(sample));
    }
    return samples;
}

Result<ChainsReport> measure_chains(Engine& engine, const FlowOptions& options) {
    SingleFlows single(engine);
    const auto chains =
        samples_of<std::vector<Duration>>(options.samples, [&] { return single.run_chain(options.length); });
    if (!chains) return chains.error();
    std::vector<Duration> hops;
    for (const auto& chain : *chains) hops.insert(hops.end(), chain.begin(), chain.end());

    ChainsRun run(engine, options);
    const auto times = run.run();
    if (!times) return times.error();
    return ChainsReport{.times = *times, .idle_hops = summarise(std::move(hops)), .loaded_hops = run.hops()};
}

Result<FanReport> measure_fan(Engine& engine, const FlowOptions& options) {
    SingleFlows single(engine);
    const auto fans = samples_of<SingleFlows::Fan>(options.samples, [&] { return single.run_fan(options.width); });
    if (!fans) return fans.error();
    const auto latencies = [&](Duration SingleFlows::Fan::* part) {
        std::vector<Duration> samples;
        for (const auto& fan : *fans) samples.push_back(fan.*part);
        return summarise(std::move(samples));
    };
    return FanReport{.out = latencies(&SingleFlows::Fan::out),
                     .in = latencies(&SingleFlows::Fan::in),
                     .flow = latencies(&SingleFlows::Fan::flow)};
}

Result<Latencies> measure_cancel(Engine& engine, const FlowOptions& options) {
    SingleFlows single(engine);
    auto cancels = samples_of<Duration>(options.samples, [&] { return single.cancel_fan(options.members); });
    if (!cancels) return cancels.error();
    return summarise(*std::move(cancels));
}

bool wants(const FlowOptions& options, FlowShape shape) {
    return options.shape == FlowShape::all || options.shape == shape;
}

Result<FlowReport> measure(const StoreOptions& store, const FlowOptions& options) {
    const auto url = cli::store_url(store);
    if (!url) return url.error();
    FlowReport report{
        .store = cli::store_kind(*url), .chains = std::nullopt, .fan = std::nullopt, .cancel = std::nullopt};
    // Without the reconcilers, which would hide that something was not dispatched.
    const auto engine = cli::open_engine(store, cli::Reconcilers::off);
    if (!engine) return engine.error();
    if (wants(options, FlowShape::chains)) {
        auto chains = measure_chains(**engine, options);
        if (!chains) return chains.error();
        report.chains = *chains;
    }
    if (wants(options, FlowShape::fan)) {
        auto fan = measure_fan(**engine, options);
        if (!fan) return fan.error();
        report.fan = *fan;
    }
    if (wants(options, FlowShape::cancel)) {
        auto cancel = measure_cancel(**engine, options);
        if (!cancel) return cancel.error();
        report.cancel = *cancel;
    }
    return report;
}

struct Counted {
    std::uint64_t completed = 0;
    std::uint64_t cancelled = 0;
};

// Whatever did not end as it should has ended the benchmark.
Counted count_flows(const FlowReport& report, const FlowOptions& options) {
    const std::uint64_t single = options.samples + warm_up;
    return {.completed = (report.chains ? options.flows + single : 0) + (report.fan ? single : 0),
            .cancelled = report.cancel ? single : 0};
}

boost::json::object json_of(const ChainsReport& chains, const FlowOptions& options) {
    const auto flows = static_cast<double>(options.flows);
    return {{"flows", options.flows},
            {"length", options.length},
            {"workers", options.workers},
            {"batch", options.batch},
            {"seconds", to_thousandths(chains.times.flow_seconds)},
            {"per_second", std::llround(flows / chains.times.flow_seconds)},
            {"submit_seconds", to_thousandths(chains.times.submit_seconds)},
            {"hop_idle", json_of(chains.idle_hops)},
            {"hop_loaded", json_of(chains.loaded_hops)}};
}

boost::json::object json_of(const FlowReport& report, const FlowOptions& options) {
    const auto counted = count_flows(report, options);
    boost::json::object object{{"scenario", "flow"},
                               {"store", report.store},
                               {"samples", options.samples},
                               {"chains", nullptr},
                               {"fan", nullptr},
                               {"cancel", nullptr},
                               {"completed_flows", counted.completed},
                               {"cancelled_flows", counted.cancelled}};
    if (report.chains) object["chains"] = json_of(*report.chains, options);
    if (report.fan) {
        object["fan"] = {{"width", options.width},
                         {"out", json_of(report.fan->out)},
                         {"in", json_of(report.fan->in)},
                         {"flow", json_of(report.fan->flow)}};
    }
    if (report.cancel) {
        object["cancel"] = json_of(*report.cancel);
        object["cancel"].as_object()["members"] = options.members;
    }
    return object;
}

}  // namespace

int run_flow(const CommonOptions& common, const FlowOptions& options) {
    const auto report = measure(common.store, options);
    if (!report) return fail_with(report.error(), common.json);
    print_reports({json_of(*report, options)}, common.json);
    return 0;
}

}  // namespace flowfabric::bench
