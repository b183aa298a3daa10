#include "engine/batching/batch.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "core/claim/admitted_claim.hpp"
#include "core/execution/creation.hpp"
#include "core/execution/transition.hpp"
#include "core/lane/lane.hpp"

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
        submissions_.insert(loaded.submissions.begin(), loaded.submissions.end());
        ends_.insert(loaded.ends.begin(), loaded.ends.end());
        members_ = std::move(loaded.members);
        adopt_rows(loaded);
        for (auto& [id, input] : loaded.inputs) {
            if (ExecutionEntry* entry = find(id)) entry->input = std::move(input);
        }
    }

    BatchDecision run() && {
        decision_.verdicts.reserve(batch_.commands.size());
        for (std::size_t i = 0; i < batch_.commands.size(); ++i) decision_.verdicts.push_back(decide_one(i));
        hand_over();
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

    // A row may be named by a command and be a claim's candidate as well: it has one entry.
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
            // What is about a submission that cannot be taken in is refused like it.
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

    // One of the rows that it asks for cannot be read.
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

    // Another transaction holds one of its executions, or what it needs to create them.
    bool is_busy(const Command& command) {
        bool busy = false;
        for (const AdmittedCreate& create : command->creations()) {
            const bool key_busy = create.idempotency && busy_keys_.contains(*create.idempotency);
            // Another engine has taken the submission in, or is about to: the answer does not depend on its row.
            const bool gone = create.submission_id && !submissions_.contains(*create.submission_id);
            busy = busy || key_busy;
            // What is about the execution waits for it to be there.
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
    LaneState lane_state(const std::string& lane_id) const override { return state_of(lane_id); }
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
        return ends_.contains(event_id) && std::ranges::find(done, event_id) == done.end();
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
            if (!lanes_changed || hands_out_work(state_of(entry.row.lane_id))) return &entry;
        }
        return nullptr;
    }

    // As changed by this batch, or as it was when the batch was routed.
    LaneState state_of(const std::string& lane_id) const {
        if (const LaneRow* lane = decision_.set.side.of<LaneRow>().find({lane_id})) return lane->lane_state;
        const auto known = batch_.lane_states.find(lane_id);
        return known == batch_.lane_states.end() ? LaneState::active : known->second;
    }

    struct Candidates {
        std::vector<std::size_t> positions;
        std::size_t next = 0;
        bool cut = false;      // others had no room
        bool partial = false;  // others may be where nobody has looked
    };

    CommandVerdict decide_claims(const Command& command, const AdmittedClaim& claim, Candidates& candidates) {
        candidates_at_hand_ = &candidates;
        auto answer = command->decide(*this, context_);
        const bool nothing = answer && answer->as<Claimed>().executions.empty() && claim.claim.max_count > 0;
        if (nothing && candidates.cut) return {.verdict = Verdict::busy};
        return {.verdict = nothing ? Verdict::empty_claim : Verdict::answered,
                .answer = std::move(answer),
                .looked_everywhere = !candidates.partial};
    }

    struct Taker {
        const AdmittedClaim* claim = nullptr;
        Claimed* taken = nullptr;
    };

    // Those who wait for work, then the batch's own claims that have found none.
    std::vector<Taker> takers() {
        std::vector<Taker> all;
        const auto add_taker = [&](const PendingCommand& pending, Claimed& taken) {
            all.push_back({pending.command->claim(), &taken});
        };
        for (std::size_t i = 0; i < batch_.waiting_claims.size(); ++i)
            add_taker(batch_.waiting_claims[i], decision_.handed_over[i]);
        for (std::size_t i = 0; i < batch_.commands.size(); ++i) {
            CommandVerdict& verdict = decision_.verdicts[i];
            if (verdict.verdict != Verdict::empty_claim) continue;
            add_taker(batch_.commands[i], verdict.answer->as<Claimed>());
        }
        return all;
    }

    // What has become claimable goes to those who want it, in claim order.
    void hand_over() {
        decision_.handed_over.resize(batch_.waiting_claims.size());
        const std::vector<Taker> all = takers();
        if (all.empty()) return;
        std::vector<ExecutionEntry*> ready;
        for (ExecutionEntry& entry : decision_.set.executions) {
            if (changed(entry) && is_waiting(entry.row) && knows_input(entry)) ready.push_back(&entry);
        }
        std::ranges::sort(ready, {}, [](const ExecutionEntry* entry) {
            return std::tuple(-std::int64_t{entry->row.priority}, entry->row.created_at_ms, entry->row.id.uuid);
        });
        for (ExecutionEntry* entry : ready) hand_over(*entry, all);
        for (CommandVerdict& verdict : decision_.verdicts) {
            const bool served =
                verdict.verdict == Verdict::empty_claim && !verdict.answer->as<Claimed>().executions.empty();
            if (served) verdict.verdict = Verdict::answered;
        }
        const auto left = [](const ExecutionEntry& entry) {
            return changed(entry) && (is_waiting(entry.row) || has_lost_lease(entry.row));
        };
        const bool all_taken = !ready.empty() && std::ranges::none_of(decision_.set.executions, left);
        if (all_taken && !decision_.set.side.of<LaneRow>().changed()) decision_.set.work_available = false;
    }

    void hand_over(ExecutionEntry& entry, const std::vector<Taker>& all) {
        if (!hands_out_work(state_of(entry.row.lane_id))) return;
        // Takers that a class has passed over have their fill, or cannot do it.
        std::size_t& i = next_taker_[entry.row.class_id];
        for (; i < all.size(); ++i) {
            const auto& [claim, taken] = all[i];
            if (taken->executions.size() >= claim->claim.max_count || !covers(claim->claim, entry.row)) continue;
            const auto n = static_cast<std::uint32_t>(taken->executions.size());
            if (auto given = decide_claim(*claim, n, entry, context_)) taken->executions.push_back(std::move(*given));
            return;
        }
    }

    static bool changed(const ExecutionEntry& entry) {
        return entry.change != RowChange::none && entry.change != RowChange::erase;
    }
    static bool covers(const Claim& claim, const ExecutionRow& row) {
        return covers_class(claim.lanes, claim.capabilities, row.lane_id, row.required_capabilities);
    }
    // What an edge brings is copied inside the store.
    bool knows_input(const ExecutionEntry& entry) const {
        return (entry.input || entry.change == RowChange::insert) &&
               std::ranges::find(decision_.set.input_copies, entry.row.id, &InputCopy::to) ==
                   decision_.set.input_copies.end();
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
    std::size_t keys_seen_ = 0;  // of those that this batch takes
    std::unordered_set<std::int64_t> submissions_;
    std::unordered_set<std::int64_t> ends_;  // of members, not dispatched yet
    std::map<FlowKey, std::vector<FlowMember>> members_;
    std::vector<Candidates> candidates_;                        // by selection
    Candidates* candidates_at_hand_ = nullptr;                  // of the claim that is being decided
    std::vector<std::size_t> selection_of_;                     // by command
    std::unordered_map<std::int32_t, std::size_t> next_taker_;  // by class
};

bool lanes_have_changed(const Batch& batch, const Loaded& loaded) {
    if (loaded.lane_revision == batch.lane_revision) return false;
    return !batch.waiting_claims.empty() || std::ranges::any_of(batch.commands, [](const PendingCommand& pending) {
        return pending.command->claim() != nullptr || !pending.command->creations().empty();
    });
}

// What becomes of executions and flows depends on settings; the rows of side tables alone do not.
bool settings_have_changed(const Batch& batch, const Loaded& loaded) {
    if (loaded.setting_revision == batch.setting_revision) return false;
    return std::ranges::any_of(batch.commands,
                               [](const PendingCommand& pending) { return !pending.command->traits().on_tables; });
}

}  // namespace

