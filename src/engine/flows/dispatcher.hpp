#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/command/command.hpp"
#include "store/port.hpp"

namespace flowfabric {

// The members of a cancelled flow that are still to be cancelled.
struct CancelledMembers {
    FlowKey flow;
    std::string reason;
    std::vector<ExecutionId> members;
};

// Carries the end of a flow's member on: to the executions that wait for it, to siblings that are needed no more,
// and from a cancelled flow to its members. What a commit of this process left to do is done right behind it, many
// commits at once; what a crash leaves undone is found by the reconcilers, with the same looks.
//
// No threads and no clock: told of commits, it looks, and says which commands to give.
class Dispatcher {
  public:
    // A command, and what depends on its answer.
    struct Job {
        Command command;

        // Shared by several jobs: acted on when all of them are answered without an error.
        struct Followup {
            std::size_t open = 0;  // answers that are still to come
            bool failed = false;
            std::optional<FlowKey> drops;            // drop this flow's list of members to cancel
            std::vector<Undispatched> undispatched;  // look at these again
        };
        std::shared_ptr<Followup> followup = nullptr;
        std::optional<Undispatched> end = std::nullopt;  // the completion that the command dispatches, as far as it can
        std::optional<FlowKey> drops = std::nullopt;     // the command drops this flow's list
    };

    void on_committed(const WorkingSet& set, const std::vector<Undispatched>& undispatched);
    // take() moves the backlog to a dispatcher that looks while this one goes on listening; merge() takes back what
    // is left of it.
    Dispatcher take();
    void merge(Dispatcher other);
    bool idle() const { return undispatched_.empty() && groups_.empty() && flows_.empty(); }
    // This one is about to cancel the members of the flow and to drop their list.
    bool cancels(const FlowKey& flow) const { return cancelling_.contains(flow); }

    // What a failed look was about is kept for the next.
    StoreResult<std::vector<Job>> look(StoreReader& reader);
    // What to do next, if anything.
    std::optional<Job> on_answer(const Job& job, const Result<Answer>& answer);

  private:
    void let_go(const std::optional<FlowKey>& cancelled);

    std::deque<Undispatched> undispatched_;
    std::deque<GroupKey> groups_;
    std::deque<CancelledMembers> flows_;
    // Flows that are being cancelled, with the completion events that this has brought. Nothing waits for those, and
    // dispatching them now would hold up the rest of the members.
    std::map<FlowKey, std::vector<Undispatched>> cancelling_;
};

// The looks. Resolves the edges from executions that have ended, and finishes the dispatch of those that have no more.
StoreResult<std::vector<Dispatcher::Job>> look_for_edges(StoreReader& reader,
                                                         const std::vector<Undispatched>& undispatched);
// Cancels the siblings of decided groups, those excepted that another group still needs.
StoreResult<std::vector<Dispatcher::Job>> look_for_siblings(StoreReader& reader, const std::vector<GroupKey>& groups);
// Cancels the members of a cancelled flow, each by itself: one that cannot be cancelled holds up no other.
StoreResult<std::vector<Dispatcher::Job>> look_for_members(StoreReader& reader, const FlowKey& flow);

}  // namespace flowfabric
