#include "bench/followers.hpp"

#include <poll.h>

#include <algorithm>
#include <atomic>
#include <iostream>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include "bench/report.hpp"
#include "cli/store_location.hpp"
#include "cli/text/output.hpp"

namespace flowfabric::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view ready_line = "ready";
constexpr std::string_view complete_line = "complete";
constexpr auto followers_patience = 60s;

EngineError process_has_ended() {
    return broken("the subscribers' process has ended");
}

Stage stage_of(const LeaseEvent& event) {
    if (event.event_type == LeaseEventType::acquired) return Stage::begun;
    return event.event_type == LeaseEventType::released ? Stage::ended : Stage::between;
}

std::optional<Sighting> sighting_of(const Event& event, BenchClock::time_point seen_at) {
    if (const auto* lease = std::get_if<LeaseEvent>(&event)) {
        return Sighting{.execution_id = lease->execution_id, .stage = stage_of(*lease), .seen_at = seen_at};
    }
    if (const auto* completion = std::get_if<CompletionEvent>(&event)) {
        return Sighting{.execution_id = completion->execution_id, .stage = Stage::ended, .seen_at = seen_at};
    }
    return std::nullopt;
}

// One subscriber with a thread of its own, which ends with the last event, with an error, or when it is told to stop.
class Follower {
  public:
    Follower(std::unique_ptr<Subscription> subscription, const ExecutionId& last)
        : subscription_(std::move(subscription)), thread_([this, last] { follow(last); }) {}
    ~Follower() {
        stopping_ = true;
        thread_.join();
    }
    Follower(const Follower&) = delete;
    Follower& operator=(const Follower&) = delete;

    bool ended() const { return ended_; }
    // Once it has ended.
    const std::vector<Sighting>& sightings() const { return sightings_; }
    const std::optional<EngineError>& error() const { return error_; }

  private:
    void follow(const ExecutionId& last) {
        std::int64_t newest = 0;
        while (!stopping_) {
            const auto delivery = subscription_->next(200ms);
            const auto now = BenchClock::now();
            if (!delivery) {
                error_ = delivery.error();
                break;
            }
            const auto* event = *delivery ? std::get_if<Event>(&**delivery) : nullptr;
            if (event == nullptr) continue;
            if (id_of(*event) <= newest) {
                error_ = broken(fmt::format("event {} came after event {}", id_of(*event), newest));
                break;
            }
            newest = id_of(*event);
            const auto sighting = sighting_of(*event, now);
            if (!sighting) continue;
            sightings_.push_back(*sighting);
            if (sighting->execution_id == last && sighting->stage == Stage::ended) break;
        }
        ended_ = true;
    }

    const std::unique_ptr<Subscription> subscription_;
    std::vector<Sighting> sightings_;
    std::optional<EngineError> error_;
    std::atomic<bool> stopping_ = false;
    std::atomic<bool> ended_ = false;
    std::thread thread_;
};

bool input_ends_within(std::chrono::milliseconds at_most) {
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    return poll(&input, 1, static_cast<int>(at_most.count())) > 0;
}

void print(std::size_t follower, const Sighting& sighting) {
    cli::print_line(fmt::format("{} {} {} {}", follower, static_cast<char>(sighting.stage),
                                nanoseconds(sighting.seen_at), sighting.execution_id.to_string()));
}

// Cuts off what stands before the next space.
std::string_view next_word(std::string_view& line) {
    const auto word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(word.size() + 1, line.size()));
    return word;
}

Result<void> follow(const StoreOptions& store, std::size_t count, const ExecutionId& last) {
    const auto engine = cli::open_engine(store, cli::Reconcilers::off);
    if (!engine) return engine.error();
    std::vector<std::unique_ptr<Follower>> followers;
    for (const Followed& followed : followed_by(count)) {
        flowfabric::SubscribeOptions options;
        options.namespace_name = followed.namespace_name;
        auto subscription = (*engine)->subscribe(followed.channel, options);
        if (!subscription) return subscription.error();
        followers.push_back(std::make_unique<Follower>(*std::move(subscription), last));
    }
    cli::print_line(ready_line);
    std::cout.flush();
    while (!std::ranges::all_of(followers, &Follower::ended, [](const auto& one) -> auto& { return *one; })) {
        if (input_ends_within(50ms)) return {};
    }
    for (std::size_t i = 0; i < followers.size(); ++i) {
        if (followers[i]->error()) return *followers[i]->error();
        for (const Sighting& sighting : followers[i]->sightings()) print(i, sighting);
    }
    cli::print_line(complete_line);
    std::cout.flush();
    return {};
}

}  // namespace

