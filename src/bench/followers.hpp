#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/line_process.hpp"
#include "bench/scenarios.hpp"
#include "bench/support.hpp"
#include "flowfabric/engine.hpp"

// Subscribers in a process of their own, and what they have seen. They keep it to themselves while they follow, so that
// nothing but their subscriptions costs the observed anything.
namespace flowfabric::bench {

struct Followed {
    Channel channel = Channel::completion;
    std::optional<std::string> namespace_name;

    std::string name() const;
};

// The benchmark's subscribers; the first `count` of them.
std::vector<Followed> followed_by(std::size_t count);

enum class Stage : char { begun = 'b', ended = 'e', between = '-' };

struct Sighting {
    ExecutionId execution_id;
    Stage stage = Stage::between;  // of the execution
    BenchClock::time_point seen_at;
};

// Life cycle: the constructor starts the process, the destructor ends it. Threads: one of the process reports lines,
// the caller's waits for them.
class Followers {
  public:
    // They follow until each has seen the end of `last`.
    Followers(const std::string& store, std::size_t count, const ExecutionId& last);
    Followers(const Followers&) = delete;
    Followers& operator=(const Followers&) = delete;

    Result<void> await_ready();
    // An error once the process has ended before its time.
    Result<void> still_there();
    // What each has seen, in its order.
    Result<std::vector<std::vector<Sighting>>> await_end();

  private:
    void on_line(std::string_view line);
    void on_end();
    Result<void> await(const bool& happened, std::string_view what);

    std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    bool ready_ = false;
    bool complete_ = false;
    bool gone_ = false;
    std::vector<std::vector<Sighting>> sightings_;

    const LineProcess process_;  // calls back until it is destroyed, so it is destroyed first
};

struct Lag {
    std::uint64_t events = 0;                   // of the executions that were asked for
    std::vector<BenchClock::duration> samples;  // from the answer to its end's event; none when the event was faster
};
// Fails unless every event of `completed` was seen exactly once. Others may use the store: their events do not count.
Result<Lag> lag_of(const Followed& followed, const std::vector<Sighting>& sightings,
                   std::vector<AnsweredComplete> completed);

// The process itself.
int run_followers(const CommonOptions& common, std::size_t count, const std::string& last);

}  // namespace flowfabric::bench
