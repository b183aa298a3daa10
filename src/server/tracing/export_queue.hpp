#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "server/tracing/span.hpp"

namespace flowfabric::server {

struct ExportLimits {
    std::size_t batch = 512;                       // spans in a request
    std::size_t room = 16'384;                     // spans that wait, or are under way
    std::chrono::milliseconds linger{1'000};       // for a batch to become full
    std::chrono::milliseconds first_pause{1'000};  // after a failure; then twice as long each time
    std::chrono::milliseconds longest_pause{30'000};
};

// What waits to be exported, and when it is sent: one batch at a time. It is told the time and sends nothing itself.
//
// Threads: one at a time.
class ExportQueue {
  public:
    using Time = std::chrono::steady_clock::time_point;

    // `spread` gives a number from 0 to 1, by which servers that failed together do not come back together.
    ExportQueue(const ExportLimits& limits, std::function<double()> spread)
        : limits_(limits), spread_(std::move(spread)) {}

    // False: there is no room for it.
    bool add(Span span, Time now);
    // When there is a batch to take, unless more is added; nothing: while nothing waits, or a batch is under way.
    std::optional<Time> due() const;
    // That batch, if it is due. It is under way until one of the next two is called.
    std::vector<Span> take(Time now);
    // The collector has had it, or never will.
    void done();
    // It comes once more, first of all, after a pause that is as long as the collector wants at least.
    void failed(std::vector<Span> batch, Time now, std::chrono::milliseconds wanted);
    // From now on nothing lingers, no pause is kept, and nothing is added.
    void end() { ended_ = true; }
    // Forgets what waits: how many.
    std::size_t clear();

  private:
    const ExportLimits limits_;
    const std::function<double()> spread_;
    std::deque<Span> waiting_;
    std::size_t under_way_ = 0;
    Time since_;         // the first of a batch waits
    Time paused_until_;  // after a failure
    std::chrono::milliseconds pause_{0};
    bool ended_ = false;
};

}  // namespace flowfabric::server