std::string Followed::name() const {
    return namespace_name ? fmt::format("{}, namespace {}", to_string(channel), *namespace_name)
                          : std::string(to_string(channel));
}

std::vector<Followed> followed_by(std::size_t count) {
    std::vector<Followed> all{{.channel = Channel::completion, .namespace_name = std::nullopt},
                              {.channel = Channel::lease, .namespace_name = std::nullopt},
                              {.channel = Channel::completion, .namespace_name = CreateExecution{}.namespace_name}};
    all.resize(std::min(count, all.size()));
    return all;
}

Followers::Followers(const std::string& store, std::size_t count, const ExecutionId& last)
    : sightings_(count),
      // The store by the environment, where other users do not see a password.
      process_({"/proc/self/exe", "subscribe", "--follow", fmt::to_string(count), "--until", last.to_string()},
               {{"FF_STORE", store}},
               {.on_line = [this](std::string_view line) { on_line(line); }, .on_end = [this] { on_end(); }}) {}

Result<void> Followers::await_ready() {
    return await(ready_, "are not ready");
}

Result<void> Followers::still_there() {
    const std::scoped_lock lock(mutex_);
    if (gone_ && !complete_) return process_has_ended();
    return {};
}

Result<std::vector<std::vector<Sighting>>> Followers::await_end() {
    if (auto ended = await(complete_, "have not seen the last event"); !ended) return ended.error();
    const std::scoped_lock lock(mutex_);
    return std::move(sightings_);
}

Result<void> Followers::await(const bool& happened, std::string_view what) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, followers_patience, [&] { return happened || gone_; });
    if (happened) return {};
    return gone_ ? process_has_ended() : broken(fmt::format("the subscribers {} for a minute", what));
}

void Followers::on_line(std::string_view line) {
    const std::scoped_lock lock(mutex_);
    if (line == ready_line || line == complete_line) {
        (line == ready_line ? ready_ : complete_) = true;
        changed_.notify_all();
        return;
    }
    const auto follower = static_cast<std::size_t>(number_in(next_word(line)));
    const auto stage = static_cast<Stage>(next_word(line).front());
    const std::chrono::nanoseconds seen_at(number_in(next_word(line)));
    if (const auto id = ExecutionId::parse(line); id && follower < sightings_.size()) {
        sightings_[follower].push_back(
            {.execution_id = *id, .stage = stage, .seen_at = BenchClock::time_point(seen_at)});
    }
}

void Followers::on_end() {
    const std::scoped_lock lock(mutex_);
    gone_ = true;
    changed_.notify_all();
}

Result<Lag> lag_of(const Followed& followed, const std::vector<Sighting>& sightings,
                   std::vector<AnsweredComplete> completed) {
    struct Seen {
        std::uint64_t begun = 0;
        std::uint64_t ended = 0;
    };
    std::ranges::sort(completed, {}, &AnsweredComplete::execution_id);
    std::vector<Seen> seen(completed.size());
    Lag lag;
    for (const Sighting& sighting : sightings) {
        const auto known =
            std::ranges::lower_bound(completed, sighting.execution_id, {}, &AnsweredComplete::execution_id);
        if (known == completed.end() || known->execution_id != sighting.execution_id) continue;
        Seen& times = seen[static_cast<std::size_t>(known - completed.begin())];
        ++lag.events;
        if (sighting.stage == Stage::begun) ++times.begun;
        if (sighting.stage != Stage::ended) continue;
        ++times.ended;
        lag.samples.push_back(std::max(sighting.seen_at - known->answered_at, BenchClock::duration::zero()));
    }
    std::uint64_t lost = 0;
    std::uint64_t repeated = 0;
    const auto expect_once = [&](std::uint64_t times) {
        if (times == 0) ++lost;
        if (times > 1) ++repeated;
    };
    for (const Seen& times : seen) {
        if (followed.channel == Channel::lease) expect_once(times.begun);
        expect_once(times.ended);
    }
    if (lost == 0 && repeated == 0) return lag;
    return broken(
        fmt::format("the subscriber to {}: {} events lost, {} came more than once", followed.name(), lost, repeated));
}

int run_followers(const CommonOptions& common, std::size_t count, const std::string& last) {
    const auto id = ExecutionId::parse(last);
    if (!id) return fail_with(id.error(), common.json);
    if (const auto ended = follow(common.store, count, *id); !ended) return fail_with(ended.error(), common.json);
    return 0;
}

}  // namespace flowfabric::bench
