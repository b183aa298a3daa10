#include "api/problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// What callers are told of failures.
namespace flowfabric::api {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ProblemDocument, KeepsWhatAStoreSaysForTheLog) {
    for (const ErrorKind kind : {ErrorKind::internal, ErrorKind::transport, ErrorKind::retry_exhausted}) {
        const std::string detail = "ERROR: relation \"ff_execution\" does not exist";
        const Problem problem = problem_of({.kind = kind, .detail = detail});
        EXPECT_THAT(json::serialize(to_json(problem)), Not(HasSubstr("ff_execution")));
        EXPECT_THAT(json::serialize(to_problem_json(problem, "r")), Not(HasSubstr("ff_execution")));
        EXPECT_EQ(problem.cause, detail);
    }
}

TEST(ProblemDocument, SaysWhetherToTryAgainOnlyWhereThatHelps) {
    for (const unsigned status : {400U, 401U, 403U, 404U, 405U, 410U, 413U, 415U, 422U, 431U}) {
        EXPECT_FALSE(to_json(refused(status, "k")).contains("retryable")) << status;
    }
    for (const unsigned status : {429U, 503U}) EXPECT_EQ(to_json(refused(status, "k")).at("retryable"), true) << status;
    for (const unsigned status : {409U, 500U, 504U}) {
        EXPECT_EQ(to_json(refused(status, "k")).at("retryable"), false) << status;
    }
}

TEST(ProblemDocument, NamesStatesAsPublishedClientsKnowThem) {
    using enum ErrorKind;
    const auto kind = [](ErrorKind of) { return problem_of({.kind = of, .detail = "why"}).kind; };
    for (const ErrorKind own :
         {execution_not_terminal, max_replays_exhausted, replay_not_allowed, flow_already_terminal, flow_sealed,
          stale_lease, lease_expired, lease_revoked, execution_not_active}) {
        EXPECT_EQ(kind(own), name_of(own));
    }
    for (const ErrorKind other : {attempt_already_started, grant_already_exists, already_suspended, waitpoint_closed,
                                  execution_not_suspended, target_not_signalable, execution_not_in_flow}) {
        EXPECT_EQ(kind(other), "state_conflict") << name_of(other);
        EXPECT_EQ(problem_of({.kind = other, .detail = "why"}).error, std::string(name_of(other)) + ": why");
    }
    EXPECT_EQ(kind(execution_terminal), "terminal");
    EXPECT_EQ(kind(lease_conflict), "contention");
}

TEST(ProblemDocument, HasTheMembersOfRfc9457BesideItsOwn) {
    Problem problem = refused(413, "payload_too_large");
    problem.more = {{"limit_bytes", 65'536}};
    EXPECT_EQ(to_json(problem), json::parse(R"({"error": "payload_too_large", "kind": "payload_too_large",
                                                "limit_bytes": 65536})"));
    EXPECT_EQ(to_problem_json(problem, "7d8f"),
              json::parse(R"({"type": "urn:flowfabric:problem:payload_too_large", "title": "Payload too large",
                              "status": 413, "detail": "payload_too_large", "instance": "7d8f",
                              "error": "payload_too_large", "kind": "payload_too_large", "limit_bytes": 65536})"));
}

}  // namespace
}  // namespace flowfabric::api
