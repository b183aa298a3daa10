#include <algorithm>
#include <map>

#include "core/base/names.hpp"
#include "core/base/tags.hpp"
#include "core/command/admission.hpp"
#include "core/command/decisions.hpp"
#include "core/execution/explain.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/fields.hpp"
#include "core/execution/view.hpp"
#include "runtime/engine_impl.hpp"
#include "runtime/paging.hpp"

// Reads: on the caller's thread, on a connection of their own, never behind writes.
namespace flowfabric {
namespace {

// With the edges that hold the execution.
StoreResult<ExplainFacts> read_hold(StoreReader& reader, const ExecutionRow& row, ExplainFacts facts) {
    const GroupKey key{{row.id.partition, *row.flow_id}, row.id.uuid};
    SideRowsWanted wanted;
    wanted.of<EdgeGroupRow>().keys = {key};
    wanted.of<EdgeRow>().groups = {key};
    auto found = reader.side_rows(wanted);
    if (!found) return found.error();
    if (const EdgeGroupRow* group = found->of<EdgeGroupRow>().find(key)) facts.group = *group;
    for (const EdgeRow& edge : found->of<EdgeRow>().rows()) {
        const bool open = edge.dependency_state == DependencyState::unsatisfied;
        if (open) facts.open.push_back({row.id.partition, edge.upstream});
    }
    return facts;
}

}  // namespace

// The row, or what a submission will be until it is taken in. A submission that vanishes has become a row.
Result<std::optional<Engine::Impl::Found>> Engine::Impl::find(const ExecutionId& id) {
    for (bool again = false;; again = true) {
        auto row = readers_.run([&](StoreReader& reader) { return reader.execution(id); });
        if (!row) return row.error();
        if (*row) return std::optional(Found{.row = std::move(**row)});
        if (again || !backend_->traits().inbox) return std::optional<Found>{};
        const auto submitted = readers_.run([&](StoreReader& reader) { return reader.submissions_of({id}); });
        if (!submitted) return submitted.error();
        if (!submitted->empty()) return std::optional(Found{.row = row_of(submitted->front()), .submitted = true});
    }
}

template <class Pick>
auto Engine::Impl::pick(const ExecutionId& id, Pick from) -> Result<std::optional<decltype(from(ExecutionRow{}))>> {
    auto found = find(id);
    if (!found) return found.error();
    using Picked = std::optional<decltype(from(ExecutionRow{}))>;
    return *found ? Picked(from((*found)->row)) : Picked();
}

Result<std::optional<ExecutionView>> Engine::describe_execution(const ExecutionId& id) {
    return impl_->pick(id, [](const ExecutionRow& row) { return view_of(row); });
}

Result<std::optional<ExecutionInfo>> Engine::read_execution_info(const ExecutionId& id) {
    return impl_->pick(id, [](const ExecutionRow& row) { return info_of(row); });
}

Result<std::optional<PublicState>> Engine::read_execution_state(const ExecutionId& id) {
    return impl_->pick(id, [](const ExecutionRow& row) { return row.vector.public_state; });
}

Result<std::optional<std::string>> Engine::get_execution_namespace(const ExecutionId& id) {
    return impl_->pick(id, [](const ExecutionRow& row) { return row.namespace_name; });
}

Result<std::optional<std::string>> Engine::get_execution_tag(const ExecutionId& id, const std::string& key) {
    if (auto checked = check_tag_key(key); !checked) return checked.error();
    auto tags = impl_->pick(id, [](const ExecutionRow& row) { return tags_of(row.tags); });
    if (!tags) return tags.error();
    if (!*tags) return std::optional<std::string>{};
    const auto tag = (*tags)->find(key);
    return tag == (*tags)->end() ? std::nullopt : std::optional(tag->second);
}

Result<std::optional<FlowId>> Engine::resolve_execution_flow_id(const ExecutionId& id) {
    auto flow = impl_->pick(id, [](const ExecutionRow& row) { return row.flow_id; });
    if (!flow) return flow.error();
    return flow->value_or(std::nullopt);
}

Result<std::map<std::string, std::optional<std::string>>> Engine::read_exec_core_fields(
    const ExecutionId& id, const std::vector<std::string>& names) {
    auto found = impl_->find(id);
    if (!found) return found.error();
    if (*found) return fields_of((*found)->row, names);
    std::map<std::string, std::optional<std::string>> nothing;
    for (const std::string& name : names) nothing.emplace(name, std::nullopt);
    return nothing;
}

Result<std::optional<Bytes>> Engine::get_execution_result(const ExecutionId& id) {
    return impl_->readers().run([&](StoreReader& reader) { return reader.result(id); });
}

// From the row, else from the inbox, else from the row that the submission has become meanwhile.
Result<std::optional<Bytes>> Engine::get_execution_input(const ExecutionId& id) {
    for (bool again = false;; again = true) {
        auto input = impl_->readers().run([&](StoreReader& reader) { return reader.input(id); });
        if (!input || *input || again) return input;
        const auto submitted = impl_->readers().run([&](StoreReader& reader) { return reader.submissions_of({id}); });
        if (!submitted) return submitted.error();
        if (!submitted->empty()) return std::optional(submitted->front().payload);
    }
}

Result<ExecutionContext> Engine::read_execution_context(const ExecutionId& id) {
    auto context = impl_->pick(id, [](const ExecutionRow& row) {
        return ExecutionContext{.input_payload = {},
                                .payload_encoding = row.payload_encoding,
                                .execution_kind = row.execution_kind,
                                .tags = tags_of(row.tags)};
    });
    if (!context) return context.error();
    if (!*context) return execution_not_found(id);
    auto input = get_execution_input(id);
    if (!input) return input.error();
    (*context)->input_payload = std::move(*input).value_or(Bytes{});
    return std::move(**context);
}

Result<std::uint32_t> Engine::read_current_attempt_index(const ExecutionId& id) {
    auto index = impl_->pick(id, [](const ExecutionRow& row) { return static_cast<std::uint32_t>(row.attempt_index); });
    if (!index) return index.error();
    return *index ? Result<std::uint32_t>(**index) : execution_not_found(id);
}

Result<std::uint32_t> Engine::read_total_attempt_count(const ExecutionId& id) {
    auto count =
        impl_->pick(id, [](const ExecutionRow& row) { return static_cast<std::uint32_t>(row.total_attempt_count); });
    if (!count) return count.error();
    return *count ? Result<std::uint32_t>(**count) : execution_not_found(id);
}

Result<std::vector<AttemptView>> Engine::list_attempts(const ExecutionId& id) {
    // The row first: an attempt that ends in between is then seen twice rather than not at all, and merged by index.
    auto found = impl_->find(id);
    if (!found) return found.error();
    if (!*found) return std::vector<AttemptView>{};
    auto ended = impl_->readers().run([&](StoreReader& reader) { return reader.attempts(id); });
    if (!ended) return ended.error();
    return attempts_of(*ended, (*found)->row);
}

Result<std::optional<Explanation>> Engine::explain_execution(const ExecutionId& id) {
    auto found = impl_->find(id);
    if (!found) return found.error();
    if (!*found) return std::optional<Explanation>{};
    const ExecutionRow& row = (*found)->row;
    const LaneKey key{row.lane_id};
    SideRowsWanted wanted;
    wanted.of<LaneRow>().keys = {key};
    auto lanes = impl_->readers().run([&](StoreReader& reader) { return reader.side_rows(wanted); });
    if (!lanes) return lanes.error();
    auto now = impl_->readers().run([](StoreReader& reader) { return reader.now(); });
    if (!now) return now.error();
    ExplainFacts facts;
    if (const LaneRow* lane = lanes->of<LaneRow>().find(key)) facts.lane = *lane;
    if (row.deps_blocked && row.flow_id) {
        auto held = impl_->readers().run([&](StoreReader& reader) { return read_hold(reader, row, facts); });
        if (!held) return held.error();
        facts = std::move(*held);
    }
    Explanation explanation = explain(row, facts, *now);
    if ((*found)->submitted) explanation.obstacles.back().detail = *row.blocking_detail;
    return std::optional(std::move(explanation));
}

Result<ExecutionPage> Engine::list_executions(const ExecutionListQuery& query) {
    Checks check;
    if (query.partition) check(check_partition("partition", *query.partition));
    if (query.after) check(check_partition("cursor", query.after->partition));
    check.require(!query.partition || !query.after || query.after->partition == *query.partition, "cursor",
                  "partition_mismatch: of another partition");
    if (check.fault()) return *check.fault();
    auto found = read_page(impl_->readers(), query,
                           [](StoreReader& reader, const ExecutionListQuery& wanted) { return reader.list(wanted); });
    if (!found) return found.error();
    ExecutionPage page;
    for (const ExecutionRow& row : found->rows) page.executions.push_back(view_of(row));
    if (found->more) page.next = found->rows.back().id;
    return page;
}

Result<std::vector<SettingView>> Engine::list_settings() {
    auto rows = impl_->readers().run([](StoreReader& reader) { return reader.all<SettingRow>(); });
    if (!rows) return rows.error();
    return views_of(*rows);
}

Result<LanePage> Engine::list_lanes(const LaneListQuery& query) {
    auto lanes = impl_->readers().run([](StoreReader& reader) { return reader.all<LaneRow>(); });
    if (!lanes) return lanes.error();
    LanePage page;
    const std::size_t limit = std::min(query.limit, max_page);
    for (const LaneRow& lane : *lanes) {
        if (limit == 0 || (query.after && lane.key.lane_id <= *query.after)) continue;
        if (page.lanes.size() == limit) {
            page.next = page.lanes.back().lane_id;
            break;
        }
        page.lanes.push_back(view_of(lane));
    }
    return page;
}

Result<WorkerPage> Engine::list_workers(const WorkerListQuery& query) {
    auto rows = impl_->readers().run([](StoreReader& reader) { return reader.all<WorkerRow>(); });
    if (!rows) return rows.error();
    auto now = impl_->readers().run([](StoreReader& reader) { return reader.now(); });
    if (!now) return now.error();
    std::map<WorkerPlace, const WorkerRow*> alive;
    for (const WorkerRow& row : *rows) {
        const WorkerPlace place{row.key.namespace_name, row.key.worker_instance_id};
        const bool wanted = !query.namespace_name || row.key.namespace_name == *query.namespace_name;
        if (wanted && !has_lapsed(row, *now) && (!query.after || place > *query.after)) alive.emplace(place, &row);
    }
    WorkerPage page;
    const std::size_t limit = std::min(query.limit, max_page);
    for (const auto& [place, row] : alive) {
        if (page.workers.size() < limit) {
            page.workers.push_back(view_of(*row));
            page.next = place;
        }
    }
    if (page.workers.size() == alive.size()) page.next.reset();
    return page;
}

Result<ExpiredLeasePage> Engine::list_expired_leases(const ExpiredLeaseQuery& query) {
    if (query.after) {
        if (auto checked = check_partition("cursor", query.after->execution_id.partition); !checked) {
            return checked.error();
        }
    }
    const auto read = [](StoreReader& reader,
                         const ExpiredLeaseQuery& wanted) -> StoreResult<std::vector<ExecutionRow>> {
        auto now = reader.now();
        if (!now) return now.error();
        return reader.expired_leases(wanted, wanted.as_of_ms.value_or(*now));
    };
    auto found = read_page(impl_->readers(), query, read);
    if (!found) return found.error();
    ExpiredLeasePage page;
    for (const ExecutionRow& row : found->rows) page.leases.push_back(expired_lease_of(row));
    if (found->more) page.next = ExpiredLeasePlace{page.leases.back().expires_at_ms, page.leases.back().execution_id};
    return page;
}

}  // namespace flowfabric
