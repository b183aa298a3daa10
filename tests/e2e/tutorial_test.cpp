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

}  // namespace
}  // namespace flowfabric::test
