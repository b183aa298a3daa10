#include "engine/batching/batch.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "core/command/decisions.hpp"
#include "core/execution/transition.hpp"

namespace flowfabric {
namespace {

// The flow whose waiting members the command decides on.
std::optional<FlowKey> children_of(const Command& command) {
    return std::visit(
        [](const auto& c) -> std::optional<FlowKey> {
            if constexpr (requires { c.children_of(); }) return c.children_of();
            return std::nullopt;
        },
        command);
}

// The execution that the command claims by name.
std::optional<ExecutionId> taken_by(const Command& command) {
    return std::visit(
        [](const auto& c) -> std::optional<ExecutionId> {
            if constexpr (requires { c.takes(); }) return c.takes();
            return std::nullopt;
        },
        command);
}

// It can make an execution claimable that exists already.
bool can_release(const Command& command) {
    return std::visit(
        []<class C>(const C&) {
            return std::same_as<C, AdmittedSignal> || std::same_as<C, AdmittedResume> ||
                   std::same_as<C, PromoteDelayed> || std::same_as<C, TimeOutSuspension> ||
                   std::same_as<C, ResolveEdges>;
        },
        command);
}

template <class C>
concept OnManyRows =
    requires(const C& command, BatchRows& rows, DecisionContext& context) { decide(command, rows, context); };

template <class C>
concept OnSideTables = requires(const C& command, DecisionContext& context) { decide(command, context); };

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
        const auto* create = std::get_if<AdmittedCreate>(&command);
        if (auto damage = damage_for(command)) {
            // What is about a submission that cannot be taken in is refused like it.
            if (create != nullptr && create->submission_id) unreadable_.emplace(create->row.id, damage->detail);
            return {.answer = std::move(*damage)};
        }
        if (create != nullptr) return decide_creation(*create);
        if (const auto* claim = std::get_if<AdmittedClaim>(&command)) {
            return decide_claims(*claim, candidates_[selection_of_[position]]);
        }
        const auto subject = subject_of(command);
        if (is_busy(command)) return {.verdict = Verdict::busy};
        if (!subject || takes_many_rows(command)) return decide_on_tables(command);
        const ExecutionId& id = *subject;
        const auto found = positions_.find(id);
        if (found == positions_.end()) return {.answer = decide_missing(command, id)};
        ExecutionEntry& entry = decision_.set.executions[found->second];
        if (entry.change == RowChange::erase) return {.answer = decide_missing(command, id)};
        return verdict_of(std::visit(
            [&](const auto& c) -> Result<Answer> {
                if constexpr (requires { decide(c, entry, context_); }) {
                    return decide(c, entry, context_);
                } else {
                    return EngineError{.kind = ErrorKind::internal, .detail = "not a command on one row"};
                }
            },
            command));
    }

