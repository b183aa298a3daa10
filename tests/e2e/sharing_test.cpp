#include <algorithm>
#include <array>
#include <csignal>

#include "e2e/e2e_test.hpp"

namespace flowfabric::test {
namespace {

using Clock = std::chrono::steady_clock;

class SharedFile : public EndToEnd {
  protected:
    // Submits one after another, as fast as the store takes them, and says so.
    Process start_submitter() {
        return Process([this](int output) {
            const auto engine = store().open_engine({.run_reconcilers = false});
            while (engine->create_execution({})) {
                if (::write(output, "created\n", 8) < 0) return;
            }
        });
    }
    std::vector<std::string> worker() { return command({"worker", "--concurrency", "2", "--", "true"}); }
};
INSTANTIATE_TEST_SUITE_P(Stores, SharedFile, durable_stores(), name_of_param);

TEST_P(SharedFile, LetsASubmitterAndTwoWorkersMakeProgressInEverySecond) {
    // The submitter first: it is a copy of this process, which has no threads yet.
    Process submitter = start_submitter();
    Process first(worker());
    Process second(worker());
    const std::array<Process*, 3> processes{&submitter, &first, &second};
    for (const Process* process : processes) process->await_lines(2);

    constexpr int seconds = 4;
    const auto begin = Clock::now();
    std::this_thread::sleep_until(begin + std::chrono::seconds(seconds));
    for (const Process* process : processes) {
        const auto lines = process->lines();
        for (int second_number = 0; second_number < seconds; ++second_number) {
            const auto from = begin + std::chrono::seconds(second_number);
            const auto count =
                std::ranges::count_if(lines, [&](const Line& line) { return line.at >= from && line.at < from + 1s; });
            EXPECT_GT(count, 0) << "process " << process->id() << " stood still in second " << second_number;
        }
    }
    submitter.signal(SIGKILL);
    for (Process* worker_process : {&first, &second}) {
        worker_process->signal(SIGTERM);
        EXPECT_EQ(worker_process->wait(), 0);
    }
}

}  // namespace
}  // namespace flowfabric::test
