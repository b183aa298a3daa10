#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "flowfabric/engine.hpp"

namespace flowfabric::test {

// What an engine has promised so far.
struct Acknowledged {
    std::set<ExecutionId> created;
    std::set<ExecutionId> completed;
    std::vector<std::string> contradictions;  // the same thing twice, or an error where there should be none
};

struct LoadOptions {
    int submitters = 16;
    int claimers = 4;
    std::size_t executions = 2000;
    std::uint64_t lease_ttl_ms = 60'000;
};

// Submits, claims and completes at the same time, asynchronously, and remembers every answer. Answers arrive on the
// engine's executor; the engine outlives this object.
class Load {
  public:
    using OnAcknowledged = std::function<void(std::string_view what, const ExecutionId& id)>;

    Load(Engine& engine, LoadOptions options, OnAcknowledged on_acknowledged = {});
    ~Load();
    Load(const Load&) = delete;
    Load& operator=(const Load&) = delete;

    void await_completed(std::size_t count);
    // Until every execution that it submitted is completed and nothing is under way.
    void await_end() { await_completed(options_.executions); }
    std::size_t completed() const;
    Acknowledged acknowledged() const;

  private:
    void submit();
    void claim(int claimer);
    void on_created(const Result<Created>& answer);
    void on_claimed(int claimer, const Result<Claimed>& answer);
    void on_completed(const Result<Completed>& answer);
    void leave();

    Engine& engine_;
    const LoadOptions options_;
    const OnAcknowledged on_acknowledged_;
    mutable std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    Acknowledged acknowledged_;
    std::set<ExecutionId> claimed_;
    std::size_t submitted_ = 0;
    int under_way_ = 0;  // submitters and claimers, and completes that are not answered
    bool stopping_ = false;
};

}  // namespace flowfabric::test
