#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <prometheus/histogram.h>
#include <prometheus/registry.h>

// What Prometheus reads from this process.
namespace flowfabric::server {

// Any thread may call it. Families are made by whoever keeps them up to date, through all().
class Metrics {
  public:
    using Clock = std::chrono::steady_clock;

    explicit Metrics(std::function<Clock::time_point()> now = Clock::now);

    prometheus::Registry& all() { return registry_; }
    // Called before a scrape, on its thread: for what is looked up rather than counted.
    void before_scrape(std::function<void()> look);
    // In the text format. Looks at most once a second, and waits for no other scrape's looks: it tells what is known.
    std::string scrape();

    // From 1 ms to 60 s.
    static const prometheus::Histogram::BucketBoundaries& seconds();

  private:
    void look();

    const std::function<Clock::time_point()> now_;
    prometheus::Registry registry_;
    std::mutex mutex_;  // guards everything below, and one look at a time
    std::vector<std::function<void()>> looks_;
    std::optional<Clock::time_point> looked_at_;
};

}  // namespace flowfabric::server
