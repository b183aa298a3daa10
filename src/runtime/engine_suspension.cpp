#include <algorithm>

#include "core/base/handle_codec.hpp"
#include "core/command/admission.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/view.hpp"
#include "core/signing/keyring.hpp"
#include "core/suspension/suspension.hpp"
#include "runtime/engine_impl.hpp"
#include "runtime/paging.hpp"

namespace flowfabric {

Result<SuspendedPage> Engine::list_suspended(const SuspendedListQuery& query) {
    Checks check;
    if (query.partition) check(check_partition("partition", *query.partition));
    if (query.after) check(check_partition("cursor", query.after->execution_id.partition));
    if (check.fault()) return *check.fault();
    auto found = read_page(impl_->readers(), query, [](StoreReader& reader, const SuspendedListQuery& wanted) {
        return reader.suspended(wanted);
    });
    if (!found) return found.error();
    SuspendedPage page;
    for (const SuspensionRow& row : found->rows) page.executions.push_back(view_of(row));
    if (found->more) page.next = SuspendedPlace{found->rows.back().suspended_at_ms, found->rows.back().owner()};
    return page;
}

Result<WaitpointPage> Engine::list_pending_waitpoints(const WaitpointListQuery& query) {
    auto found = impl_->find(query.execution_id);
    if (!found) return found.error();
    if (!*found) return execution_not_found(query.execution_id);
    SideRowsWanted wanted;
    wanted.of<WaitpointRow>().owners = {query.execution_id};
    auto rows = impl_->readers().run([&](StoreReader& reader) { return reader.side_rows(wanted); });
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

Result<std::optional<std::string>> Engine::read_waitpoint_token(std::uint16_t partition,
                                                                const WaitpointId& waitpoint_id) {
    SideRowsWanted wanted;
    wanted.of<WaitpointRow>().keys = {{partition, waitpoint_id}};
    wanted.of<SigningKeyRow>().all = true;
    auto rows = impl_->readers().run([&](StoreReader& reader) { return reader.side_rows(wanted); });
    if (!rows) return rows.error();
    const WaitpointRow* row = rows->of<WaitpointRow>().find({partition, waitpoint_id});
    if (row == nullptr || row->state == WaitpointState::closed) return std::optional<std::string>{};
    auto now = impl_->readers().run([](StoreReader& reader) { return reader.now(); });
    if (!now) return now.error();
    const auto keyring = Keyring::open(rows->of<SigningKeyRow>(), impl_->settings(), *now);
    if (!keyring) return keyring.error();
    const SigningKey* key = keyring->find(row->token_kid);
    if (key == nullptr) return std::optional<std::string>{};
    return std::optional(waitpoint_token(*key, row->owner(), waitpoint_id));
}

Result<std::vector<ResumeSignal>> Engine::observe_signals(const Handle& handle) {
    const auto content = decode_handle(handle, impl_->settings().backend);
    if (!content) return content.error();
    const auto execution = impl_->find(content->execution_id);
    if (!execution) return execution.error();
    std::vector<ResumeSignal> signals;
    if (!*execution) return signals;
    SideRowsWanted wanted;
    wanted.of<SignalRow>().owners = wanted.of<SignalPayloadRow>().owners = {content->execution_id};
    auto found = impl_->readers().run([&](StoreReader& reader) { return reader.side_rows(wanted); });
    if (!found) return found.error();
    for (const SignalRow& row : found->of<SignalRow>().rows()) {
        if (row.replay_count != (*execution)->row.replay_count) continue;
        signals.push_back(view_of(row, found->of<SignalPayloadRow>().find(row.key)));
    }
    return signals;
}

}  // namespace flowfabric
