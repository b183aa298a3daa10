#include "engine/batching/decide_batch.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "core/claim/admitted_claim.hpp"
#include "core/execution/creation.hpp"
#include "core/lane/lane.hpp"
#include "engine/batching/hand_over.hpp"

namespace flowfabric {
namespace {

// One batch's rows while its commands are decided one after the other, each on the results of those before it.
class BatchWork : BatchRows {
  public:
    BatchWork(const Batch& batch, Loaded loaded, const Settings& settings)
        : batch_(batch), settings_(settings), context_{decision_.set, settings_} {
        decision_.set.now_ms = loaded.now_ms;
        decision_.set.settings = overridden(batch.settings, settings.overrides);
        busy_.insert(loaded.busy.begin(), loaded.busy.end());
        busy_keys_.insert(loaded.busy_keys.begin(), loaded.busy_keys.end());
        unreadable_ = std::move(loaded.unreadable);
        for (IdempotencyRow& row : loaded.idempotency) key_owners_.emplace(row.key, std::move(row));
        decision_.set.side = std::move(loaded.side);
        decision_.set.trimmed = loaded.trimmed;
        decision_.set.drawn = loaded.drawn;
        submissions_.insert(loaded.submissions.begin(), loaded.submissions.end());
        undispatched_.insert(loaded.ends.begin(), loaded.ends.end());
        members_ = std::move(loaded.members);
        adopt_rows(loaded);
        for (auto& [id, input] : loaded.inputs) {
            if (ExecutionEntry* entry = find(id)) entry->input = std::move(input);
        }
    }

    BatchDecision run() && {
        decision_.verdicts.reserve(batch_.commands.size());
        for (std::size_t i = 0; i < batch_.commands.size(); ++i) decision_.verdicts.push_back(decide_one(i));
        hand_over(batch_, *this, settings_, decision_);
        return std::move(decision_);
    }

  private:
    void adopt_rows(Loaded& loaded) {
        std::size_t upper_bound = loaded.executions.size() + batch_.commands.size();
        for (const Claimable& found : loaded.claims) upper_bound += found.rows.size();
        decision_.set.executions.reserve(upper_bound);
        positions_.reserve(upper_bound);

        for (ExecutionRow& row : loaded.executions) add({.row = std::move(row)});
        candidates_.resize(loaded.claims.size());
        for (std::size_t s = 0; s < loaded.claims.size(); ++s) {
            decision_.sights.push_back(sight_of(loaded.claims[s]));
            candidates_[s].cut = loaded.claims[s].cut;
            const ClaimSelection& selection = batch_.selections[s].selection;
            candidates_[s].partial = selection.partial || loaded.claims[s].heads.size() > selection.best_tails;
            for (ExecutionEntry& entry : loaded.claims[s].rows)
                candidates_[s].positions.push_back(add(std::move(entry)));
        }
        selection_of_.resize(batch_.commands.size());
        for (std::size_t s = 0; s < batch_.selections.size(); ++s) {
            for (const std::size_t command : batch_.selections[s].commands) selection_of_[command] = s;
        }
    }

    // A row that a command names and that is a claim's candidate as well has one entry.
    std::size_t add(ExecutionEntry entry) {
        const auto [slot, fresh] = positions_.try_emplace(entry.row.id, decision_.set.executions.size());
        if (fresh) {
            decision_.set.executions.push_back(std::move(entry));
        } else if (entry.input) {
            decision_.set.executions[slot->second].input = std::move(entry.input);
        }
        return slot->second;
    }

    CommandVerdict decide_one(std::size_t position) {
        const Command& command = batch_.commands[position].command;
        if (auto damage = damage_for(command)) {
            // Later commands about a submission that cannot be taken in are refused like it.
            for (const AdmittedCreate& create : command->creations()) {
                if (create.submission_id) unreadable_.emplace(create.row.id, damage->detail);
            }
            return {.answer = std::move(*damage)};
        }
        if (is_busy(command)) return {.verdict = Verdict::busy};
        if (const AdmittedClaim* claim = command->claim()) {
            return decide_claims(command, *claim, candidates_[selection_of_[position]]);
        }
        auto answer = command->decide(*this, context_);
        const bool wider = answer && answer->get_if<MoreRows>() != nullptr;
        return {.verdict = wider ? Verdict::wider : Verdict::answered, .answer = std::move(answer)};
    }

    // The error, if one of the rows that the command asks for cannot be read.
    std::optional<EngineError> damage_for(const Command& command) const {
        std::optional<EngineError> damage;
        const auto look_at = [&](const ExecutionId& id) {
            const auto found = unreadable_.find(id);
            if (found != unreadable_.end()) damage = corruption(id.to_string() + ": " + found->second);
        };
        if (!unreadable_.empty()) {
            for (const ExecutionId& id : command->executions()) look_at(id);
            if (const auto flow = command->children_of()) {
                for (const EdgeGroupRow& group : decision_.set.side.of<EdgeGroupRow>().rows()) {
                    if (group.flow() == *flow) look_at(group.key.execution());
                }
            }
        }
        if (!batch_.unreadable_lanes.empty()) {
            for (const AdmittedCreate& create : command->creations()) {
                if (batch_.unreadable_lanes.contains(create.row.lane_id)) {
                    damage = corruption("lane " + create.row.lane_id + " cannot be read");
                }
            }
        }
        return damage;
    }

