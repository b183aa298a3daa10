#include "core/suspension/accepted_signals.hpp"

#include <algorithm>
#include <limits>

#include "core/execution/view.hpp"

namespace flowfabric {
namespace {

GivenSignals given(std::vector<SignalRow> rows, const WorkingSet& set) {
    const auto payload_of = [&](const SignalRow& row) { return set.side.of<SignalPayloadRow>().find(row.key); };
    std::ranges::sort(rows, is_given_before);
    SignalAllowance allowance;
    const auto left_out = std::ranges::find_if_not(rows, [&](const SignalRow& row) {
        const SignalPayloadRow* payload = payload_of(row);
        return allowance.take(payload == nullptr ? 0 : payload->payload.bytes.size());
    });
    GivenSignals given{.signals = {}, .more = left_out != rows.end()};
    rows.erase(left_out, rows.end());
    std::ranges::sort(rows, {}, &SignalRow::key);
    for (const SignalRow& row : rows) given.signals.push_back(view_of(row, payload_of(row)));
    return given;
}

}  // namespace

GivenSignals signals_of_run(const WorkingSet& set, const ExecutionRow& row) {
    if (row.signal_count == 0) return {};
    auto rows = set.side.of<SignalRow>().between({row.id, 0}, {row.id, std::numeric_limits<std::int32_t>::max()});
    std::erase_if(rows, [&](const SignalRow& signal) { return signal.replay_count != row.replay_count; });
    return given(std::move(rows), set);
}

GivenSignals signals_with(std::span<const std::int32_t> seqs, const WorkingSet& set, const ExecutionId& id) {
    std::vector<SignalRow> rows;
    for (const std::int32_t seq : seqs) {
        if (const SignalRow* row = set.side.of<SignalRow>().find({id, seq})) rows.push_back(*row);
    }
    return given(std::move(rows), set);
}

std::vector<std::int32_t> seqs_to_give(std::vector<std::int32_t> seqs, std::span<const std::int32_t> satisfiers) {
    if (seqs.size() <= max_given_signals) return seqs;
    std::ranges::stable_partition(
        seqs, [&](std::int32_t seq) { return std::ranges::find(satisfiers, seq) != satisfiers.end(); });
    seqs.resize(max_given_signals + 1);
    std::ranges::sort(seqs);
    return seqs;
}

}  // namespace flowfabric
