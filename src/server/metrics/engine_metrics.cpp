#include "server/metrics/engine_metrics.hpp"

#include <chrono>
#include <utility>

namespace flowfabric::server {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Histogram;

Family<Counter>& counter(Metrics& metrics, const char* name, const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(metrics.all());
}

Family<Histogram>& histogram(Metrics& metrics, const char* name, const char* help) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(metrics.all());
}

double seconds(std::chrono::milliseconds duration) {
    return std::chrono::duration<double>(duration).count();
}

void add(Counter& counter, std::uint64_t count) {
    if (count > 0) counter.Increment(static_cast<double>(count));
}

void add(Counter& counter, std::int64_t count) {
    add(counter, static_cast<std::uint64_t>(count));
}

}  // namespace

EngineMetrics::EngineMetrics(Metrics& metrics, std::shared_ptr<LaneNames> lanes)
    : names_(std::move(lanes)),
      created_(counter(metrics, "ff_executions_created_total", "Executions that were created")),
      claimed_(counter(metrics, "ff_executions_claimed_total", "Leases that were given out")),
      ended_(counter(metrics, "ff_executions_ended_total", "Executions that ended, by their outcome")),
      retries_(counter(metrics, "ff_retries_total", "Failed attempts that another one follows")),
      lease_expiries_(counter(metrics, "ff_lease_expiries_total", "Leases that ran out")),
      reclaims_(counter(metrics, "ff_reclaims_total", "Lost leases that another worker took over")),
      attempts_(counter(metrics, "ff_attempt_outcome_total", "Attempts that ended")),
      waited_(histogram(metrics, "ff_claim_to_start_seconds", "From when it could be claimed to its lease")),
      lived_(histogram(metrics, "ff_execution_duration_seconds", "From an execution's creation to its end")),
      claims_(histogram(metrics, "ff_claim_from_grant_duration_seconds", "Transactions that gave out leases")),
      renewals_(counter(metrics, "ff_lease_renewal_total", "Renewals that were asked for")),
      groups_(counter(metrics, "ff_edge_group_policy_total", "Edge groups that came to be")),
      sibling_cancels_(counter(metrics, "ff_sibling_cancel_dispatched_total",
                               "Upstream executions that decided groups no longer need")),
      siblings_(counter(metrics, "ff_sibling_cancel_disposition_total", "What became of them")),
      sibling_drains_(counter(metrics, "ff_sibling_cancel_reconcile_total",
                              "Notes of decided groups that were worked off, by what was left")),
      budget_hits_(counter(metrics, "ff_budget_hit_total", "Reports of usage that a hard limit refused")),
      frames_(counter(metrics, "ff_stream_frames_total", "Frames that were appended to streams")),
      cycles_(counter(metrics, "ff_scanner_cycle_total", "Looks of reconcilers for what is due")),
      cycle_durations_(histogram(metrics, "ff_scanner_cycle_duration_seconds", "How long these looks take")),
      transactions_(histogram(metrics, "ff_transaction_duration_seconds", "Batches, from load to commit")
                        .Add({}, Metrics::seconds())),
      contentions_(counter(metrics, "ff_transaction_retries_total", "Batches that ran again by contention").Add({})) {
    for (const char* outcome : {"ok", "error"}) renewals_.Add({{"outcome", outcome}});
    for (const std::string_view policy : enum_names<GroupKind>) groups_.Add({{"policy", std::string(policy)}});
    for (const char* reason : {"sibling_quorum_satisfied", "sibling_quorum_impossible"}) {
        sibling_cancels_.Add({{"reason", reason}});
    }
    for (const char* disposition : {"cancelled", "already_terminal", "not_found"}) {
        siblings_.Add({{"disposition", disposition}});
    }
    for (const char* action : {"completed_drain", "sremmed_stale", "no_op"}) sibling_drains_.Add({{"action", action}});
    for (const std::string_view mode : enum_names<FrameMode>) frames_.Add({{"mode", std::string(mode)}});
}

