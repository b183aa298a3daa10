#include "core/command/command_bytes.hpp"

#include <gtest/gtest.h>

namespace flowfabric::test {
namespace {

const std::string kibibyte(1024, 'x');

void expect_content(const Command& command, std::size_t bytes) {
    EXPECT_GE(bytes_of(command), sizeof(Command) + bytes);
    EXPECT_LT(bytes_of(command), sizeof(Command) + bytes + 3 * sizeof(AdmittedCreate));
}

TEST(CommandBytes, CountWhateverTheCallerPutIn) {
    expect_content(AdmittedRenew{}, 0);
    expect_content(AdmittedComplete{.result = kibibyte}, 1024);
    expect_content(AdmittedFail{.reason = kibibyte}, 1024);
    expect_content(AdmittedProgress{.message = kibibyte}, 1024);
    expect_content(AdmittedCancel{.reason = kibibyte, .source = kibibyte}, 2048);
    expect_content(AdmittedTags{.tags = {{"key", kibibyte}}}, 1024);
    expect_content(AdmittedSignal{.payload = kibibyte}, 1024);
    expect_content(AdmittedFlowTag{.value = kibibyte}, 1024);
}

TEST(CommandBytes, CountWhatACreationKeepsBesidesItsInput) {
    AdmittedCreate create;
    create.input = kibibyte;
    create.row.policy = Json{kibibyte};
    create.row.tags = Json{kibibyte};
    expect_content(create, 3072);
}

TEST(CommandBytes, CountEveryMemberOfAGraph) {
    AdmittedGraph graph;
    graph.members.resize(2);
    for (AdmittedCreate& member : graph.members) member.input = kibibyte;
    expect_content(graph, 2048);
}

}  // namespace
}  // namespace flowfabric::test
