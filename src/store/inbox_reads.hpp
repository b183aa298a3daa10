#pragma once

#include <cstdint>
#include <vector>

#include "core/inbox/submission.hpp"
#include "store/result.hpp"

namespace flowfabric {

// Submissions from SQL.
class InboxReads {
  public:
    virtual ~InboxReads() = default;

    // The inbox of SQL submissions, oldest first, of those with ids above `after`; fewer than asked for also where they
    // are large, none only where the sound ones end. And those of these executions. Empty for stores that have none.
    virtual StoreResult<std::vector<Submission>> submissions(std::uint32_t limit, std::int64_t after) = 0;
    virtual StoreResult<std::vector<Submission>> submissions_of(const std::vector<ExecutionId>& ids) = 0;
};

}  // namespace flowfabric
