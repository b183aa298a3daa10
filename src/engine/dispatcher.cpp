#include "engine/dispatcher.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "core/edge_group.hpp"

namespace flowfabric {
namespace {

constexpr std::size_t ends_at_once = 500;
constexpr std::uint32_t edges_at_once = 5000;
constexpr std::size_t groups_at_once = 50;

template <class T>
std::vector<T> take(std::deque<T>& queue, std::size_t count) {
    const auto end = queue.begin() + static_cast<std::ptrdiff_t>(std::min(count, queue.size()));
    std::vector<T> taken(queue.begin(), end);
    queue.erase(queue.begin(), end);
    return taken;
}

template <class T>
void put_back(std::deque<T>& queue, const std::vector<T>& items) {
    queue.insert(queue.begin(), items.begin(), items.end());
}

bool is_sibling_reason(const std::optional<std::string>& reason) {
    return reason && reason->starts_with("sibling_quorum_");
}

// A member that only fell victim to a group that was decided without it does not make its flow fail.
StoreResult<bool> fails_its_flow(StoreReader& reader, const Undispatched& end) {
    if (end.outcome == TerminalOutcome::failed || end.outcome == TerminalOutcome::expired) return true;
    if (end.outcome != TerminalOutcome::cancelled) return false;
    auto row = reader.execution(end.execution_id);
    if (!row) return row.error();
    return !*row || !is_sibling_reason((*row)->cancellation_reason);
}

// Whether these ends may decide the group, so that its siblings are asked for as well.
bool may_decide(const EdgeGroupRow& group, std::size_t ended) {
    const GroupPolicy policy = group_policy(group.policy);
    if (!cancels_siblings(policy) || group.group_state != GroupState::pending) return false;
    GroupCounts best = counts_of(group);
    best.succeeded += static_cast<std::int32_t>(ended);
    GroupCounts worst = counts_of(group);
    worst.failed += static_cast<std::int32_t>(ended);
    return evaluate(policy, best) != GroupState::pending || evaluate(policy, worst) != GroupState::pending;
}

StoreResult<SideTables> read_groups(StoreReader& reader, const std::vector<GroupKey>& keys) {
    SideRowsWanted wanted;
    wanted.of<EdgeGroupRow>().keys = keys;
    return reader.side_rows(wanted);
}

Dispatcher::Job cancel_sibling(const ExecutionId& id, const std::string& reason,
                               const std::shared_ptr<Dispatcher::Job::Sequel>& sequel) {
    ++sequel->open;
    HeldLease nobodys;
    nobodys.execution_id = id;
    return {.command = AdmittedCancel{.lease = nobodys, .reason = reason, .source = "flow_cascade"},
            .sequel = sequel,
            .end = std::nullopt};
}

}  // namespace

void Dispatcher::on_committed(const WorkingSet& set, const std::vector<Undispatched>& ends) {
    ends_.insert(ends_.end(), ends.begin(), ends.end());
    for (const SiblingWorkRow& work : set.side.of<SiblingWorkRow>().puts()) groups_.push_back(work.key);
    for (const CancelBacklogRow& backlog : set.side.of<CancelBacklogRow>().puts()) flows_.push_back(backlog.key);
}

void Dispatcher::merge(Dispatcher other) {
    ends_.insert(ends_.end(), other.ends_.begin(), other.ends_.end());
    groups_.insert(groups_.end(), other.groups_.begin(), other.groups_.end());
    flows_.insert(flows_.end(), other.flows_.begin(), other.flows_.end());
}

StoreResult<std::vector<Dispatcher::Job>> Dispatcher::look(StoreReader& reader) {
    std::vector<Job> jobs;
    const auto add = [&](StoreResult<std::vector<Job>> found) -> std::optional<StoreError> {
        if (!found) return found.error();
        jobs.insert(jobs.end(), std::make_move_iterator(found->begin()), std::make_move_iterator(found->end()));
        return std::nullopt;
    };
    if (const auto flows = take(flows_, 1); !flows.empty()) {
        if (auto error = add(look_for_members(reader, flows.front()))) return put_back(flows_, flows), *error;
    }
    if (const auto groups = take(groups_, groups_at_once); !groups.empty()) {
        if (auto error = add(look_for_siblings(reader, groups))) return put_back(groups_, groups), *error;
    }
    if (const auto ends = take(ends_, ends_at_once); !ends.empty()) {
        if (auto error = add(look_for_edges(reader, ends))) return put_back(ends_, ends), *error;
    }
    return jobs;
}

std::optional<Dispatcher::Job> Dispatcher::on_answer(const Job& job, const Result<Answer>& answer) {
    if (job.end) {
        const auto* finished = answer ? std::get_if<DispatchFinished>(&*answer) : nullptr;
        if (finished != nullptr && !finished->done) ends_.push_back(*job.end);
    }
    if (!job.sequel) return std::nullopt;
    // What has ended on its own, or is gone, needs no cancelling.
    const bool done = answer || answer.error().kind == ErrorKind::execution_not_active ||
                      answer.error().kind == ErrorKind::execution_not_found;
    job.sequel->failed = job.sequel->failed || !done;
    if (--job.sequel->open > 0 || job.sequel->failed) return std::nullopt;
    return Job{.command = job.sequel->command, .sequel = nullptr, .end = std::nullopt};
}

StoreResult<std::vector<Dispatcher::Job>> look_for_edges(StoreReader& reader, const std::vector<Undispatched>& ends) {
    std::map<ExecutionId, const Undispatched*> by_upstream;
    for (const Undispatched& end : ends) by_upstream.emplace(end.execution_id, &end);
    std::vector<ExecutionId> upstream;
    upstream.reserve(by_upstream.size());
    for (const auto& [id, end] : by_upstream) upstream.push_back(id);
    auto edges = reader.unresolved_edges(upstream, edges_at_once);
    if (!edges) return edges.error();

    std::map<GroupKey, ResolveEdges> resolutions;
    std::map<ExecutionId, std::vector<EdgeId>> open;
    for (const EdgeRow& edge : *edges) {
        const ExecutionId from{edge.key.flow.partition, edge.upstream};
        const Undispatched& end = *by_upstream.at(from);
        ResolveEdges& resolution = resolutions[edge.group()];
        resolution.execution_id = edge.group().execution();
        resolution.flow_id = edge.key.flow.flow_id;
        resolution.ended.push_back({edge.key.edge_id, from, end.outcome});
        open[from].push_back(edge.key.edge_id);
    }
    std::vector<GroupKey> keys;
    keys.reserve(resolutions.size());
    for (const auto& [key, resolution] : resolutions) keys.push_back(key);
    auto groups = read_groups(reader, keys);
    if (!groups) return groups.error();

    std::vector<Dispatcher::Job> jobs;
    for (auto& [key, resolution] : resolutions) {
        const EdgeGroupRow* group = groups->of<EdgeGroupRow>().find(key);
        resolution.with_siblings = group != nullptr && may_decide(*group, resolution.ended.size());
        jobs.push_back({.command = std::move(resolution), .sequel = nullptr, .end = std::nullopt});
    }
    // Behind a page that is cut there may be more edges of any of them; those are looked for again.
    const bool all = edges->size() < edges_at_once;
    for (const auto& [id, end] : by_upstream) {
        auto failed = fails_its_flow(reader, *end);
        if (!failed) return failed.error();
        FinishDispatch finish{.flow = {id.partition, end->flow_id},
                              .event_id = end->event_id,
                              .edges = std::move(open[id]),
                              .failed = *failed,
                              .more = !all};
        jobs.push_back({.command = std::move(finish), .sequel = nullptr, .end = *end});
    }
    return jobs;
}

StoreResult<std::vector<Dispatcher::Job>> look_for_siblings(StoreReader& reader, const std::vector<GroupKey>& keys) {
    auto groups = read_groups(reader, keys);
    if (!groups) return groups.error();
    std::set<ExecutionId> siblings;
    for (const EdgeGroupRow& group : groups->of<EdgeGroupRow>().rows()) {
        for (const std::string& member : group.cancel_siblings_pending_members.values) {
            if (const auto id = ExecutionId::parse(member)) siblings.insert(*id);
        }
    }
    auto edges = reader.unresolved_edges({siblings.begin(), siblings.end()}, edges_at_once);
    if (!edges) return edges.error();
    std::set<GroupKey> elsewhere;
    for (const EdgeRow& edge : *edges) elsewhere.insert(edge.group());
    auto others = read_groups(reader, {elsewhere.begin(), elsewhere.end()});
    if (!others) return others.error();
    std::set<ExecutionId> needed;
    for (const EdgeRow& edge : *edges) {
        const EdgeGroupRow* group = others->of<EdgeGroupRow>().find(edge.group());
        const bool waits = group != nullptr && group->group_state == GroupState::pending;
        if (waits) needed.insert({edge.key.flow.partition, edge.upstream});
    }

    std::vector<Dispatcher::Job> jobs;
    for (const GroupKey& key : keys) {
        auto drain = std::make_shared<Dispatcher::Job::Sequel>();
        drain->command = DrainSiblings{key};
        const EdgeGroupRow* group = groups->of<EdgeGroupRow>().find(key);
        const std::size_t before = jobs.size();
        if (group != nullptr) {
            for (const std::string& member : group->cancel_siblings_pending_members.values) {
                const auto id = ExecutionId::parse(member);
                if (!id || needed.contains(*id)) continue;
                jobs.push_back(cancel_sibling(*id, group->sibling_reason.value_or("sibling_quorum_satisfied"), drain));
            }
        }
        if (jobs.size() == before)
            jobs.push_back({.command = DrainSiblings{key}, .sequel = nullptr, .end = std::nullopt});
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
    auto drop = std::make_shared<Dispatcher::Job::Sequel>();
    drop->command = DropBacklog{flow};
    std::vector<Dispatcher::Job> jobs;
    for (const CancelMemberRow& member : found->of<CancelMemberRow>().rows()) {
        const auto id = ExecutionId::parse(member.key.execution_id);
        if (!id) continue;
        ++drop->open;
        jobs.push_back({.command = CancelMember{*id, flow.flow_id, backlog ? backlog->reason.value_or("") : ""},
                        .sequel = drop,
                        .end = std::nullopt});
    }
    if (jobs.empty()) jobs.push_back({.command = DropBacklog{flow}, .sequel = nullptr, .end = std::nullopt});
    return jobs;
}

}  // namespace flowfabric
