#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/command/command.hpp"
#include "support/command_mix.hpp"
#include "support/dump.hpp"

namespace flowfabric::test {

// What callers sent and what they were told. Whatever was told must be in the store, whatever happened to the engine.
class Ledger {
  public:
    void sent(const UserCommand& command);
    void told(const UserCommand& command, const Result<Answer>& answer);

    // Where the store contradicts an answer that was given.
    std::vector<std::string> contradictions(const Dump& dump) const;

  private:
    struct AttemptKey {
        ExecutionId execution_id;
        AttemptId attempt_id;
        auto operator<=>(const AttemptKey&) const = default;
    };
    struct Renewals {
        std::size_t sent = 0;
        std::size_t told = 0;
    };

    static std::optional<AttemptKey> attempt_of(const LeaseRef& lease);
    static std::optional<LeaseId> lease_of(const LeaseRef& lease);
    // Whether some claim was answered with this epoch of this execution.
    bool was_given(const LeaseRef& lease) const;
    void told_claimed(const Claim& command, const Claimed& claimed);
    void told_given_back(const LeaseRef& lease, std::string reason);
    void check_claims(const Dump& dump, std::vector<std::string>& found) const;
    void check_ends(const Dump& dump, std::vector<std::string>& found) const;
    void check_renewals(const Dump& dump, std::vector<std::string>& found) const;
    void check_given_back(const Dump& dump, std::vector<std::string>& found) const;
    void check_approvals(const Dump& dump, std::vector<std::string>& found) const;
    void check_given_signals(const Dump& dump, std::vector<std::string>& found) const;

    std::set<ExecutionId> created_;
    std::map<std::pair<ExecutionId, std::uint64_t>, ClaimedExecution> claimed_;                      // by epoch
    std::map<std::pair<ExecutionId, std::uint64_t>, std::pair<std::string, std::string>> requests_;  // that got it
    std::set<LeaseId> leases_;
    std::map<AttemptKey, std::set<std::optional<Bytes>>> results_sent_;
    std::set<AttemptKey> completed_;
    std::set<ExecutionId> completed_by_operator_;
    std::set<AttemptKey> failed_;  // for good
    std::set<AttemptKey> retried_;
    std::set<ExecutionId> cancelled_;
    std::map<LeaseId, std::string> given_back_;
    std::map<LeaseId, Renewals> renewals_;
    std::map<SuspensionId, std::pair<ExecutionId, std::string>> asked_;  // for whom, and under which key
    std::vector<std::string> complaints_;                                // that need no store
};

}  // namespace flowfabric::test
