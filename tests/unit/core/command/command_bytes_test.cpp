#include <gtest/gtest.h>

#include "flowfabric/submit_flow.hpp"
#include "unit/core/fixtures.hpp"

namespace flowfabric::test {
namespace {

const std::string kibibyte(1024, 'x');

void expect_content(const Given& given, std::size_t bytes) {
    const std::size_t counted = given.command->bytes();
    EXPECT_GE(counted, sizeof(CommandBody) + bytes);
    EXPECT_LT(counted, bytes + 4 * sizeof(AdmittedCreate));
}

TEST(CommandBytes, CountWhateverTheCallerPutIn) {
    const ExecutionRow row = running_row();
    const LeaseRef lease = lease_on(row);
    expect_content(Renew{.lease = lease}, 0);
    expect_content(Complete{.lease = lease, .result = kibibyte}, 1024);
    expect_content(Fail{.lease = lease, .reason = kibibyte}, 1024);
    expect_content(Progress{.lease = lease, .message = kibibyte}, 1024);
    expect_content(Cancel{.lease = lease, .reason = kibibyte}, 1024);
    const std::string source(256, 's');
    expect_content(CancelExecution{.execution = {.execution_id = row.id}, .reason = kibibyte, .source = source}, 1280);
    expect_content(SetExecutionTags{.execution_id = row.id, .tags = {{"app.key", kibibyte}}}, 1024);
    expect_content(RevokeLease{.execution_id = row.id, .reason = kibibyte}, 1024);
    expect_content(DeliverSignal{.execution_id = row.id, .payload = kibibyte}, 1024);
    expect_content(SetFlowTag{.flow_id = FlowId{uuid_of(1)}, .key = "app.key", .value = kibibyte}, 1024);
}

TEST(CommandBytes, CountWhatACreationKeepsBesidesItsInput) {
    CreateExecution create;
    create.input_payload = kibibyte;
    create.tags = {{"app.key", kibibyte}};
    RetryPolicy& retries = create.policy.emplace().retry_policy.emplace();
    retries.retryable_categories.assign(8, std::string(128, 'x'));
    expect_content(create, 3072);
}

TEST(CommandBytes, CountEveryMemberOfAGraph) {
    SubmitFlow graph{.flow_kind = "test"};
    for (const std::string name : {"a", "b"}) {
        graph.nodes.push_back({.name = name, .execution = {.input_payload = kibibyte}, .policy = {}});
    }
    expect_content(graph, 2048);
}

}  // namespace
}  // namespace flowfabric::test
