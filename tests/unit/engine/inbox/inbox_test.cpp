#include "engine/inbox/inbox.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "unit/core/fixtures.hpp"

namespace flowfabric::test {
namespace {

using testing::HasSubstr;

Submission submission_of(std::uint64_t number) {
    Submission submission;
    submission.submission_id = static_cast<std::int64_t>(number);
    submission.execution_id = execution(number);
    submission.namespace_name = "default";
    submission.lane_id = "default";
    submission.execution_kind = "mail";
    return submission;
}

std::vector<Submission> submissions_of(std::size_t count) {
    std::vector<Submission> submissions;
    for (std::size_t i = 1; i <= count; ++i) submissions.push_back(submission_of(i));
    return submissions;
}

Result<Answer> taken_in() {
    return Answer::of<Created>({});
}
Result<Answer> not_taken_in() {
    return EngineError{.kind = ErrorKind::unavailable, .detail = "", .not_active = std::nullopt};
}

Result<Answer> damaged() {
    return EngineError{.kind = ErrorKind::corruption, .detail = "", .not_active = std::nullopt};
}

AdmittedCreate create_of(const Command& command) {
    return command->creations().front();
}
AdmittedCreate create_of(const Submission& submission) {
    return create_of(Inbox{}.on_submissions({submission}, {}).at(0));
}

// ---- when to look ---------------------------------------------------------------------------------------------------

TEST(Inbox, IsReadyUntilItHasSubmissionsAndAgainWhenAllAreAnswered) {
    Inbox inbox;
    EXPECT_TRUE(inbox.ready());
    EXPECT_EQ(inbox.on_submissions(submissions_of(2), {}).size(), 2U);
    EXPECT_FALSE(inbox.ready());
    EXPECT_FALSE(inbox.on_answer(taken_in()));
    EXPECT_FALSE(inbox.ready());
    EXPECT_TRUE(inbox.on_answer(taken_in())) << "more may have come in the meantime";
    EXPECT_TRUE(inbox.ready());
}

TEST(Inbox, StaysReadyWhenThereIsNothing) {
    Inbox inbox;
    EXPECT_TRUE(inbox.on_submissions({}, {}).empty());
    EXPECT_TRUE(inbox.ready());
}

TEST(Inbox, DoesNotSpinOnSubmissionsThatCannotBeTakenIn) {
    Inbox inbox;
    inbox.on_submissions(submissions_of(inbox_page), {});
    EXPECT_FALSE(inbox.on_answer(not_taken_in()));
    for (std::size_t i = 1; i < inbox_page; ++i) EXPECT_FALSE(inbox.on_answer(taken_in()));
    EXPECT_TRUE(inbox.ready());
}

// ---- what cannot be taken in ----------------------------------------------------------------------------------------

// A table of submissions with an inbox before it; those on a damaged lane are never taken in.
class Table {
  public:
    explicit Table(std::int64_t count) {
        for (std::int64_t id = 1; id <= count; ++id) left_.insert(id);
    }
    void add(std::int64_t id) { left_.insert(id); }
    void damage(std::int64_t first, std::int64_t last) {
        for (std::int64_t id = first; id <= last; ++id) damaged_.insert(id);
    }
    void repair() { damaged_.clear(); }

    // From one turn to the next, with all looks that are worth while at once; tells how many there were.
    int turn() {
        for (int looks = 1;; ++looks) {
            if (looks > 1000) throw std::runtime_error("the inbox does not come to rest");
            if (!look()) return looks;
        }
    }
    const std::set<std::int64_t>& left() const { return left_; }
    std::int64_t sound() const {
        return std::ranges::count_if(left_, [&](std::int64_t id) { return !damaged_.contains(id); });
    }

  private:
    bool look() {
        std::vector<Submission> page;
        for (auto at = left_.upper_bound(inbox_.after()); at != left_.end() && page.size() < inbox_page; ++at) {
            page.push_back(submission_of(static_cast<std::uint64_t>(*at)));
        }
        inbox_.on_submissions(page, {});
        bool again = false;
        for (const Submission& one : page) {
            const bool poison = damaged_.contains(one.submission_id);
            if (!poison) left_.erase(one.submission_id);
            again = inbox_.on_answer(poison ? damaged() : taken_in());
        }
        return again;
    }

