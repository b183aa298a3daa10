#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "flowfabric/token.hpp"

namespace flowfabric::server {

// Holds each token to its rate on this server. What was not used within a second is not kept for later.
class RateLimiter {
  public:
    using Clock = std::chrono::steady_clock;

    // Counts the request; when it is one too many it is not counted, and the answer is how long to wait.
    std::optional<Clock::duration> refuse(const Caller& caller, Clock::time_point now);

  private:
    std::mutex mutex_;                                            // guards next_
    std::map<std::string, Clock::time_point, std::less<>> next_;  // when a token that never pauses would be due
};

}  // namespace flowfabric::server
