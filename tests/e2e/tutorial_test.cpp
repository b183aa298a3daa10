#include <regex>

#include "e2e/http_test.hpp"

// The commands of the tutorials, as a reader types them.
namespace flowfabric::test {
namespace {

// What stands between ```sh and ``` on the page, in order.
std::string commands_of(const std::string& page) {
    std::ifstream file(std::string(FF_SOURCE_DIR) + "/docs/" + page);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::regex block("```sh\n([^`]*(?:`[^`]+)*?)```");
    std::string commands;
    for (std::sregex_iterator found(text.begin(), text.end(), block), end; found != end; ++found)
        commands += (*found)[1];
    return commands;
}

class Tutorials : public HttpApi {};
INSTANTIATE_TEST_SUITE_P(Stores, Tutorials, durable_stores(), name_of_param);

TEST_P(Tutorials, CurlAloneTakesAnExecutionThroughAnApproval) {
    const Finished finished = run_program({"env", "FF_URL=http://127.0.0.1:" + std::to_string(port()), "bash", "-euo",
                                           "pipefail", "-c", commands_of("tutorial-curl.md")});
    EXPECT_EQ(finished.status, 0) << finished.errors;
    EXPECT_EQ(finished.output,
              "\"waiting\"\n"
              "{\"execution_kind\":\"refund\",\"lane_id\":\"payments\",\"public_state\":\"waiting\"}\n"
              "{\"order\":4711,\"cents\":2500}\n"
              "checked\n"
              "\"suspended\"\n"
              "resume_condition_satisfied\n"
              "{\"limit\":3000}\n"
              "completed\n"
              "{\"refunded\":2500}\n"
              "event: completion\n");
}

// The page's commands in a folder of their own, with `ff` on PATH. `place` says what they talk to.
Finished run_cli_tutorial(const std::string& place) {
    std::string folder = (std::filesystem::temp_directory_path() / "ff-tutorial.XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error("cannot create " + folder);
    const std::string programs = std::filesystem::path(FF_BINARY).parent_path();
    auto finished = run_program({"env", "-C", folder, place, "PATH=" + programs + ":/usr/bin:/bin", "bash", "-euo",
                                 "pipefail", "-c", commands_of("tutorial-cli.md")});
    std::filesystem::remove_all(folder);
    return finished;
}

void expect_the_approval_told(const Finished& finished) {
    EXPECT_EQ(finished.status, 0) << finished.errors;
    const auto& told = finished.output;
    for (const std::string part : {"predicate  waiting_for_worker", "  refund  suspended  ", "approval  ",
                                   "resume_condition_satisfied", "  refund  completed  ", "  checked\n",
                                   R"(refunded {"order":4711,"cents":2500}, limit {"limit":3000})", "  success\n"}) {
        EXPECT_NE(told.find(part), std::string::npos) << part << " is missing in\n" << told;
    }
}

TEST_P(Tutorials, FfAloneTakesAnExecutionThroughAnApprovalOverAServer) {
    expect_the_approval_told(run_cli_tutorial("FF_SERVER=http://127.0.0.1:" + std::to_string(port())));
}

TEST_P(Tutorials, FfAloneTakesAnExecutionThroughAnApprovalOnAStore) {
    expect_the_approval_told(run_cli_tutorial("FF_STORE=" + store().url()));
}

}  // namespace
}  // namespace flowfabric::test
