#include <csignal>

#include "e2e/e2e_test.hpp"

namespace flowfabric::test {
namespace {

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

TEST_P(SharedFile, LetsASubmitterAndTwoWorkersGoOnSideBySide) {
    // The submitter first: it is a copy of this process, which has no threads yet.
    Process submitter = start_submitter();
    Process first(worker());
    Process second(worker());
    // One that is starved by the others never gets there.
    for (std::size_t lines = 2; lines <= 40; lines *= 2) {
        for (const Process* process : {&submitter, &first, &second}) process->await_lines(lines);
    }
    submitter.signal(SIGKILL);
    for (Process* worker_process : {&first, &second}) {
        worker_process->signal(SIGTERM);
        EXPECT_EQ(worker_process->wait(), 0);
    }
}

}  // namespace
}  // namespace flowfabric::test