void EngineMetrics::on_batch(const ObservedBatch& batch) {
    add(renewals_.Add({{"outcome", "ok"}}), batch.renewed);
    add(renewals_.Add({{"outcome", "error"}}), batch.not_renewed);
    if (!batch.committed) return;
    transactions_.Observe(seconds(batch.took));
    for (const auto& [policy, count] : batch.groups) {
        add(groups_.Add({{"policy", std::string(to_string(policy))}}), count);
    }
    for (const auto& [mode, count] : batch.frames) add(frames_.Add({{"mode", std::string(to_string(mode))}}), count);
    for (const auto& [reason, count] : batch.sibling_cancels) add(sibling_cancels_.Add({{"reason", reason}}), count);
    for (const auto& [disposition, count] : batch.siblings) add(siblings_.Add({{"disposition", disposition}}), count);
    for (const auto& [action, count] : batch.sibling_drains) add(sibling_drains_.Add({{"action", action}}), count);
    for (const auto& [dimension, count] : batch.budget_hits) {
        add(budget_hits_.Add({{"dimension", dimensions_.name_of(dimension)}}), count);
    }
    for (const ObservedLane& lane : batch.lanes) count_lane(lane, seconds(batch.took));
}

void EngineMetrics::count_lane(const ObservedLane& observed, double took_seconds) {
    const std::lock_guard lock(mutex_);
    Lane& lane = lane_of(observed.lane_id);
    const LaneTotals& totals = observed.totals;
    add(*lane.created, totals.created);
    add(*lane.claimed, totals.claimed);
    add(*lane.retries, totals.retries);
    add(*lane.lease_expiries, totals.lease_expiries);
    add(*lane.reclaims, totals.reclaims);
    const std::array ends{totals.ended_success, totals.ended_failed, totals.ended_cancelled, totals.ended_expired,
                          totals.ended_skipped};
    for (std::size_t i = 0; i < ends.size(); ++i) add(*lane.ended[i], ends[i]);
    for (const auto& [end, count] : observed.attempts) add(*lane.attempts[static_cast<std::size_t>(end)], count);
    for (const auto waited : observed.waited) {
        lane.waited->Observe(seconds(waited));
        lane.claim->Observe(took_seconds);
    }
    for (const auto lived : observed.lived) lane.lived->Observe(seconds(lived));
}

EngineMetrics::Lane& EngineMetrics::lane_of(const std::string& lane_id) {
    const std::string name = names_->name_of(lane_id);
    const auto known = lanes_.find(name);
    return known == lanes_.end() ? lanes_.emplace(name, make_lane(name)).first->second : known->second;
}

EngineMetrics::Lane EngineMetrics::make_lane(const std::string& name) {
    const prometheus::Labels of_lane{{"lane", name}};
    const auto with = [&](const char* label, std::string_view value) {
        return prometheus::Labels{{"lane", name}, {label, std::string(value)}};
    };
    Lane lane;
    for (std::size_t i = 0; i < lane.attempts.size(); ++i) {
        lane.attempts[i] = &attempts_.Add(with("outcome", enum_names<AttemptEnd>[i]));
    }
    constexpr std::array outcomes{TerminalOutcome::success, TerminalOutcome::failed, TerminalOutcome::cancelled,
                                  TerminalOutcome::expired, TerminalOutcome::skipped};
    for (std::size_t i = 0; i < lane.ended.size(); ++i) {
        lane.ended[i] = &ended_.Add(with("outcome", to_string(outcomes[i])));
    }
    lane.created = &created_.Add(of_lane);
    lane.claimed = &claimed_.Add(of_lane);
    lane.retries = &retries_.Add(of_lane);
    lane.lease_expiries = &lease_expiries_.Add(of_lane);
    lane.reclaims = &reclaims_.Add(of_lane);
    lane.waited = &waited_.Add(of_lane, Metrics::seconds());
    lane.lived = &lived_.Add(of_lane, Metrics::seconds());
    lane.claim = &claims_.Add(of_lane, Metrics::seconds());
    return lane;
}

void EngineMetrics::on_reconciler(std::string_view name, std::chrono::microseconds took, bool succeeded) {
    const std::string scanner(name);
    cycles_.Add({{"scanner", scanner}, {"outcome", succeeded ? "ok" : "error"}}).Increment();
    cycle_durations_.Add({{"scanner", scanner}}, Metrics::seconds())
        .Observe(std::chrono::duration<double>(took).count());
}

}  // namespace flowfabric::server
