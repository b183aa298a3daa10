#include "server/log/access_log.hpp"

#include "runtime/log.hpp"

namespace flowfabric::server {

void log_access(const Served& served) {
    const bool broke = served.status >= 500;
    const LogLevel quiet = served.open ? LogLevel::debug : LogLevel::info;
    const std::chrono::duration<double, std::milli> took = served.took;
    log_event(broke ? LogLevel::warn : quiet, "request",
              {{"method", served.method},
               {"path", served.path},
               {"status", static_cast<std::int64_t>(served.status)},
               {"ms", took.count()},
               {"bytes", static_cast<std::int64_t>(served.bytes)},
               {"request_id", served.request_id},
               {"traceparent", served.traceparent}});
}

}  // namespace flowfabric::server
