#include <csignal>

#include "e2e/e2e_test.hpp"

// `ff stream`, and what puts frames out from a shell: the programs of `ff worker`, and `ff task frame`.
namespace flowfabric::test {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StreamCli : public EndToEnd {
  protected:
    std::vector<std::string> worker(const std::string& script, std::vector<std::string> options = {}) {
        options.insert(options.begin(), {"worker", "--json", "--lane", "reports", "--frames-fd", "3"});
        options.insert(options.end(), {"--", "sh", "-c", script});
        return command(std::move(options));
    }
    // Runs the script for one execution, to its end.
    std::string run_one(const std::string& script, const std::vector<std::string>& options = {},
                        const std::string& end = "completed") {
        const auto id = submit({"--lane", "reports", "--max-retries", "0"});
        Process process(worker(script, options));
        EXPECT_EQ(text(json::parse(process.await_line(id)).at("end")), end);
        process.signal(SIGTERM);
        EXPECT_EQ(process.wait(), 0);
        return id;
    }
    std::vector<json::object> lines_of(const std::string& id) {
        const Finished finished = run({"stream", id, "--json", "--from-start", "--no-follow"});
        EXPECT_EQ(finished.status, 0) << finished.errors;
        std::vector<json::object> lines;
        std::istringstream all(finished.output);
        for (std::string line; std::getline(all, line);) lines.push_back(json::parse(line).as_object());
        return lines;
    }
    // The frames' bytes.
    std::vector<std::string> frames_of(const std::string& id) {
        std::vector<std::string> frames;
        for (const auto& line : lines_of(id)) {
            if (const auto* bytes = line.if_contains("payload_b64")) frames.push_back(*from_base64(text(*bytes)));
        }
        return frames;
    }
    std::string closed_reason_of(const std::string& id) { return text(lines_of(id).back().at("closed_reason")); }
    void await_frame(const std::string& id) {
        await("a frame of " + id, [&] { return !frames_of(id).empty(); });
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, StreamCli, durable_stores(), name_of_param);

// ---- programs of ff worker ----------------------------------------------------------------------------------------

TEST_P(StreamCli, LinesOfADescriptorBecomeFramesToTheLastByte) {
    const auto id = run_one(R"(printf 'one\ntwo\n\n\000\377\nthe last' >&$FF_FRAMES_FD; echo result)");
    EXPECT_THAT(frames_of(id), ElementsAre("one\n", "two\n", "\n", std::string("\0\377\n", 3), "the last"));
    EXPECT_EQ(lines_of(id).front().at("frame_type"), "event");
    EXPECT_EQ(closed_reason_of(id), "attempt_success");
    EXPECT_EQ(result_of(id), "result\n");
}

TEST_P(StreamCli, ALineThatIsTooLongForAFrameIsCut) {
    const auto id = run_one(R"(head -c 150000 /dev/zero | tr '\0' x >&3; echo >&3; echo short >&3)");
    const auto frames = frames_of(id);
    ASSERT_EQ(frames.size(), 4U);
    EXPECT_EQ(frames[0], std::string(65'536, 'x'));
    EXPECT_EQ(frames[1], std::string(65'536, 'x'));
    EXPECT_EQ(frames[2], std::string(150'000 - 2 * 65'536, 'x') + '\n');
    EXPECT_EQ(frames[3], "short\n");
    EXPECT_TRUE(run({"stream", id}).output == std::string(150'000, 'x') + "\nshort\n");
}

TEST_P(StreamCli, StandardOutputAndErrorBecomeFramesBesideWhatTheyAre) {
    const auto id = run_one("echo out; echo err >&2; echo own >&3", {"--frames", "stdout", "--frames", "stderr"});
    std::map<std::string, std::string> by_type;
    for (const auto& line : lines_of(id)) {
        if (line.contains("frame_type"))
            by_type[text(line.at("frame_type"))] = *from_base64(text(line.at("payload_b64")));
    }
    EXPECT_EQ(by_type,
              (std::map<std::string, std::string>{{"event", "own\n"}, {"stderr", "err\n"}, {"stdout", "out\n"}}));
    EXPECT_EQ(result_of(id), "out\n");
    const Finished shown = run({"stream", id});
    EXPECT_EQ(shown.errors, "err\n");
    EXPECT_THAT(shown.output, ::testing::AllOf(HasSubstr("out\n"), HasSubstr("own\n")));
}

TEST_P(StreamCli, AProgramThatWritesFasterThanTheStoreIsHeldBackAndLosesNothing) {
    const auto id = run_one("seq 1 3000 >&3");
    const auto frames = frames_of(id);
    ASSERT_EQ(frames.size(), 3000U);
    for (std::size_t i = 0; i < frames.size(); ++i) ASSERT_EQ(frames[i], std::to_string(i + 1) + '\n');
}

TEST_P(StreamCli, WhatAKilledProgramHasWrittenIsThere) {
    const auto id = run_one("echo begun >&3; printf unfinished >&3; kill -9 $$", {}, "failed");
    EXPECT_THAT(frames_of(id), ElementsAre("begun\n", "unfinished"));
    EXPECT_EQ(closed_reason_of(id), "attempt_failure");
}

TEST_P(StreamCli, AFollowerGoesOnWithTheAttemptBehindAKilledWorker) {
    const auto id = submit({"--lane", "reports"});
    Process follower(command({"stream", id, "--from-start"}));
    {
        Process first(worker("echo first >&3; exec sleep 600", {"--lease-ttl", "1s"}));
        follower.await_line("first");
        first.signal(SIGKILL);
        EXPECT_EQ(first.wait_for(patience), -SIGKILL);
    }
    Process second(worker("echo second >&3"));
    follower.await_line("second");
    EXPECT_EQ(follower.wait(), 0);
    EXPECT_EQ(follower.output(), "first\nsecond\n");
    EXPECT_EQ(follower.errors(), "ff: attempt 0: lease_expired\n");
    second.signal(SIGTERM);
    EXPECT_EQ(second.wait(), 0);
}

TEST_P(StreamCli, WithoutTheOptionAProgramHasNoSuchDescriptor) {
    const auto id = submit({"--lane", "reports"});
    Process process(command({"worker", "--json", "--lane", "reports", "--", "sh", "-c",
                             "(echo x >&3) 2>/dev/null && echo open || echo \"closed ${FF_FRAMES_FD:-unset}\""}));
    process.await_line(id);
    EXPECT_EQ(result_of(id), "closed unset\n");
    EXPECT_TRUE(frames_of(id).empty());
}

// ---- ff task frame ------------------------------------------------------------------------------------------------

TEST_P(StreamCli, AProgramPutsOutFramesOfAnyKind) {
    const std::string ff_path = ff({}).front();
    const auto id = run_one(ff_path + " task frame 'page 3' --type step --correlation-id c-1 && " + ff_path +
                            R"( task frame '{"pages": 3}' --mode summary && )" + ff_path +
                            " task frame fading --mode best_effort --ttl 60s --json");
    const auto lines = lines_of(id);
    ASSERT_EQ(lines.size(), 4U);
    EXPECT_EQ(lines[0].at("frame_type"), "step");
    EXPECT_EQ(lines[0].at("correlation_id"), "c-1");
    EXPECT_EQ(lines[1].at("summary_version"), 1);
    EXPECT_EQ(lines[2].at("ttl_ms"), 60'000);
    EXPECT_EQ(json::parse(result_of(id)).at("frame_count"), 3);
    EXPECT_EQ(run({"stream", id, "--no-follow"}).output, "page 3\n{\"pages\": 3}\nfading\n");
    EXPECT_EQ(run({"stream", id, "--durable"}).output, "page 3\n{\"pages\": 3}\n");
    EXPECT_EQ(json::parse(run({"stream", id, "--summary"}).output), json::parse(R"({"pages":3})"));
    EXPECT_EQ(json_of({"stream", id, "--summary"}).at("version"), 1);
}

// ---- ff stream ----------------------------------------------------------------------------------------------------

TEST_P(StreamCli, AnExecutionIsFollowedOverAServerUntilItEnds) {
    Process server(command({"server", "--json", "--listen", "127.0.0.1:0"}));
    const std::string url = text(json::parse(server.await_line("url")).at("url"));
    const auto id = submit({"--lane", "reports", "--max-retries", "1", "--retry-delay", "1ms"});
    Process follower(ff({"stream", "--server", url, id, "--json"}));
    Process working(ff({"worker", "--server", url, "--lane", "reports", "--frames-fd", "3", "--", "sh", "-c",
                        "seq 1 500 >&3; echo attempt $FF_ATTEMPT_INDEX >&3; [ $FF_ATTEMPT_INDEX = 1 ]"}));
    EXPECT_EQ(follower.wait(), 0) << follower.errors();
    std::vector<std::string> told;
    std::string cursor;
    for (const Line& line : follower.lines()) {
        const auto shown = json::parse(line.text);
        const std::string attempt = json::serialize(shown.at("attempt_index"));
        const auto* bytes = shown.as_object().if_contains("payload_b64");
        told.push_back(attempt + ' ' +
                       (bytes != nullptr ? *from_base64(text(*bytes)) : text(shown.at("closed_reason"))));
        if (told.size() == 2 * 502 - 2) cursor = text(shown.at("cursor"));
    }
    std::vector<std::string> expected;
    for (const std::string attempt : {"0", "1"}) {
        for (int i = 1; i <= 500; ++i) expected.push_back(attempt + ' ' + std::to_string(i) + '\n');
        expected.push_back(attempt + " attempt " + attempt + '\n');
        expected.push_back(attempt + (attempt == "0" ? " attempt_failure" : " attempt_success"));
    }
    EXPECT_EQ(told, expected);
    const Finished rest = run_ff({"stream", "--server", url, id, "--from", cursor});
    EXPECT_EQ(rest.output, "attempt 1\n");
    for (Process* process : {&working, &server}) {
        process->signal(SIGTERM);
        EXPECT_EQ(process->wait(), 0);
    }
}

TEST_P(StreamCli, OneAttemptAloneIsFollowedToItsEnd) {
    const auto id = submit({"--lane", "reports", "--max-retries", "1", "--retry-delay", "1ms"});
    Process process(worker("echo attempt $FF_ATTEMPT_INDEX >&3; [ $FF_ATTEMPT_INDEX = 1 ]"));
    await_state(id, "completed");
    EXPECT_EQ(run({"stream", id}).output, "attempt 1\n");
    EXPECT_EQ(run({"stream", id, "--attempt", "0"}).output, "attempt 0\n");
    EXPECT_EQ(run({"stream", id, "--from-start"}).output, "attempt 0\nattempt 1\n");
}

TEST_P(StreamCli, WhatPutsNothingOutIsFollowedToItsEndToo) {
    const auto id = submit({"--lane", "reports"});
    Process follower(command({"stream", id}));
    EXPECT_EQ(run({"stream", id, "--no-follow"}).status, 0);
    EXPECT_EQ(run({"cancel", id}).status, 0);
    EXPECT_EQ(follower.wait(), 0);
    EXPECT_EQ(follower.output() + follower.errors(), "");
}

TEST_P(StreamCli, AFollowerEndsWhenItIsAskedTo) {
    const auto id = submit({"--lane", "reports"});
    Process working(worker("echo running >&3; exec sleep 600"));
    Process follower(command({"stream", id}));
    follower.await_line("running");
    follower.signal(SIGINT);
    EXPECT_EQ(follower.wait(), 0);
    working.signal(SIGTERM);
    working.await_line("stopping");
    working.signal(SIGTERM);
    working.wait();
}

TEST_P(StreamCli, WhatThereIsNotIsRefusedByName) {
    expect_typed_error(run({"stream", "--json", "{fp:7}:00000000-0000-7000-8000-000000000001"}), "execution_not_found");
    const auto id = submit();
    expect_typed_error(run({"stream", "--json", id, "--from", "xyz"}), "invalid_input");
    expect_typed_error(run({"stream", "--json", id, "--summary"}), "invalid_input");
    EXPECT_EQ(run({"stream", id, "--from-start", "--attempt", "1"}).status, 2);
    EXPECT_EQ(run({"worker", "--frames-fd", "2", "--", "cat"}).status, 2);
    EXPECT_EQ(run_ff({"task", "frame", "x"}).status, 1) << "outside of a task";
}

}  // namespace
}  // namespace flowfabric::test
