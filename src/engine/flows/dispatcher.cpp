#include "engine/flows/dispatcher.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/flow/dispatch.hpp"
#include "engine/flows/lookup.hpp"

namespace flowfabric {
namespace {

constexpr std::size_t undispatched_at_once = 500;
constexpr std::uint32_t edges_at_once = 5000;
constexpr std::size_t groups_at_once = 50;
constexpr std::size_t siblings_at_once = 500;
constexpr std::size_t members_at_once = 125;

template <class T>
std::vector<T> take_first(std::deque<T>& queue, std::size_t count) {
    const auto end = queue.begin() + static_cast<std::ptrdiff_t>(std::min(count, queue.size()));
    std::vector<T> taken(queue.begin(), end);
    queue.erase(queue.begin(), end);
    return taken;
}

template <class T>
void put_back(std::deque<T>& queue, const std::vector<T>& items) {
    queue.insert(queue.begin(), items.begin(), items.end());
}

// Looks up the event ids that a lost COMMIT reply left unknown.
StoreResult<std::vector<Undispatched>> identified(StoreReader& reader, std::vector<Undispatched> undispatched) {
    std::set<ExecutionId> unknown;
    for (const Undispatched& end : undispatched) {
        if (end.event_id == 0) unknown.insert(end.execution_id);
    }
    if (unknown.empty()) return undispatched;
    auto found = reader.undispatched_of({unknown.begin(), unknown.end()});
    if (!found) return found.error();
    std::erase_if(undispatched, [](const Undispatched& end) { return end.event_id == 0; });
    undispatched.insert(undispatched.end(), found->begin(), found->end());
    return undispatched;
}

Dispatcher::Job drop_job(const FlowKey& flow) {
    return {.command = drop_backlog(flow), .drops = flow};
}

std::vector<ExecutionId> pending_siblings(const EdgeGroupRow& group) {
    std::vector<ExecutionId> siblings;
    for (const std::string& member : group.cancel_siblings_pending_members.values) {
        if (const auto id = ExecutionId::parse(member)) siblings.push_back(*id);
    }
    return siblings;
}

CancelledMembers members_of(const CancelBacklogRow& backlog, const std::vector<CancelMemberRow>& rows) {
    CancelledMembers cancelled{backlog.key, backlog.reason.value_or(""), {}};
    for (const CancelMemberRow& row : rows) {
        const auto id = ExecutionId::parse(row.key.execution_id);
        if (id && row.flow() == backlog.key) cancelled.members.push_back(*id);
    }
    return cancelled;
}

std::vector<Dispatcher::Job> cancel_jobs(const CancelledMembers& cancelled, std::size_t at_once) {
    auto followup = std::make_shared<Dispatcher::Job::Followup>();
    followup->drops = cancelled.flow;
    std::vector<Dispatcher::Job> jobs;
    for (auto from = cancelled.members.begin(); from != cancelled.members.end();) {
        const auto to =
            from + std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(at_once), cancelled.members.end() - from);
        jobs.push_back({.command = cancel_members(cancelled.flow, {from, to}, cancelled.reason), .followup = followup});
        from = to;
    }
    followup->open = jobs.size();
    if (jobs.empty()) jobs.push_back(drop_job(cancelled.flow));
    return jobs;
}

}  // namespace

void Dispatcher::on_committed(const WorkingSet& set, const std::vector<Undispatched>& undispatched) {
    for (const CancelBacklogRow& backlog : set.side.of<CancelBacklogRow>().puts()) {
        flows_.push_back(members_of(backlog, set.side.of<CancelMemberRow>().puts()));
        cancelling_.try_emplace(backlog.key);
    }
    for (const Undispatched& end : undispatched) {
        const auto flow = cancelling_.find({end.execution_id.partition, end.flow_id});
        if (flow == cancelling_.end()) {
            undispatched_.push_back(end);
        } else {
            flow->second.push_back(end);
        }
    }
    for (const SiblingWorkRow& work : set.side.of<SiblingWorkRow>().puts()) groups_.push_back(work.key);
}

Dispatcher Dispatcher::take() {
    Dispatcher taken;
    taken.undispatched_.swap(undispatched_);
    taken.groups_.swap(groups_);
    taken.flows_.swap(flows_);
    return taken;
}

void Dispatcher::merge(Dispatcher other) {
    undispatched_.insert(undispatched_.end(), other.undispatched_.begin(), other.undispatched_.end());
    groups_.insert(groups_.end(), other.groups_.begin(), other.groups_.end());
    flows_.insert(flows_.end(), other.flows_.begin(), other.flows_.end());
}

