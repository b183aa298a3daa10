#include "server/tracing/tracers.hpp"

#include <chrono>
#include <random>
#include <utility>

#include "server/tracing/span_of.hpp"

namespace flowfabric::server {
namespace {

std::int64_t now_ns() {
    using namespace std::chrono;
    return duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
}

class AttemptTracer final : public EngineObserver {
  public:
    AttemptTracer(std::shared_ptr<SpanExporter> exporter, std::shared_ptr<EngineObserver> next)
        : exporter_(std::move(exporter)), next_(std::move(next)) {}

    bool wants_attempts() const override { return true; }
    void on_batch(const ObservedBatch& batch) override {
        next_->on_batch(batch);
        std::vector<Span> spans;
        for (const ObservedAttempt& attempt : batch.attempts) {
            if (auto span = span_of(attempt)) spans.push_back(*std::move(span));
        }
        if (!spans.empty()) exporter_->add(std::move(spans));
    }
    void on_contention() override { next_->on_contention(); }
    void on_reconciler(std::string_view name, std::chrono::microseconds took, bool succeeded) override {
        next_->on_reconciler(name, took, succeeded);
    }

  private:
    const std::shared_ptr<SpanExporter> exporter_;
    const std::shared_ptr<EngineObserver> next_;
};

}  // namespace

Observer request_tracer(std::shared_ptr<SpanExporter> exporter, bool by_tls) {
    // Traces of several servers meet in one collector: 32 bits of a seed would be too few.
    std::random_device seed;
    std::seed_seq seeds{seed(), seed(), seed(), seed()};
    const auto random = [numbers = std::make_shared<std::mt19937_64>(seeds)] { return (*numbers)(); };
    return [exporter = std::move(exporter), by_tls, random](const Served& served) {
        if (auto span = span_of(served, now_ns(), by_tls, random)) {
            std::vector<Span> one;
            one.push_back(*std::move(span));
            exporter->add(std::move(one));
        }
    };
}

std::shared_ptr<EngineObserver> attempt_tracer(std::shared_ptr<SpanExporter> exporter,
                                               std::shared_ptr<EngineObserver> next) {
    return std::make_shared<AttemptTracer>(std::move(exporter), std::move(next));
}

}  // namespace flowfabric::server
