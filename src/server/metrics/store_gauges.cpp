#include "server/metrics/store_gauges.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <prometheus/gauge.h>

#include "flowfabric/read_all.hpp"

namespace flowfabric::server {
namespace {

using prometheus::Family;
using prometheus::Gauge;

Family<Gauge>& gauges(Metrics& metrics, const char* name, const char* help) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(metrics.all());
}

class StoreGauges {
  public:
    StoreGauges(Metrics& metrics, Engine& engine, std::shared_ptr<LaneNames> names)
        : engine_(engine),
          names_(std::move(names)),
          depth_(gauges(metrics, "ff_queue_depth", "Executions by lane and public state")),
          age_(gauges(metrics, "ff_oldest_eligible_age_seconds",
                      "Age of the oldest execution that a worker could claim; 0 if there is none")),
          suspended_(
              gauges(metrics, "ff_suspended_executions", "Executions that wait for a signal or an operator").Add({})),
          workers_(gauges(metrics, "ff_workers", "Worker processes that are registered and alive").Add({})),
          lag_(gauges(metrics, "ff_scanner_lag_seconds",
                      "For how long the oldest row had been due at a reconciler's last look")),
          readers_(gauges(metrics, "ff_store_readers_in_use", "Connections on which reads are under way").Add({})),
          waiting_(gauges(metrics, "ff_store_readers_waiting", "Reads that wait for a connection").Add({})),
          tails_(gauges(metrics, "ff_stream_tails", "Calls that wait for frames of a stream").Add({})),
          readable_(gauges(metrics, "ff_store_readable",
                           "Whether this scrape could read the store; if not, what is in "
                           "the store is as it was at the last one that could")
                        .Add({})) {}

    void look() {
        const ReaderUse use = engine_.reader_use();
        readers_.Set(static_cast<double>(use.in_use));
        waiting_.Set(static_cast<double>(use.waiting));
        tails_.Set(static_cast<double>(engine_.waiting_tails()));
        const bool read = look_at_lanes() && count_workers();
        readable_.Set(read ? 1 : 0);
        for (const ReconcilerView& reconciler : engine_.list_reconcilers()) {
            lag_.Add({{"scanner", reconciler.name}}).Set(static_cast<double>(reconciler.lag_ms) / 1000);
        }
    }

  private:
    // The lanes that have a name, and one line for the rest.
    bool look_at_lanes() {
        const auto first = engine_.read(ReadStatistics{.limit = LaneNames::most});
        if (!first) return false;
        for (const LaneStatistics& lane : first->lanes) names_->name_of(lane.lane_id);
        StateCounts rest = first->depth;
        for (const std::string& name : names_->named()) {
            const auto of_lane = engine_.read(ReadStatistics{.lane_id = name});
            if (!of_lane) return false;
            for (const LaneStatistics& lane : of_lane->lanes) {
                show(lane, of_lane->as_of_ms);
                StateCounts::fields([&](auto&&, auto member, auto&&...) { rest.*member -= lane.depth.*member; });
            }
        }
        if (names_->named().size() == LaneNames::most) show_depth("other", rest);
        suspended_.Set(static_cast<double>(first->depth.suspended));
        return true;
    }

    void show(const LaneStatistics& lane, std::int64_t now_ms) {
        show_depth(lane.lane_id, lane.depth);
        const std::int64_t since = std::min(lane.oldest_eligible_at_ms.value_or(now_ms), now_ms);
        age_.Add({{"lane", lane.lane_id}}).Set(static_cast<double>(now_ms - since) / 1000);
    }

    // The reads of the lanes are not of one moment.
    void show_depth(const std::string& lane, const StateCounts& counts) {
        StateCounts::fields([&](std::string_view state, auto member, auto&&...) {
            const auto count = std::max<std::int64_t>(counts.*member, 0);
            depth_.Add({{"lane", lane}, {"state", std::string(state)}}).Set(static_cast<double>(count));
        });
    }

    bool count_workers() {
        const auto workers = read_all(engine_, ListWorkers{}, &WorkerPage::workers);
        if (!workers) return false;
        workers_.Set(static_cast<double>(workers->size()));
        return true;
    }

    Engine& engine_;
    std::shared_ptr<LaneNames> names_;
    Family<Gauge>& depth_;
    Family<Gauge>& age_;
    Gauge& suspended_;
    Gauge& workers_;
    Family<Gauge>& lag_;
    Gauge& readers_;
    Gauge& waiting_;
    Gauge& tails_;
    Gauge& readable_;
};

}  // namespace

void add_store_gauges(Metrics& metrics, Engine& engine, std::shared_ptr<LaneNames> lanes) {
    metrics.before_scrape(
        [gauges = std::make_shared<StoreGauges>(metrics, engine, std::move(lanes))] { gauges->look(); });
}

}  // namespace flowfabric::server