bool routes_have_changed(const Batch& batch, const Loaded& loaded) {
    return lanes_have_changed(batch, loaded) || settings_have_changed(batch, loaded);
}

bool can_release_work(const Command& command) {
    return command->traits().releases_work || !command->creations().empty();
}

// Inputs are read ahead for so many executions that a batch may release; the others take the usual way to a worker.
constexpr std::size_t max_inputs_ahead = 64;

LoadRequest load_request(const Batch& batch) {
    LoadRequest request;
    request.patient = batch.patient;
    // An execution is handed over with its input and its signals.
    const bool may_hand_over = !batch.waiting_claims.empty() || !batch.selections.empty();
    for (const PendingCommand& pending : batch.commands) {
        CommandBody& command = *pending.command;
        const auto executions = command.executions();
        request.executions.insert(request.executions.end(), executions.begin(), executions.end());
        if (may_hand_over && command.traits().releases_work) {
            request.inputs_of.insert(request.inputs_of.end(), executions.begin(), executions.end());
        }
        for (const AdmittedCreate& create : command.creations()) {
            request.creates = true;
            if (create.idempotency) request.idempotency_keys.push_back(*create.idempotency);
            if (create.submission_id) request.submissions.push_back(*create.submission_id);
        }
        command.name_rows(request);
        if (const auto flow = command.children_of()) request.flows.children_of.push_back(*flow);
    }
    const auto sort_unique = [](auto& keys) {
        std::ranges::sort(keys);
        keys.erase(std::ranges::unique(keys).begin(), keys.end());
    };
    sort_unique(request.executions);
    sort_unique(request.inputs_of);
    if (request.inputs_of.size() > max_inputs_ahead) request.inputs_of.resize(max_inputs_ahead);
    request.signals_of.insert(request.signals_of.end(), request.inputs_of.begin(), request.inputs_of.end());
    sort_unique(request.signals_of);
    sort_unique(request.idempotency_keys);
    sort(request.side);
    sort_unique(request.submissions);
    sort_unique(request.flows.members_of);
    sort_unique(request.flows.live_members_of);
    sort_unique(request.flows.children_of);
    sort_unique(request.flows.ends);
    for (const SelectionUse& use : batch.selections) request.claims.push_back(use.selection);
    return request;
}

std::vector<ExecutionId> missing_executions(const Batch& batch, const LoadRequest& request, const Loaded& loaded) {
    const std::size_t found = loaded.executions.size() + loaded.busy.size() + loaded.unreadable.size();
    const bool only_named = request.flows.children_of.empty() && request.flows.live_members_of.empty();
    if (only_named && found == request.executions.size()) return {};

    std::unordered_set<ExecutionId> known(loaded.busy.begin(), loaded.busy.end());
    for (const ExecutionRow& row : loaded.executions) known.insert(row.id);
    for (const auto& [id, damage] : loaded.unreadable) known.insert(id);
    std::vector<ExecutionId> missing;
    for (const PendingCommand& pending : batch.commands) {
        const auto creations = pending.command->creations();
        for (const AdmittedCreate& create : creations) known.insert(create.row.id);
        if (!creations.empty() || !pending.command->looks_in_inbox()) continue;
        for (const ExecutionId& id : pending.command->executions()) {
            if (known.insert(id).second) missing.push_back(id);
        }
    }
    return missing;
}

BatchDecision decide_batch(const Batch& batch, Loaded loaded, const Settings& settings) {
    return BatchWork(batch, std::move(loaded), settings).run();
}

}  // namespace flowfabric
