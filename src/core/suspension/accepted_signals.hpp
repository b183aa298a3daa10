#pragma once

#include <span>
#include <tuple>

#include "core/rows/working_set.hpp"
#include "flowfabric/suspension.hpp"

// Accepted signals belong to their execution: every claim answers with those of the present run.
namespace flowfabric {

// The order in which an answer takes signals up: what satisfied a condition is never left out for what did not. A store
// loads up to the first signal that is left out, so that a decision sees that there are more.
inline bool is_given_before(const SignalRow& a, const SignalRow& b) {
    return std::tie(b.satisfied, a.key.seq) < std::tie(a.satisfied, b.key.seq);
}

// How much of them one answer carries.
class SignalAllowance {
  public:
    // False for the first that is left out.
    bool take(std::size_t payload_bytes) {
        signals_ += 1;
        bytes_ += payload_bytes;
        return signals_ <= max_given_signals && bytes_ <= max_given_signal_bytes;
    }

  private:
    std::size_t signals_ = 0;
    std::size_t bytes_ = 0;
};

struct GivenSignals {
    std::vector<ResumeSignal> signals;
    bool more = false;
};

// The signals of the execution's present run, which are loaded with an execution that may be claimed.
GivenSignals signals_of_run(const WorkingSet& set, const ExecutionRow& row);
// The signals with these ascending seqs, which are loaded with their payloads.
GivenSignals signals_with(std::span<const std::int32_t> seqs, const WorkingSet& set, const ExecutionId& id);

// Of ascending seqs, as many as an answer carries and one more if there are more: the satisfiers first, then the
// others. The result ascends.
std::vector<std::int32_t> seqs_to_give(std::vector<std::int32_t> seqs, std::span<const std::int32_t> satisfiers);

}  // namespace flowfabric
