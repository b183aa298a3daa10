#include "conformance/api_test.hpp"

// Executions with all that is kept of them, page by page.
namespace flowfabric::test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class ExportTest : public ApiTest {
  protected:
    ExecutionId next(CreateExecution command = {}) {
        advance(1);
        return create(std::move(command));
    }
    ExportPage exported(ExportExecutions query) { return value_of(api().read(std::move(query))); }
};
INSTANTIATE_TEST_SUITE_P(Stores, ExportTest, all_stores(), name_of_param);

TEST_P(ExportTest, HasAllThatIsKeptOfAnExecution) {
    CreateExecution command;
    command.input_payload = "in";
    command.policy = retries(1, 0);
    const auto id = next(command);
    fail_with_retry(claim().handle);
    value_of(complete(claim().handle, "out"));
    ExportExecutions query;
    const auto plain = exported(query);
    ASSERT_THAT(plain.executions, SizeIs(1));
    EXPECT_FALSE(plain.next);
    const ExportedExecution& whole = plain.executions.front();
    EXPECT_EQ(whole.execution, value_of(api().describe_execution(id)).value());
    EXPECT_EQ(whole.attempts, value_of(api().list_attempts(id)));
    EXPECT_THAT(whole.attempts, SizeIs(2));
    EXPECT_FALSE(whole.input || whole.result);
    query.with_input = query.with_result = true;
    const auto with_payloads = exported(query).executions.at(0);
    ASSERT_TRUE(with_payloads.input && with_payloads.result);
    EXPECT_EQ(with_payloads.input->input, "in");
    EXPECT_EQ(with_payloads.result->result, "out");
}

TEST_P(ExportTest, GoesOnWhereAPageEndedAndFindsWhatASearchFinds) {
    std::vector<ExecutionId> ids;
    CreateExecution mail;
    mail.lane_id = "mail";
    for (int i = 0; i < 7; ++i) ids.insert(ids.begin(), next(mail));
    next();
    ExportExecutions query;
    query.lane_id = "mail";
    query.limit = 3;
    std::vector<ExecutionId> seen;
    do {
        const auto page = exported(query);
        EXPECT_LE(page.executions.size(), 3U);
        for (const auto& one : page.executions) seen.push_back(one.execution.execution_id);
        query.after = page.next;
    } while (query.after);
    EXPECT_EQ(seen, ids);
    query.limit = 0;
    EXPECT_EQ(exported(query), ExportPage{});
    query.lane_id = "no such lane";
    query.limit = 10;
    EXPECT_THAT(exported(query).executions, IsEmpty());
}

TEST_P(ExportTest, APageWithLargePayloadsEndsEarly) {
    CreateExecution large;
    large.input_payload = Bytes(payload_limit - 1000, 'x');
    for (int i = 0; i < 10; ++i) next(large);
    ExportExecutions query;
    query.with_input = true;
    std::size_t seen = 0;
    int pages = 0;
    do {
        const auto page = exported(query);
        EXPECT_LE(page.executions.size(), 5U);
        seen += page.executions.size();
        ++pages;
        query.after = page.next;
    } while (query.after);
    EXPECT_EQ(seen, 10U);
    EXPECT_GE(pages, 2);
    query.with_input = false;
    EXPECT_THAT(exported(query).executions, SizeIs(10));
}

TEST_P(ExportTest, AFilterThatIsWrongIsRefusedByName) {
    ExportExecutions query;
    query.tag_value = "x";
    expect_error(api().read(query), ErrorKind::invalid_input, "tag");
    query = {};
    query.after = SearchPlace{0, {300, {}}};
    expect_error(api().read(query), ErrorKind::invalid_input, "cursor");
}

}  // namespace
}  // namespace flowfabric::test
