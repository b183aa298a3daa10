#include "engine/batching/hand_over.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "core/claim/admitted_claim.hpp"
#include "core/claim/claim_request.hpp"
#include "core/claim/order.hpp"
#include "core/execution/transition.hpp"
#include "core/lane/lane.hpp"

namespace flowfabric {
namespace {

class HandOver {
  public:
    HandOver(const Batch& batch, const BatchRows& rows, const Settings& settings, BatchDecision& decision)
        : batch_(batch), rows_(rows), decision_(decision), context_{decision.set, settings} {}

    void run() && {
        decision_.handed_over.resize(batch_.waiting_claims.size());
        find_takers();
        if (takers_.empty()) return;
        const std::vector<ExecutionEntry*> ready = ready_in_claim_order();
        for (ExecutionEntry* entry : ready) give(*entry);
        for (const Taker& taker : takers_) keep_request(taker.claim->claim, *taker.taken, decision_.set);
        answer_served_claims();
        if (!ready.empty() && is_all_taken()) decision_.set.work_available = false;
    }

  private:
    // A claim that wants work, and where it is put.
    struct Taker {
        const AdmittedClaim* claim = nullptr;
        Claimed* taken = nullptr;

        bool has_room() const {
            return taken->executions.size() < claim->claim.max_count && !claim->claim.is_withdrawn();
        }
        bool covers(const ExecutionRow& row) const {
            return covers_class(claim->claim.lanes, claim->claim.capabilities, row.lane_id, row.required_capabilities);
        }
    };

    void find_takers() {
        for (std::size_t i = 0; i < batch_.waiting_claims.size(); ++i) {
            add_taker(batch_.waiting_claims[i].command->claim(), decision_.handed_over[i]);
        }
        for (std::size_t i = 0; i < batch_.commands.size(); ++i) {
            CommandVerdict& verdict = decision_.verdicts[i];
            Claimed* taken = claimed_by(verdict);
            if (taken != nullptr) add_taker(batch_.commands[i].command->claim(), *taken);
        }
    }

    // Where a claim that found nothing has its leases; null for other commands, and for those that want a grant.
    static Claimed* claimed_by(CommandVerdict& verdict) {
        return verdict.verdict == Verdict::empty_claim ? verdict.answer->get_if<Claimed>() : nullptr;
    }

    // One request takes once: a claim that repeats another looks again when that one has its answer.
    void add_taker(const AdmittedClaim* claim, Claimed& taken) {
        const auto request = request_key(claim->claim);
        const bool repeats = request && (decision_.set.side.of<ClaimRequestRow>().find(*request) != nullptr ||
                                         !requests_.insert(*request).second);
        if (!repeats) takers_.push_back({claim, &taken});
    }

    std::vector<ExecutionEntry*> ready_in_claim_order() {
        std::vector<ExecutionEntry*> ready;
        for (ExecutionEntry& entry : decision_.set.executions) {
            if (is_changed(entry) && is_waiting(entry.row) && knows_input(entry)) ready.push_back(&entry);
        }
        std::ranges::sort(ready, {}, [](const ExecutionEntry* entry) { return claim_place(entry->row); });
        return ready;
    }

    void give(ExecutionEntry& entry) {
        if (!hands_out_work(rows_.lane_state(entry.row.lane_id))) return;
        // Takers that a class has passed over have their fill, or cannot do it.
        std::size_t& i = next_taker_[entry.row.class_id];
        for (; i < takers_.size(); ++i) {
            const Taker& taker = takers_[i];
            if (!taker.has_room() || !taker.covers(entry.row)) continue;
            auto& given = taker.taken->executions;
            const auto n = static_cast<std::uint32_t>(given.size());
            if (auto claimed = decide_claim(*taker.claim, n, entry, context_)) given.push_back(std::move(*claimed));
            return;
        }
    }

    void answer_served_claims() {
        for (CommandVerdict& verdict : decision_.verdicts) {
            const Claimed* taken = claimed_by(verdict);
            if (taken != nullptr && !taken->executions.empty()) verdict.verdict = Verdict::answered;
        }
    }

    // A lane that has changed may have released work that the batch has not loaded. What is asked of a worker its
    // claims are to see wherever they wait.
    bool is_all_taken() const {
        const auto is_left = [](const ExecutionEntry& entry) {
            return is_changed(entry) && (is_waiting(entry.row) || has_lost_lease(entry.row));
        };
        return std::ranges::none_of(decision_.set.executions, is_left) && !decision_.set.side.of<LaneRow>().changed() &&
               !decision_.set.side.of<WorkerModeRow>().changed();
    }

    static bool is_changed(const ExecutionEntry& entry) {
        return entry.change != RowChange::none && entry.change != RowChange::erase;
    }
    // An input that an edge brings is copied inside the store.
    bool knows_input(const ExecutionEntry& entry) const {
        return (entry.input || entry.change == RowChange::insert) &&
               std::ranges::find(decision_.set.input_copies, entry.row.id, &InputCopy::to) ==
                   decision_.set.input_copies.end();
    }

    const Batch& batch_;
    const BatchRows& rows_;
    BatchDecision& decision_;
    DecisionContext context_;
    std::vector<Taker> takers_;
    std::set<ClaimRequestKey> requests_;                        // of the takers
    std::unordered_map<std::int32_t, std::size_t> next_taker_;  // by class
};

}  // namespace

void hand_over(const Batch& batch, const BatchRows& rows, const Settings& settings, BatchDecision& decision) {
    HandOver(batch, rows, settings, decision).run();
}

}  // namespace flowfabric
