#include <algorithm>

#include "core/command/admission.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/view.hpp"
#include "core/signing/keyring.hpp"
#include "core/suspension/suspension.hpp"
#include "engine/queries/find_execution.hpp"
#include "engine/queries/page.hpp"
#include "engine/queries/queries.hpp"

// Suspended executions, their waitpoints and their signals.
namespace flowfabric {

AnswerTo<ListSuspended> answer(const ListSuspended& query, StoreReader& reader, const QueryContext&) {
    if (query.after) {
        const auto checked = check_partition("cursor", query.after->execution_id.partition);
        if (!checked) return checked.error();
    }
    auto found = read_page(query, [&](const ListSuspended& wanted) { return reader.suspended(wanted); });
    if (!found) return found.error();
    SuspendedPage page;
    for (const SuspensionRow& row : found->rows) page.executions.push_back(view_of(row));
    if (found->more) page.next = SuspendedPlace{found->rows.back().suspended_at_ms, found->rows.back().owner()};
    return page;
}

AnswerTo<ListPendingWaitpoints> answer(const ListPendingWaitpoints& query, StoreReader& reader,
                                       const QueryContext& context) {
    const auto found = find_execution(reader, context, query.execution_id);
    if (!found) return found.error();
    if (!*found) return execution_not_found(query.execution_id);
    SideRowsWanted wanted;
    wanted.of<WaitpointRow>().owners = {query.execution_id};
    const auto rows = reader.side_rows(wanted);
    if (!rows) return rows.error();
    const auto open = rows->of<WaitpointRow>().where([&](const WaitpointRow& row) {
        return row.state != WaitpointState::closed && (!query.after || row.key.waitpoint_id > *query.after);
    });
    WaitpointPage page;
    const std::size_t limit = std::min(query.limit, max_page);
    for (const WaitpointRow& row : open) {
        if (page.waitpoints.size() < limit) page.waitpoints.push_back(view_of(row));
    }
    if (!page.waitpoints.empty() && page.waitpoints.size() < open.size()) {
        page.next = page.waitpoints.back().waitpoint_id;
    }
    return page;
}

AnswerTo<ReadWaitpointToken> answer(const ReadWaitpointToken& query, StoreReader& reader, const QueryContext& context) {
    const WaitpointKey key{query.partition, query.waitpoint_id};
    SideRowsWanted wanted;
    wanted.of<WaitpointRow>().keys = {key};
    wanted.of<SigningKeyRow>().all = true;
    const auto rows = reader.side_rows(wanted);
    if (!rows) return rows.error();
    const WaitpointRow* row = rows->of<WaitpointRow>().find(key);
    if (row == nullptr || row->state == WaitpointState::closed) return std::optional<WaitpointToken>{};
    if (query.execution_id.value_or(row->owner()) != row->owner()) return std::optional<WaitpointToken>{};
    const auto now = reader.now();
    if (!now) return now.error();
    const auto keyring = Keyring::open(rows->of<SigningKeyRow>(), context.settings, *now);
    if (!keyring) return keyring.error();
    const SigningKey* signer = keyring->find(row->token_kid);
    if (signer == nullptr) return std::optional<WaitpointToken>{};
    return std::optional(WaitpointToken{waitpoint_token(*signer, row->owner(), query.waitpoint_id)});
}

AnswerTo<ObserveSignals> answer(const ObserveSignals& query, StoreReader& reader, const QueryContext& context) {
    const auto lease = held_lease(query.lease, Source::lease_holder, context.settings);
    if (!lease) return lease.error();
    const auto execution = find_execution(reader, context, lease->execution_id);
    if (!execution) return execution.error();
    std::vector<ResumeSignal> signals;
    if (!*execution) return signals;
    SideRowsWanted wanted;
    wanted.of<SignalRow>().owners = wanted.of<SignalPayloadRow>().owners = {lease->execution_id};
    const auto found = reader.side_rows(wanted);
    if (!found) return found.error();
    for (const SignalRow& row : found->of<SignalRow>().rows()) {
        if (row.replay_count != (*execution)->row.replay_count) continue;
        signals.push_back(view_of(row, found->of<SignalPayloadRow>().find(row.key)));
    }
    return signals;
}

}  // namespace flowfabric
