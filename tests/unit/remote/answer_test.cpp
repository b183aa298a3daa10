#include "remote/answer.hpp"

#include <gtest/gtest.h>

#include "api/problem.hpp"
#include "flowfabric/events.hpp"
#include "remote/call_queue.hpp"

namespace flowfabric::remote {
namespace {

// Details that are the server's own business stay with it.
bool is_told(ErrorKind kind) {
    return kind != ErrorKind::internal && kind != ErrorKind::transport && kind != ErrorKind::retry_exhausted;
}

TEST(Answers, AProblemIsTheErrorThatItWas) {
    for (auto kind = 0U; kind <= static_cast<unsigned>(ErrorKind::unknown_outcome); ++kind) {
        const EngineError error{.kind = static_cast<ErrorKind>(kind), .detail = "what: it is"};
        const auto problem = api::problem_of(error);
        const auto read = error_in(problem.status, api::to_json(problem));
        EXPECT_EQ(read.kind, error.kind) << name_of(error.kind);
        EXPECT_TRUE(!is_told(error.kind) || read.detail == error.detail) << name_of(error.kind);
    }
}

TEST(Answers, AnExpiredCursorComesWithTheOldestThatWorks) {
    const EngineError error{.kind = ErrorKind::cursor_expired, .detail = "gone", .oldest_cursor = cursor_at(17)};
    EXPECT_EQ(error_in(410, api::to_json(api::problem_of(error))), error);
}

TEST(Answers, WhatEndedAnExecutionComesWithTheRefusal) {
    const EngineError error{.kind = ErrorKind::execution_not_active,
                            .detail = "{fp:7}:0190a1b2-0000-7000-8000-000000000001 is cancelled",
                            .not_active = NotActiveFacts{.terminal_outcome = "cancelled",
                                                         .lease_epoch = 3,
                                                         .lifecycle_phase = "terminal",
                                                         .attempt_id = "0190a1b2-0000-7000-8000-000000000002"}};
    EXPECT_EQ(error_in(409, api::to_json(api::problem_of(error))), error);
}

TEST(Answers, ARequestThatCannotBeReadIsInvalidInput) {
    const auto problem = api::unreadable(422, invalid_input("lane_id", "is required"));
    EXPECT_EQ(error_in(422, api::to_json(problem)), invalid_input("lane_id", "is required"));
}

TEST(Answers, WhatNoServerOfOursSaidIsToldByItsStatus) {
    EXPECT_EQ(error_in(502, {}).kind, ErrorKind::internal);
    EXPECT_EQ(error_in(503, {}).kind, ErrorKind::unavailable);
    EXPECT_EQ(error_in(401, {}).kind, ErrorKind::invalid_token);
    EXPECT_EQ(document_in(502, "<html>").error().detail, "HTTP status 502");
    EXPECT_EQ(document_in(200, "<html>").error().kind, ErrorKind::transport);
}

TEST(Answers, ALateProblemIsAnErrorWhateverTheStatus) {
    const auto& claim = *api::find_operation("claim");
    const auto answer = answer_in_text(claim, 200, R"(   {"error":"timeout: late","kind":"timeout"})");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind, ErrorKind::timeout);
}

template <class Operation>
Call call(Operation operation) {
    using Kind = std::conditional_t<std::is_constructible_v<Commands, Operation>, Commands, Queries>;
    return call_of(
        Asked(std::in_place_type<Kind>, std::move(operation)), [](const Result<std::any>&) {},
        Client::AnswerOn::any_thread);
}

TEST(Calls, OfOneOperationTravelTogetherUnlessTheyMayWaitOrBringMuch) {
    CallQueue queue;
    for (int i = 0; i < 3; ++i) queue.put(call(SetLaneState{.lane_id = "l"}));
    for (int i = 0; i < 2; ++i) queue.put(call(CancelFlow{.max_wait_ms = 100}));
    for (int i = 0; i < 2; ++i) queue.put(call(ListLanes{}));
    for (int i = 0; i < 2; ++i) {
        queue.put(call(Claim{.worker_id = "w", .worker_instance_id = "i", .max_wait_ms = i == 0 ? 0U : 100U}));
    }
    EXPECT_EQ(queue.take().size(), 3U);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(queue.take().size(), 1U);
    EXPECT_EQ(queue.take().front().max_wait.count(), 100);
    EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace flowfabric::remote