    // Another transaction holds one of the command's executions, or what it needs to create them.
    bool is_busy(const Command& command) {
        bool busy = false;
        for (const AdmittedCreate& create : command->creations()) {
            const bool key_busy = create.idempotency && busy_keys_.contains(*create.idempotency);
            // Another engine has taken the submission in, or is about to: the answer does not depend on its row.
            const bool gone = create.submission_id && !submissions_.contains(*create.submission_id);
            busy = busy || key_busy;
            // Later commands about the execution wait until it is there.
            if (create.submission_id && (key_busy || gone) && !positions_.contains(create.row.id)) {
                busy_.insert(create.row.id);
            }
            if (gone) return busy;
        }
        for (const ExecutionId& id : command->executions()) busy = busy || busy_.contains(id);
        const auto flow = command->children_of();
        if (busy || !flow) return busy;
        return decision_.set.side.of<EdgeGroupRow>().any([&](const EdgeGroupRow& group) {
            return group.flow() == *flow && group.group_state == GroupState::pending &&
                   !positions_.contains(group.key.execution());
        });
    }

    ExecutionEntry* find(const ExecutionId& id) override {
        const auto found = positions_.find(id);
        if (found == positions_.end()) return nullptr;
        ExecutionEntry& entry = decision_.set.executions[found->second];
        return entry.change == RowChange::erase ? nullptr : &entry;
    }
    bool is_taken(const ExecutionId& id) const override { return positions_.contains(id); }
    void insert(ExecutionEntry entry) override { add(std::move(entry)); }
    // A state that this batch has changed, or else the one by which the batch was routed.
    LaneState lane_state(const std::string& lane_id) const override {
        if (const LaneRow* lane = decision_.set.side.of<LaneRow>().find({lane_id})) return lane->lane_state;
        const auto known = batch_.lane_states.find(lane_id);
        return known == batch_.lane_states.end() ? LaneState::active : known->second;
    }
    std::vector<ExecutionEntry*> held_members(const FlowKey& flow) override {
        std::vector<ExecutionEntry*> held;
        for (ExecutionEntry& entry : decision_.set.executions) {
            const bool member = entry.row.flow_id == flow.flow_id && entry.row.id.partition == flow.partition;
            if (member && entry.change != RowChange::erase) held.push_back(&entry);
        }
        return held;
    }
    const std::vector<FlowMember>& members(const FlowKey& flow) const override {
        static const std::vector<FlowMember> none;
        const auto found = members_.find(flow);
        return found == members_.end() ? none : found->second;
    }
    bool is_undispatched(std::int64_t event_id) const override {
        const auto& done = decision_.set.dispatched;
        return undispatched_.contains(event_id) && std::ranges::find(done, event_id) == done.end();
    }

    const IdempotencyRow* key_owner(const IdempotencyKey& key) override {
        const auto& taken = decision_.set.idempotency;
        for (; keys_seen_ < taken.size(); ++keys_seen_) {
            key_owners_.insert_or_assign(taken[keys_seen_].key, taken[keys_seen_]);
        }
        const auto owner = key_owners_.find(key);
        return owner == key_owners_.end() ? nullptr : &owner->second;
    }
    bool has_submission(std::int64_t submission_id) const override { return submissions_.contains(submission_id); }
    ExecutionEntry* next_candidate() override {
        const bool lanes_changed = decision_.set.side.of<LaneRow>().changed();
        while (candidates_at_hand_->next < candidates_at_hand_->positions.size()) {
            ExecutionEntry& entry =
                decision_.set.executions[candidates_at_hand_->positions[candidates_at_hand_->next++]];
            if (!lanes_changed || hands_out_work(lane_state(entry.row.lane_id))) return &entry;
        }
        return nullptr;
    }

    struct Candidates {
        std::vector<std::size_t> positions;
        std::size_t next = 0;
        bool cut = false;      // the store had more than an answer may hold
        bool partial = false;  // the selection left ranges out
    };

    CommandVerdict decide_claims(const Command& command, const AdmittedClaim& claim, Candidates& candidates) {
        candidates_at_hand_ = &candidates;
        auto answer = command->decide(*this, context_);
        const bool wider = answer && answer->get_if<MoreRows>() != nullptr;
        if (wider) return {.verdict = Verdict::wider, .answer = std::move(answer)};
        const bool looks_on = claim.claim.max_count > 0 && !claim.claim.is_withdrawn();
        const bool nothing = looks_on && answer && command->found_nothing(*answer);
        if (nothing && candidates.cut) return {.verdict = Verdict::busy};
        return {.verdict = nothing ? Verdict::empty_claim : Verdict::answered,
                .answer = std::move(answer),
                .looked_everywhere = !candidates.partial};
    }

    const Batch& batch_;
    const Settings& settings_;
    BatchDecision decision_;
    DecisionContext context_;
    std::unordered_map<ExecutionId, std::size_t> positions_;
    std::unordered_set<ExecutionId> busy_;
    std::map<ExecutionId, std::string> unreadable_;
    std::set<IdempotencyKey> busy_keys_;
    std::map<IdempotencyKey, IdempotencyRow> key_owners_;
    std::size_t keys_seen_ = 0;  // of the batch's own keys, so many are in key_owners_
    std::unordered_set<std::int64_t> submissions_;
    std::unordered_set<std::int64_t> undispatched_;  // ends of flow members, by event id
    std::map<FlowKey, std::vector<FlowMember>> members_;
    std::vector<Candidates> candidates_;        // by selection
    Candidates* candidates_at_hand_ = nullptr;  // of the claim that is being decided
    std::vector<std::size_t> selection_of_;     // by command
};

}  // namespace

BatchDecision decide_batch(const Batch& batch, Loaded loaded, const Settings& settings) {
    return BatchWork(batch, std::move(loaded), settings).run();
}

}  // namespace flowfabric
