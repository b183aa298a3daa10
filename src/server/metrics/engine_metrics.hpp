#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <prometheus/counter.h>
#include <prometheus/histogram.h>

#include "flowfabric/observer.hpp"
#include "server/metrics/lane_names.hpp"
#include "server/metrics/registry.hpp"

namespace flowfabric::server {

// Counts what this process's engine has committed.
//
// Created before the engine, which tells it of its work from its writers' threads; the metrics outlive both.
class EngineMetrics final : public EngineObserver {
  public:
    EngineMetrics(Metrics& metrics, std::shared_ptr<LaneNames> lanes);

    void on_batch(const ObservedBatch& batch) override;
    void on_contention() override { contentions_.Increment(); }
    void on_reconciler(std::string_view name, std::chrono::microseconds took, bool succeeded) override;

  private:
    // Of one lane, or of all those that have no name of their own.
    struct Lane {
        std::array<prometheus::Counter*, enum_names<AttemptEnd>.size()> attempts{};  // by AttemptEnd
        std::array<prometheus::Counter*, 5> ended{};                                 // by outcome
        prometheus::Counter* created = nullptr;
        prometheus::Counter* claimed = nullptr;
        prometheus::Counter* retries = nullptr;
        prometheus::Counter* lease_expiries = nullptr;
        prometheus::Counter* reclaims = nullptr;
        prometheus::Histogram* waited = nullptr;
        prometheus::Histogram* lived = nullptr;
        prometheus::Histogram* claim = nullptr;
    };

    Lane& lane_of(const std::string& lane_id);
    Lane make_lane(const std::string& name);
    void count_lane(const ObservedLane& observed, double took_seconds);

    std::shared_ptr<LaneNames> names_;
    LaneNames dimensions_;  // of budgets: the same rule
    prometheus::Family<prometheus::Counter>& created_;
    prometheus::Family<prometheus::Counter>& claimed_;
    prometheus::Family<prometheus::Counter>& ended_;
    prometheus::Family<prometheus::Counter>& retries_;
    prometheus::Family<prometheus::Counter>& lease_expiries_;
    prometheus::Family<prometheus::Counter>& reclaims_;
    prometheus::Family<prometheus::Counter>& attempts_;
    prometheus::Family<prometheus::Histogram>& waited_;
    prometheus::Family<prometheus::Histogram>& lived_;
    prometheus::Family<prometheus::Histogram>& claims_;
    prometheus::Family<prometheus::Counter>& renewals_;
    prometheus::Family<prometheus::Counter>& groups_;
    prometheus::Family<prometheus::Counter>& sibling_cancels_;
    prometheus::Family<prometheus::Counter>& siblings_;
    prometheus::Family<prometheus::Counter>& sibling_drains_;
    prometheus::Family<prometheus::Counter>& budget_hits_;
    prometheus::Family<prometheus::Counter>& frames_;
    prometheus::Family<prometheus::Counter>& cycles_;
    prometheus::Family<prometheus::Histogram>& cycle_durations_;
    prometheus::Histogram& transactions_;
    prometheus::Counter& contentions_;

    std::mutex mutex_;                   // guards everything below
    std::map<std::string, Lane> lanes_;  // by the name that they go by
};

}  // namespace flowfabric::server
