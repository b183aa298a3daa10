#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "flowfabric/result.hpp"
#include "remote/post_address.hpp"
#include "server/tracing/export_queue.hpp"

namespace flowfabric::server {

// What became of spans.
enum class ExportOutcome : std::uint8_t {
    exported,
    rejected,  // the collector does not take them
    dropped,   // there was no room for them, or no collector until the end
};

struct ExportOptions {
    std::string url;                       // of a collector's traces
    remote::PostAddress::Headers headers;  // secrets among them
    std::string service_name;
    ExportLimits limits = {};
    // From any thread.
    std::function<void(ExportOutcome outcome, std::size_t count)> observe = {};
};

// Sends spans to a collector by the OpenTelemetry Protocol, over HTTP in JSON.
//
// Life cycle: start() starts the thread; finish(), or the destructor, ends it.
// Threads: one of its own does all the I/O, a request at a time. Whoever adds spans never waits for it.
class SpanExporter {
  public:
    static Result<std::unique_ptr<SpanExporter>> start(ExportOptions options);
    ~SpanExporter();
    SpanExporter(const SpanExporter&) = delete;
    SpanExporter& operator=(const SpanExporter&) = delete;

    // From any thread.
    void add(std::vector<Span> spans);
    // Sends what waits, until then or until the collector fails, and joins. What is added later is dropped.
    void finish(std::chrono::steady_clock::time_point until);

  private:
    class Impl;
    explicit SpanExporter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace flowfabric::server