    Inbox inbox_;
    std::set<std::int64_t> left_;
    std::set<std::int64_t> damaged_;
};

TEST(Inbox, ADamagedLaneInFrontKeepsNoOtherSubmissionOut) {
    Table table(5000);
    table.damage(1, 4000);
    table.turn();
    EXPECT_EQ(table.sound(), 0) << "whole pages of a damaged lane hide what stands behind them";
    EXPECT_EQ(table.left().size(), 4000U);
    for (std::int64_t id = 5001; id < 5100; ++id) {
        table.add(id);
        table.turn();
        EXPECT_EQ(table.sound(), 0) << id;
    }
}

TEST(Inbox, DoesNotGoThroughADamagedLaneAtEveryTurn) {
    Table table(5000);
    table.damage(1, 5000);
    table.turn();
    for (int i = 0; i < 100; ++i) EXPECT_LE(table.turn(), 2);
}

TEST(Inbox, TakesInWhatItLeftBehindOnceItIsRepaired) {
    Table table(5000);
    table.damage(1, 5000);
    for (int i = 0; i < 7; ++i) table.turn();
    table.repair();
    for (int i = 0; i < 20; ++i) table.turn();
    EXPECT_TRUE(table.left().empty());
    table.add(1);
    table.turn();
    EXPECT_TRUE(table.left().empty()) << "with nothing left behind, it looks from the beginning again";
}

// A transaction that is open for long commits an id that is lower than those which are already known.
TEST(Inbox, FindsWhatComesLateBehindItsPlace) {
    Table table(0);
    for (std::int64_t id = 100; id < 700; ++id) table.add(id);
    table.damage(100, 699);
    table.turn();
    table.add(7);
    for (int i = 0; i < 10; ++i) table.turn();
    EXPECT_EQ(table.sound(), 0);
}

TEST(Inbox, WaitsForTheNextTurnWithThoseBehindAFailureThatPasses) {
    Inbox inbox;
    inbox.on_submissions(submissions_of(2), {});
    inbox.on_answer(taken_in());
    EXPECT_FALSE(inbox.on_answer(not_taken_in()));
    EXPECT_EQ(inbox.after(), 2);
    for (int i = 0; i < 10 && inbox.after() != 0; ++i) inbox.on_submissions({}, {});
    EXPECT_EQ(inbox.after(), 0) << "what failed is not tried again";
}

// ---- what it asks for -----------------------------------------------------------------------------------------------

TEST(Inbox, AsksForAnOrdinaryCreationUnderTheSubmissionsId) {
    Submission submission = submission_of(7);
    submission.namespace_name = "team";
    submission.lane_id = "lane-b";
    submission.payload = "in";
    submission.payload_encoding = "raw";
    submission.priority = 9;
    submission.creator_identity = "app";
    submission.idempotency_key = "key";
    submission.tags = {R"({"order.id": "17"})"};
    submission.policy = Json{R"({"routing_requirements": {"required_capabilities": ["gpu"]}})"};
    submission.delay_until_ms = created_at + 5;
    submission.execution_deadline_at_ms = created_at + 9;
    const AdmittedCreate create = create_of(submission);

    EXPECT_EQ(create.refusal, std::nullopt);
    EXPECT_EQ(create.submission_id, 7);
    EXPECT_EQ(create.row.id, execution(7));
    EXPECT_EQ(create.row.namespace_name, "team");
    EXPECT_EQ(create.row.lane_id, "lane-b");
    EXPECT_EQ(create.row.execution_kind, "mail");
    EXPECT_EQ(create.input, "in");
    EXPECT_EQ(create.row.payload_encoding, "raw");
    EXPECT_EQ(create.row.priority, 9);
    EXPECT_EQ(create.row.creator_identity, "app");
    EXPECT_EQ(create.idempotency, (IdempotencyKey{"team", "key"}));
    EXPECT_EQ(create.row.tags.text, R"({"order.id":"17"})");
    EXPECT_EQ(create.row.required_capabilities, std::vector<std::string>{"gpu"});
    EXPECT_EQ(create.row.delay_until_ms, created_at + 5);
    EXPECT_EQ(create.row.deadline_at_ms, created_at + 9);
}

void expect_refused(const Submission& submission, std::string_view reason, const Settings& settings = {}) {
    const AdmittedCreate create = create_of(Inbox{}.on_submissions({submission}, settings).at(0));
    ASSERT_TRUE(create.refusal) << "accepted instead of refused for " << reason;
    EXPECT_THAT(*create.refusal, HasSubstr(std::string(reason)));
    EXPECT_EQ(create.submission_id, submission.submission_id);
    EXPECT_EQ(create.row.id, submission.execution_id);
    EXPECT_EQ(create.input, "") << "what was refused is not stored";
}

TEST(Inbox, TurnsWhatTheFrontDoorRefusesIntoARefusalOfTheSameId) {
    Submission bad_policy = submission_of(1);
    bad_policy.policy = Json{R"({"retry_policy": 5})"};
    expect_refused(bad_policy, "invalid_policy_json");

    Submission bad_tag = submission_of(2);
    bad_tag.tags = {R"({"Not A Key": "x"})"};
    expect_refused(bad_tag, "Not A Key");

    Submission tag_of_wrong_type = submission_of(3);
    tag_of_wrong_type.tags = {R"({"order.id": 17})"};
    expect_refused(tag_of_wrong_type, "tags.order.id");

    Submission large = submission_of(4);
    large.payload = "12345";
    expect_refused(large, "payload_too_large", {.max_payload_bytes = 4});

    Submission negative = submission_of(5);
    negative.delay_until_ms = -1;
    expect_refused(negative, "delay_until");

    Submission verbose = submission_of(6);
    verbose.creator_identity = std::string(257, 'x');
    expect_refused(verbose, "creator_identity");
}

TEST(Inbox, StoresOfARefusedSubmissionOnlyWhatIsFitToBeStored) {
    Submission broken = submission_of(1);
    broken.namespace_name = "not fit";
    broken.lane_id = "";
    broken.execution_kind = std::string(257, 'x');
    broken.idempotency_key = "key";
    const AdmittedCreate create = create_of(broken);
    ASSERT_TRUE(create.refusal);
    EXPECT_EQ(create.row.namespace_name, "default");
    EXPECT_EQ(create.row.lane_id, "default");
    EXPECT_EQ(create.row.execution_kind, "");
    EXPECT_EQ(create.idempotency, std::nullopt) << "a failed execution would hold the key";
}

TEST(Inbox, RefusesOneWithoutItsNeighbours) {
    std::vector<Submission> submissions = submissions_of(3);
    submissions[1].tags = {"{"};
    Inbox inbox;
    const auto commands = inbox.on_submissions(submissions, {});
    EXPECT_FALSE(create_of(commands[0]).refusal);
    EXPECT_TRUE(create_of(commands[1]).refusal);
    EXPECT_FALSE(create_of(commands[2]).refusal);
}

}  // namespace
}  // namespace flowfabric::test