StoreResult<std::vector<Dispatcher::Job>> Dispatcher::look(StoreReader& reader) {
    std::vector<Job> jobs;
    const auto add = [&](std::vector<Job> found) {
        jobs.insert(jobs.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
    };
    std::optional<StoreError> error;
    for (const CancelledMembers& cancelled : std::exchange(flows_, {})) add(cancel_jobs(cancelled, members_at_once));
    if (const auto groups = take_first(groups_, groups_at_once); !groups.empty()) {
        if (auto found = look_for_siblings(reader, groups)) {
            add(std::move(*found));
        } else {
            put_back(groups_, groups);
            error = found.error();
        }
    }
    if (const auto undispatched = take_first(undispatched_, undispatched_at_once); !undispatched.empty()) {
        const auto known = identified(reader, undispatched);
        auto found = known ? look_for_edges(reader, *known) : StoreResult<std::vector<Job>>(known.error());
        if (found) {
            add(std::move(*found));
        } else {
            put_back(undispatched_, undispatched);
            error = found.error();
        }
    }
    if (error && jobs.empty()) return *error;
    return jobs;
}

std::optional<Dispatcher::Job> Dispatcher::on_answer(const Job& job, const Result<Answer>& answer) {
    let_go(job.drops);
    if (!job.followup) return std::nullopt;
    Job::Followup& followup = *job.followup;
    const auto* finished = answer ? answer->get_if<DispatchFinished>() : nullptr;
    if (job.end && finished != nullptr && !finished->done) followup.undispatched.push_back(*job.end);
    followup.failed = followup.failed || !answer;
    if (--followup.open > 0) return std::nullopt;
    if (followup.failed) {
        let_go(followup.drops);
        return std::nullopt;
    }
    undispatched_.insert(undispatched_.end(), followup.undispatched.begin(), followup.undispatched.end());
    return followup.drops ? std::optional(drop_job(*followup.drops)) : std::nullopt;
}

// The members are cancelled, or left to the reconciler.
void Dispatcher::let_go(const std::optional<FlowKey>& cancelled) {
    if (!cancelled) return;
    if (const auto flow = cancelling_.extract(*cancelled)) {
        undispatched_.insert(undispatched_.end(), flow.mapped().begin(), flow.mapped().end());
    }
}

StoreResult<std::vector<Dispatcher::Job>> look_for_edges(StoreReader& reader,
                                                         const std::vector<Undispatched>& undispatched) {
    // One that was replayed has ended before: its edges follow its first end.
    std::map<ExecutionId, const Undispatched*> by_upstream;
    for (const Undispatched& end : undispatched) by_upstream.emplace(end.execution_id, &end);
    std::vector<ExecutionId> upstream;
    upstream.reserve(by_upstream.size());
    for (const auto& [id, end] : by_upstream) upstream.push_back(id);
    auto edges = reader.unresolved_edges(upstream, edges_at_once);
    if (!edges) return edges.error();

    std::map<GroupKey, ResolveEdges> resolutions;
    std::map<ExecutionId, std::vector<EdgeId>> open;  // by upstream
    for (const EdgeRow& edge : *edges) {
        const ExecutionId from{edge.key.flow.partition, edge.upstream};
        const Undispatched& end = *by_upstream.at(from);
        ResolveEdges& resolution = resolutions[edge.group()];
        resolution.execution_id = edge.group().execution();
        resolution.flow_id = edge.key.flow.flow_id;
        resolution.ended.push_back({edge.key.edge_id, from, end.outcome});
        open[from].push_back(edge.key.edge_id);
    }
    // An end that is not finished waits for its resolutions, which may wait for rows that others hold.
    auto followup = std::make_shared<Dispatcher::Job::Followup>();
    std::vector<Dispatcher::Job> jobs;
    jobs.reserve(resolutions.size() + undispatched.size());
    for (auto& [key, resolution] : resolutions) {
        jobs.push_back({.command = resolve_edges(std::move(resolution)), .followup = followup});
    }
    // Behind a page that is cut there may be more edges of any of them; those are looked for again.
    const bool all = edges->size() < edges_at_once;
    for (const Undispatched& end : undispatched) {
        FinishDispatch finish{.flow = {end.execution_id.partition, end.flow_id},
                              .event_id = end.event_id,
                              .outcome = end.outcome,
                              .cause = end.cause,
                              .edges = open[end.execution_id],
                              .more = !all};
        jobs.push_back({.command = finish_dispatch(std::move(finish)), .followup = followup, .end = end});
    }
    followup->open = jobs.size();
    return jobs;
}

StoreResult<std::vector<Dispatcher::Job>> look_for_siblings(StoreReader& reader, const std::vector<GroupKey>& keys) {
    const auto groups = look_up<EdgeGroupRow>(reader, keys);
    if (!groups) return groups.error();
    std::set<ExecutionId> siblings;
    for (const EdgeGroupRow& group : groups->rows.rows()) {
        for (const ExecutionId& id : pending_siblings(group)) siblings.insert(id);
    }
    auto found = reader.needed({siblings.begin(), siblings.end()});
    if (!found) return found.error();
    const std::set<ExecutionId> needed(found->begin(), found->end());

    std::vector<Dispatcher::Job> jobs;
    jobs.reserve(keys.size());
    for (const GroupKey& key : keys) {
        if (groups->damaged.contains(key)) continue;
        const EdgeGroupRow* group = groups->rows.find(key);
        DrainSiblings drain{key, {}, {}};
        for (const ExecutionId& id : group == nullptr ? std::vector<ExecutionId>{} : pending_siblings(*group)) {
            (needed.contains(id) ? drain.spared : drain.unneeded).push_back(id);
            if (drain.unneeded.size() < siblings_at_once) continue;
            jobs.push_back({.command = drain_siblings(std::exchange(drain, {key, {}, {}}))});
        }
        jobs.push_back({.command = drain_siblings(std::move(drain))});
    }
    return jobs;
}

StoreResult<std::vector<Dispatcher::Job>> look_for_members(StoreReader& reader, const FlowKey& flow) {
    SideRowsWanted wanted;
    wanted.of<CancelBacklogRow>().keys = {flow};
    wanted.of<CancelMemberRow>().flows = {flow};
    auto found = reader.side_rows(wanted);
    if (!found) return found.error();
    const CancelBacklogRow* backlog = found->of<CancelBacklogRow>().find(flow);
    CancelBacklogRow lost;
    lost.key = flow;
    return cancel_jobs(members_of(backlog == nullptr ? lost : *backlog, found->of<CancelMemberRow>().rows()), 1);
}

}  // namespace flowfabric
