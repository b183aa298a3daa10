#pragma once

#include <optional>

#include "server/auth/rate_limiter.hpp"
#include "server/auth/token_book.hpp"
#include "server/http/router.hpp"

namespace flowfabric::server {

// Decides by its head whether a request is let in, and notes its caller there. Any thread may call it; it never blocks.
class Gatekeeper {
  public:
    explicit Gatekeeper(const TokenBook& book) : book_(book) {}

    // The refusal; nothing for what may go on. `route` is null where none fits.
    std::optional<Response> operator()(Request& head, const RouteInfo* route);

  private:
    const TokenBook& book_;
    RateLimiter limiter_;
};

}  // namespace flowfabric::server
