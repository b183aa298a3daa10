#include "core/accepted_signals.hpp"

#include <limits>

#include "core/view.hpp"

namespace flowfabric {
namespace {

GivenSignals given(std::span<const SignalRow> rows, const WorkingSet& set) {
    GivenSignals given;
    SignalAllowance allowance;
    for (const SignalRow& row : rows) {
        const SignalPayloadRow* payload = set.side.of<SignalPayloadRow>().find(row.key);
        given.more = !allowance.take(payload == nullptr ? 0 : payload->payload.bytes.size());
        if (given.more) break;
        given.signals.push_back(view_of(row, payload));
    }
    return given;
}

}  // namespace

GivenSignals signals_of_run(const WorkingSet& set, const ExecutionRow& row) {
    if (row.signal_count == 0) return {};
    auto rows = set.side.of<SignalRow>().between({row.id, 0}, {row.id, std::numeric_limits<std::int32_t>::max()});
    std::erase_if(rows, [&](const SignalRow& signal) { return signal.replay_count != row.replay_count; });
    return given(rows, set);
}

GivenSignals signals_with(std::span<const std::int32_t> seqs, const WorkingSet& set, const ExecutionId& id) {
    std::vector<SignalRow> rows;
    for (const std::int32_t seq : seqs) {
        if (const SignalRow* row = set.side.of<SignalRow>().find({id, seq})) rows.push_back(*row);
    }
    return given(rows, set);
}

std::vector<std::int32_t> seqs_to_give(std::vector<std::int32_t> seqs) {
    if (seqs.size() > max_given_signals) seqs.resize(max_given_signals + 1);
    return seqs;
}

}  // namespace flowfabric
