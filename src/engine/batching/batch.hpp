#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/command/command.hpp"
#include "engine/claims/claim_directory.hpp"
#include "store/port.hpp"

// A batch on its way through load, decide and save, and what is decided for it. The batcher forms batches and takes
// them back; a runtime moves them in between.
namespace flowfabric {

using CommandId = std::uint64_t;
using SteadyMs = std::int64_t;  // milliseconds on the runtime's steady clock; the engine reads no clock itself

struct PendingCommand {
    CommandId id = 0;  // 0: its answer is not waited for
    Command command;
    SteadyMs deadline = 0;
    SteadyMs wait_until = 0;  // a claim may wait for work until then
    std::uint32_t rows = 1;   // how many rows it may touch
    std::size_t bytes = 0;    // of the command, with what its caller put into it
    std::uint8_t busy_rounds = 0;
    std::uint8_t partial_looks = 0;  // of a claim, without a find: each went to part of the ranges
    bool second_look = false;        // a claim that found nothing: fresh classes, full scan
};

// Claims that cover the same classes share one selection.
struct SelectionUse {
    ClaimSelection selection;
    std::vector<std::size_t> commands;  // positions in the batch
};

struct Batch {
    std::vector<PendingCommand> commands;  // in order of arrival
    // What the batch makes claimable is handed to them in the same transaction.
    std::deque<PendingCommand> waiting_claims;
    bool patient = false;
    std::uint8_t tries = 0;             // contention so far
    std::uint8_t outages = 0;           // connection faults so far
    bool alone = false;                 // one command that stays apart from others until it is done
    std::uint64_t work_generation = 0;  // wake-ups seen when it was formed

    std::vector<SelectionUse> selections;
    std::map<std::string, LaneState> lane_states;  // of lanes that are not simply active, at lane_revision
    std::set<std::string> unreadable_lanes;        // nothing may be created on them
    std::int64_t lane_revision = -1;
    StoreSettings settings;  // at setting_revision
    std::int64_t setting_revision = -1;
    ClaimDirectory::Moment routed_at;
    SteadyMs started_at = 0;
};

enum class Verdict : std::uint8_t {
    answered,
    busy,         // its row is held by another transaction, or earlier claims have filled the answer
    empty_claim,  // a claim that found nothing
    wider,        // it needs the rows that its answer names
};

struct CommandVerdict {
    Verdict verdict = Verdict::answered;
    Result<Answer> answer = EngineError{};
    bool looked_everywhere = true;  // of a claim: no range was left out
};

struct BatchDecision {
    WorkingSet set;
    std::vector<CommandVerdict> verdicts;  // one per command
    std::vector<ClaimSight> sights;        // one per selection
    std::vector<Claimed> handed_over;      // one per waiting claim
};

}  // namespace flowfabric
