#include "support/fixture.hpp"

// Requests that make something once, and are told apart by their digests.
namespace flowfabric::test {
namespace {

using enum ErrorKind;

class RequestDigest : public StoreTest {
  protected:
    static CreateExecution keyed(std::optional<std::string> digest) {
        CreateExecution command{.execution_kind = "test"};
        command.idempotency_key = "k";
        command.request_digest = std::move(digest);
        return command;
    }
    static SubmitFlow graph(std::optional<std::string> digest) {
        SubmitFlow command{.flow_kind = "k", .nodes = {{.name = "a", .execution = {.execution_kind = "test"}}}};
        command.idempotency_key = "k";
        command.request_digest = std::move(digest);
        return command;
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, RequestDigest, all_stores(), name_of_param);

TEST_P(RequestDigest, TheSameRequestGetsTheFirstAnswer) {
    CreateExecution command = keyed("one");
    command.delay_until_ms = now() + 1000;
    const Created first = value_of(run(command));
    EXPECT_EQ(first.public_state, PublicState::delayed);
    advance(2000);
    reconcile();
    EXPECT_EQ(value_of(run(command)), first) << "as it was, not as the execution is now";
    EXPECT_EQ(value_of(another_engine()->run(command)), first);
}

TEST_P(RequestDigest, AnotherRequestUnderTheKeyIsRefused) {
    const Created first = value_of(run(keyed("one")));
    expect_no_change([&] {
        expect_error(run(keyed("two")), idempotency_conflict, first.execution_id.to_string());
        const Created plain = value_of(run(keyed({})));
        EXPECT_EQ(plain.execution_id, first.execution_id);
        EXPECT_TRUE(plain.duplicate) << "a key without a digest means what it always meant";
    });
}

TEST_P(RequestDigest, AKeyThatWasMadeWithoutOneConflictsWithNothing) {
    const Created first = value_of(run(keyed({})));
    EXPECT_EQ(value_of(run(keyed("one"))).execution_id, first.execution_id);
}

TEST_P(RequestDigest, AKeyMakesOneFlow) {
    const auto first = value_of(run(graph("one")));
    EXPECT_EQ(value_of(run(graph("one"))), first);
    EXPECT_FALSE(first.already_there);
    expect_error(run(graph("two")), idempotency_conflict, first.flow_id.to_string());
    const auto plain = value_of(run(graph({})));
    EXPECT_EQ(plain.flow_id, first.flow_id);
    EXPECT_TRUE(plain.already_there);
    SubmitFlow elsewhere = graph("two");
    elsewhere.namespace_name = "shop";
    EXPECT_NE(value_of(run(elsewhere)).flow_id, first.flow_id) << "keys belong to namespaces";
}

TEST_P(RequestDigest, AnEmptyFlowIsMadeOnceAsWell) {
    CreateFlow command{.flow_kind = "k", .idempotency_key = "k", .request_digest = "one"};
    const auto first = value_of(run(command));
    EXPECT_EQ(value_of(run(command)), first);
    command.request_digest = "two";
    expect_error(run(command), idempotency_conflict, first.flow_id.to_string());
    command.request_digest.reset();
    EXPECT_TRUE(value_of(run(command)).already_there);
}

}  // namespace
}  // namespace flowfabric::test
