#include "core/suspension/remembered_suspend.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flowfabric {
namespace {

const ExecutionId execution{7, Uuid{{1}}};

Keyring keyring(const std::string& kid = "k1") {
    RowTable<SigningKeyRow> rows;
    const SigningKey key{kid, Bytes(32, 'a')};
    rows.load({.key = {kid}, .secret = {stored_plain(key)}, .active = true});
    return *Keyring::open(rows, Settings{}, 1000);
}

RememberedSuspend suspended() {
    return {.suspension_id = SuspensionId{Uuid{{2}}},
            .waitpoints = {{WaitpointId{Uuid{{3}}}, "first", "k1"}, {WaitpointId{Uuid{{4}}}, "second", "k1"}},
            .handle = Bytes("\x01\xFF", 2)};
}

Result<RememberedSuspend> recalled(std::string json) {
    SuspendDedupRow row;
    row.key.execution_id = execution;
    row.outcome_json.text = std::move(json);
    return recall(row);
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    const auto at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), with);
}

TEST(RememberedSuspend, AnswersARepeatWithItsHandleAndFreshlySignedTokens) {
    const auto outcome = recalled(suspended().to_json().text);
    ASSERT_TRUE(outcome);
    EXPECT_EQ(*outcome, suspended());
    const auto details = outcome->details(execution, keyring());
    ASSERT_TRUE(details);
    EXPECT_EQ(details->suspension_id, suspended().suspension_id);
    EXPECT_EQ(details->primary.waitpoint_key, "first");
    EXPECT_EQ(details->primary.token, waitpoint_token(keyring().active(), execution, WaitpointId{Uuid{{3}}}));
    ASSERT_EQ(details->additional.size(), 1U);
    EXPECT_EQ(details->additional[0].waitpoint_id, WaitpointId{Uuid{{4}}});
}

TEST(RememberedSuspend, WithoutAHandleTheConditionWasMetBySignals) {
    RememberedSuspend met = suspended();
    met.handle.reset();
    EXPECT_EQ(RememberedSuspend::parse(met.to_json()), met);
    met.signals = {0, 4, 17};
    EXPECT_EQ(RememberedSuspend::parse(met.to_json()), met);
}

TEST(RememberedSuspend, OfOneThatIsOverNoKeyIsNeeded) {
    const RememberedSuspend met = suspended();
    for (const Keyring& keys : {keyring(), keyring("k2")}) {
        const SuspensionDetails details = met.details_of_ended(execution, &keys);
        EXPECT_EQ(details.primary.waitpoint_key, "first");
        EXPECT_EQ(details.primary.token.empty(), keys.find("k1") == nullptr);
    }
    EXPECT_EQ(met.details_of_ended(execution, nullptr).additional.at(0).token, "");
}

TEST(RememberedSuspend, WhatIsDamagedIsCorruptionAndNothingWorse) {
    const std::string good = suspended().to_json().text;
    for (const std::string& bad : {std::string(), std::string("[]"), std::string("{}"), good.substr(0, good.size() - 1),
                                   replaced(good, R"("Suspended")", R"("Lost")"), replaced(good, R"("Suspended")", "7"),
                                   replaced(good, R"("variant")", R"("other")"),
                                   replaced(good, R"("suspension_id":"0)", R"("suspension_id":"g)"),
                                   replaced(good, R"("waitpoints":[)", R"("waitpoints":[],"others":[)"),
                                   replaced(good, R"("waitpoints":[)", R"("waitpoints":["one",)"),
                                   replaced(good, R"("waitpoint_id":"0)", R"("waitpoint_id":"g)"),
                                   replaced(good, R"("first")", "1"), replaced(good, R"("kid":"k1")", R"("kid":null)"),
                                   replaced(good, R"("01ff")", R"("01f")"), replaced(good, R"("01ff")", "null")}) {
        const auto outcome = recalled(bad);
        ASSERT_FALSE(outcome) << bad;
        EXPECT_EQ(outcome.error().kind, ErrorKind::corruption) << bad;
        EXPECT_THAT(outcome.error().detail, testing::HasSubstr(execution.to_string()));
    }
}

TEST(RememberedSuspend, IsUnavailableOnceItsKeyIsGone) {
    const auto details = suspended().details(execution, keyring("k2"));
    ASSERT_FALSE(details);
    EXPECT_EQ(details.error().kind, ErrorKind::unavailable);
}

}  // namespace
}  // namespace flowfabric
