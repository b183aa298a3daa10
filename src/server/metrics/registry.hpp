#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include <prometheus/histogram.h>
#include <prometheus/registry.h>

// What Prometheus reads from this process.
namespace flowfabric::server {

// Any thread may call it. Families are made by whoever keeps them up to date, through all().
class Metrics {
  public:
    Metrics();

    prometheus::Registry& all() { return registry_; }
    // Called before each scrape, on its thread: for what is looked up rather than counted.
    void before_scrape(std::function<void()> look);
    // In the text format.
    std::string scrape();

    // From 1 ms to 60 s.
    static const prometheus::Histogram::BucketBoundaries& seconds();

  private:
    prometheus::Registry registry_;
    std::mutex mutex_;  // guards looks_, and one scrape at a time
    std::vector<std::function<void()>> looks_;
};

}  // namespace flowfabric::server
