#include "server/metrics/registry.hpp"

#include <utility>

#include <prometheus/gauge.h>
#include <prometheus/text_serializer.h>

#include "runtime/threads/guard.hpp"

namespace flowfabric::server {

Metrics::Metrics(std::function<Clock::time_point()> now) : now_(std::move(now)) {
    prometheus::BuildGauge()
        .Name("ff_build_info")
        .Help("The version that runs; always 1")
        .Register(registry_)
        .Add({{"version", FF_VERSION}})
        .Set(1);
}

void Metrics::before_scrape(std::function<void()> look) {
    const std::scoped_lock lock(mutex_);
    looks_.push_back(std::move(look));
}

void Metrics::look() {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock || (looked_at_ && now_() < *looked_at_ + std::chrono::seconds(1))) return;
    for (const auto& look : looks_) contain("a look for a metric broke", look);
    looked_at_ = now_();
}

std::string Metrics::scrape() {
    look();
    return prometheus::TextSerializer().Serialize(registry_.Collect());
}

const prometheus::Histogram::BucketBoundaries& Metrics::seconds() {
    static const prometheus::Histogram::BucketBoundaries boundaries{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                                                    0.5,   1,      2.5,   5,    10,    20,   30,  60};
    return boundaries;
}

}  // namespace flowfabric::server