    static CommandVerdict verdict_of(Result<Answer> answer) {
        const bool wider = answer && std::holds_alternative<MoreRows>(*answer);
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
            each_execution(command, look_at);
            if (const auto flow = children_of(command)) {
                for (const EdgeGroupRow& group : decision_.set.side.of<EdgeGroupRow>().rows()) {
                    if (group.flow() == *flow) look_at(group.key.execution());
                }
            }
        }
        if (!batch_.unreadable_lanes.empty()) {
            each_create(command, [&](const AdmittedCreate& create) {
                if (batch_.unreadable_lanes.contains(create.row.lane_id)) {
                    damage = corruption("lane " + create.row.lane_id + " cannot be read");
                }
            });
        }
        return damage;
    }

    // One of its executions is held by another transaction.
    bool is_busy(const Command& command) {
        bool busy = false;
        each_execution(command, [&](const ExecutionId& id) { busy = busy || busy_.contains(id); });
        const auto flow = children_of(command);
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

    static bool takes_many_rows(const Command& command) {
        return std::visit([]<class C>(const C&) { return OnManyRows<C>; }, command);
    }

    CommandVerdict decide_on_tables(const Command& command) {
        BatchRows& rows = *this;
        return verdict_of(std::visit(
            [&](const auto& c) -> Result<Answer> {
                if constexpr (OnSideTables<std::decay_t<decltype(c)>>) {
                    return decide(c, context_);
                } else if constexpr (OnManyRows<std::decay_t<decltype(c)>>) {
                    return decide(c, rows, context_);
                } else {
                    return EngineError{.kind = ErrorKind::internal, .detail = "not a command on side tables"};
                }
            },
            command));
    }

    CommandVerdict decide_creation(const AdmittedCreate& create) {
        const bool key_busy = create.idempotency && busy_keys_.contains(*create.idempotency);
        // Another engine has taken the submission in, or is about to.
        const bool gone = create.submission_id && !submissions_.contains(*create.submission_id);
        // What is about the execution waits for it to be there.
        if (create.submission_id && (key_busy || gone) && !positions_.contains(create.row.id)) {
            busy_.insert(create.row.id);
        }
        if (key_busy || (!gone && busy_.contains(create.row.id))) return {.verdict = Verdict::busy};
        if (gone) {
            return {.answer = Answer{Created{.execution_id = create.row.id, .duplicate = true}}};
        }
        CreateFacts facts{.lane_state = state_of(create.row.lane_id)};
        if (create.idempotency) {
            const auto owner = key_owners_.find(*create.idempotency);
            if (owner != key_owners_.end()) facts.key_owner = &owner->second;
        }
        if (const auto existing = positions_.find(create.row.id); existing != positions_.end()) {
            facts.existing = &decision_.set.executions[existing->second].row;
        }
        const std::size_t keys = decision_.set.idempotency.size();
        auto created = decide_create(create, facts, context_);
        if (!created) return {.answer = created.error()};
        if (created->inserted) add(std::move(*created->inserted));
        if (decision_.set.idempotency.size() > keys) {
            key_owners_.insert_or_assign(*create.idempotency, decision_.set.idempotency.back());
        }
        if (create.submission_id) decision_.set.submissions.push_back(*create.submission_id);
        return {.answer = Answer{created->answer}};
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

    CommandVerdict decide_claims(const AdmittedClaim& command, Candidates& candidates) {
        Claimed claimed;
        const bool lanes_changed = decision_.set.side.of<LaneRow>().changed();
        while (claimed.executions.size() < command.claim.max_count && candidates.next < candidates.positions.size()) {
            ExecutionEntry& entry = decision_.set.executions[candidates.positions[candidates.next++]];
            const auto n = static_cast<std::uint32_t>(claimed.executions.size());
            if (lanes_changed && !hands_out_work(state_of(entry.row.lane_id))) continue;
            if (auto taken = decide_claim(command, n, entry, context_)) claimed.executions.push_back(std::move(*taken));
        }
        const bool nothing = claimed.executions.empty() && command.claim.max_count > 0;
        if (nothing && candidates.cut) return {.verdict = Verdict::busy};
        return {.verdict = nothing ? Verdict::empty_claim : Verdict::answered,
                .answer = Answer{std::move(claimed)},
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
            all.push_back({&std::get<AdmittedClaim>(pending.command), &taken});
        };
        for (std::size_t i = 0; i < batch_.riders.size(); ++i) add_taker(batch_.riders[i], decision_.handed_over[i]);
        for (std::size_t i = 0; i < batch_.commands.size(); ++i) {
            CommandVerdict& verdict = decision_.verdicts[i];
            if (verdict.verdict != Verdict::empty_claim) continue;
            add_taker(batch_.commands[i], std::get<Claimed>(*verdict.answer));
        }
        return all;
    }

    // What has become claimable goes to those who want it, in claim order.
    void hand_over() {
        decision_.handed_over.resize(batch_.riders.size());
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
                verdict.verdict == Verdict::empty_claim && !std::get<Claimed>(*verdict.answer).executions.empty();
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
    std::unordered_set<std::int64_t> submissions_;
    std::unordered_set<std::int64_t> ends_;  // of members, not dispatched yet
    std::map<FlowKey, std::vector<FlowMember>> members_;
    std::vector<Candidates> candidates_;                        // by selection
    std::vector<std::size_t> selection_of_;                     // by command
    std::unordered_map<std::int32_t, std::size_t> next_taker_;  // by class
};

void name_side_rows(const Command& command, SideRowsWanted& wanted) {
    std::visit(
        [&](const auto& c) {
            if constexpr (requires { c.needs(wanted); }) c.needs(wanted);
        },
        command);
}

void name_flow_rows(const Command& command, LoadRequest& request) {
    std::visit(
        [&](const auto& c) {
            if constexpr (requires { c.members_of(); }) request.flows.members_of.push_back(c.members_of());
            if constexpr (requires { c.live_members_of(); }) {
                if (const auto flow = c.live_members_of()) {
                    request.flows.live_members_of.push_back(*flow);
                    request.flows.live_members = std::max(request.flows.live_members, c.members_at_once);
                }
            }
            if constexpr (requires {
                              c.event_id;
                              c.edges;
                          })
                request.flows.ends.push_back(c.event_id);
        },
        command);
}

bool lanes_have_changed(const Batch& batch, const Loaded& loaded) {
    if (loaded.lane_revision == batch.lane_revision) return false;
    return !batch.riders.empty() || std::ranges::any_of(batch.commands, [](const PendingCommand& pending) {
        return std::holds_alternative<AdmittedClaim>(pending.command) ||
               std::holds_alternative<AdmittedCreate>(pending.command) ||
               std::holds_alternative<AdmittedGraph>(pending.command);
    });
}

// What becomes of executions and flows depends on settings; the rows of side tables alone do not.
bool settings_have_changed(const Batch& batch, const Loaded& loaded) {
    if (loaded.setting_revision == batch.setting_revision) return false;
    return std::ranges::any_of(batch.commands, [](const PendingCommand& pending) {
        return !std::visit([]<class C>(const C&) { return OnSideTables<C>; }, pending.command);
    });
}

}  // namespace

bool routes_have_changed(const Batch& batch, const Loaded& loaded) {
    return lanes_have_changed(batch, loaded) || settings_have_changed(batch, loaded);
}

bool can_release_work(const Command& command) {
    bool creates = false;
    each_create(command, [&](const AdmittedCreate&) { creates = true; });
    return creates || can_release(command);
}

// Inputs are read ahead for so many executions that a batch may release; the others take the usual way to a worker.
constexpr std::size_t max_inputs_ahead = 64;

LoadRequest load_request(const Batch& batch) {
    LoadRequest request;
    request.patient = batch.patient;
    // Whoever may be handed an execution is handed its input and its signals as well.
    const bool may_hand_over = !batch.riders.empty() || !batch.selections.empty();
    for (const PendingCommand& pending : batch.commands) {
        const auto* single = std::get_if<AdmittedCreate>(&pending.command);
        const bool can_exist = single == nullptr || !single->minted;
        if (can_exist) {
            each_execution(pending.command, [&](const ExecutionId& id) { request.executions.push_back(id); });
        }
        if (may_hand_over && can_release(pending.command)) {
            each_execution(pending.command, [&](const ExecutionId& id) { request.inputs_of.push_back(id); });
        }
        if (const auto taken = taken_by(pending.command)) request.signals_of.push_back(*taken);
        each_create(pending.command, [&](const AdmittedCreate& create) {
            request.creates = true;
            if (create.idempotency) request.idempotency_keys.push_back(*create.idempotency);
            if (create.submission_id) request.submissions.push_back(*create.submission_id);
        });
        name_side_rows(pending.command, request.side);
        name_flow_rows(pending.command, request);
        if (const auto flow = children_of(pending.command)) request.flows.children_of.push_back(*flow);
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
    request.side.each([&](auto& rows) {
        sort_unique(rows.keys);
        sort_unique(rows.owners);
        sort_unique(rows.flows);
        sort_unique(rows.groups);
        sort_unique(rows.sources);
    });
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
        bool creates = false;
        each_create(pending.command, [&](const AdmittedCreate& create) {
            known.insert(create.row.id);
            creates = true;
        });
        // Nobody holds a token of an execution that is not there yet: a forged one is refused without a look.
        const auto* signal = std::get_if<AdmittedSignal>(&pending.command);
        const bool by_token = signal != nullptr && !signal->by_operator;
        if (creates || by_token || traits_of(pending.command).by_timer) continue;
        each_execution(pending.command, [&](const ExecutionId& id) {
            if (known.insert(id).second) missing.push_back(id);
        });
    }
    return missing;
}

BatchDecision decide_batch(const Batch& batch, Loaded loaded, const Settings& settings) {
    return BatchWork(batch, std::move(loaded), settings).run();
}

}  // namespace flowfabric
