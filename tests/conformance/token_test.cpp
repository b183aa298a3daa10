#include <future>

#include "conformance/api_test.hpp"
#include "core/signing/signing.hpp"

// Tokens for callers of the API, and the record of what operators do with them.
namespace flowfabric::test {
namespace {

using enum ErrorKind;
using ::testing::ElementsAre;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

class Tokens : public ApiTest {
  protected:
    std::string make(CreateToken command) {
        if (command.name.empty()) command.name = "ci";
        if (command.scopes.empty()) command.scopes = {Scope::read};
        return value_of(run(std::move(command))).secret;
    }
    std::optional<Caller> caller_with(const std::string& secret) {
        const AcceptedTokens accepted = value_of(api().accepted_tokens());
        const Caller* caller = accepted.find(secret);
        return caller == nullptr ? std::nullopt : std::optional(*caller);
    }
    bool accepts(const std::optional<Caller>& earlier) {
        return value_of(api().accepted_tokens()).accept(earlier ? &*earlier : nullptr);
    }
    TokenView listed(const std::string& name = "ci") {
        for (const TokenView& token : value_of(api().read(ListTokens{})).tokens) {
            if (token.name == name) return token;
        }
        throw std::runtime_error("no token " + name);
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, Tokens, all_stores(), name_of_param);

TEST_P(Tokens, AreRequiredFromTheFirstOneOn) {
    EXPECT_FALSE(value_of(api().accepted_tokens()).required());
    make({});
    EXPECT_TRUE(value_of(api().accepted_tokens()).required());
    value_of(run(RevokeToken{"ci"}));
    EXPECT_TRUE(value_of(api().accepted_tokens()).required()) << "the last one to be revoked opens nothing";
}

TEST_P(Tokens, ASecretIsRandomAndTellsWhoCalls) {
    const std::string secret =
        make({.scopes = {Scope::submit, Scope::read, Scope::submit}, .namespaces = {"shop"}, .rate_limit_per_s = 9});
    EXPECT_THAT(secret, MatchesRegex("ff_[A-Za-z0-9_-]{43}"));
    EXPECT_EQ(caller_with(secret), (Caller{"ci", {Scope::read, Scope::submit}, {"shop"}, 9, sha256(secret)}));
    EXPECT_EQ(caller_with(secret + "x"), std::nullopt);
    EXPECT_EQ(caller_with(""), std::nullopt);
    EXPECT_NE(make({.name = "other"}), secret);
}

TEST_P(Tokens, AreStoredAndListedWithoutTheirSecrets) {
    const std::string secret = make({});
    const ApiTokenRow row = snapshot().of<ApiTokenRow>().at({"ci"});
    EXPECT_EQ(row.secret_hash.bytes.size(), 32U);
    EXPECT_THAT(row.secret_hash.bytes, Not(StartsWith("ff_")));
    EXPECT_EQ(listed().state, TokenView::State::active);
    EXPECT_THAT(listed().scopes, ElementsAre("read"));
    EXPECT_EQ(listed().created_at_ms, now());
}

TEST_P(Tokens, ANameBelongsToOneTokenUntilItHasEnded) {
    const std::string first = make({.expires_at_ms = now() + 100});
    expect_no_change(
        [&] { expect_error(run(CreateToken{.name = "ci", .scopes = {Scope::read}}), token_already_exists, "ci"); });
    advance(100);
    EXPECT_EQ(listed().state, TokenView::State::expired);
    const std::string second = make({});
    EXPECT_EQ(caller_with(first), std::nullopt);
    EXPECT_TRUE(caller_with(second));
    value_of(run(RevokeToken{"ci"}));
    EXPECT_TRUE(caller_with(make({})));
}

TEST_P(Tokens, AreAcceptedUntilTheyExpire) {
    const std::string secret = make({.expires_at_ms = now() + 100});
    advance(99);
    EXPECT_TRUE(caller_with(secret));
    advance(1);
    EXPECT_FALSE(caller_with(secret));
    expect_error(run(RotateToken{"ci"}), invalid_input, "name");
}

TEST_P(Tokens, ARotatedSecretWorksUntilTheOverlapIsOver) {
    const std::string first = make({});
    const TokenRotated rotated = value_of(run(RotateToken{.name = "ci", .overlap_ms = 50}));
    EXPECT_EQ(rotated.previous_expires_at_ms, now() + 50);
    EXPECT_NE(rotated.secret, first);
    advance(49);
    EXPECT_EQ(caller_with(first), (Caller{"ci", {Scope::read}, {}, {}, sha256(first)}));
    advance(1);
    EXPECT_FALSE(caller_with(first));
    EXPECT_TRUE(caller_with(rotated.secret));

    const TokenRotated at_once = value_of(run(RotateToken{.name = "ci", .overlap_ms = 0}));
    EXPECT_FALSE(caller_with(rotated.secret));
    EXPECT_TRUE(caller_with(at_once.secret));
}

TEST_P(Tokens, ARevokedOneIsRefusedWithEverySecret) {
    const std::string first = make({});
    const std::string second = value_of(run(RotateToken{"ci"})).secret;
    EXPECT_EQ(value_of(run(RevokeToken{"ci"})), (TokenRevoked{"ci", now(), true}));
    const std::int64_t at = now();
    advance(5);
    EXPECT_EQ(value_of(run(RevokeToken{"ci"})), (TokenRevoked{"ci", at, false}));
    EXPECT_FALSE(caller_with(first));
    EXPECT_FALSE(caller_with(second));
    EXPECT_EQ(listed().revoked_at_ms, at);
    expect_error(run(RotateToken{"ci"}), invalid_input, "revoked");
}

TEST_P(Tokens, WhatIsWrongIsRefusedByItsField) {
    expect_no_change([&] {
        expect_error(run(CreateToken{.name = "a b", .scopes = {Scope::read}}), invalid_input, "name");
        expect_error(run(CreateToken{.name = "-", .scopes = {Scope::read}}), invalid_input, "name: is reserved");
        expect_error(run(CreateToken{.name = "ci"}), invalid_input, "scopes");
        expect_error(run(CreateToken{.name = "ci", .scopes = {static_cast<Scope>(9)}}), invalid_input, "scopes");
        expect_error(run(CreateToken{.name = "ci", .scopes = {Scope::worker}, .namespaces = {"shop"}}), invalid_input,
                     "namespaces");
        expect_error(run(CreateToken{.name = "ci", .scopes = {Scope::read}, .namespaces = {""}}), invalid_input,
                     "namespaces");
        expect_error(run(CreateToken{.name = "ci", .scopes = {Scope::read}, .expires_at_ms = now()}), invalid_input,
                     "expires_at_ms");
        expect_error(run(RotateToken{"ci"}), token_not_found, "ci");
        expect_error(run(RevokeToken{"ci"}), token_not_found, "ci");
    });
}

TEST_P(Tokens, AdminIncludesEveryScopeAndNoNamespaceMeansAll) {
    const Caller admin{"root", {Scope::admin}, {}, {}};
    const Caller reader{"eye", {Scope::read}, {"shop"}, {}};
    for (const Scope scope : {Scope::read, Scope::submit, Scope::worker, Scope::signal, Scope::admin}) {
        EXPECT_TRUE(admin.may(scope)) << to_string(scope);
        EXPECT_EQ(reader.may(scope), scope == Scope::read) << to_string(scope);
    }
    EXPECT_TRUE(admin.reaches("anything"));
    EXPECT_TRUE(reader.reaches("shop"));
    EXPECT_FALSE(reader.reaches("sho"));
}

TEST_P(Tokens, WhatAnOperatorDoesIsAnEventOfItsOwnChannel) {
    const auto subscription = value_of(api().subscribe(Channel::audit));
    std::promise<Result<void>> recorded;
    api().record_audit({.actor = "ci",
                        .action = "change_priority",
                        .subject = "an execution",
                        .request_id = std::string("bad \x01 id"),
                        .status = 200},
                       [&](Result<void> done) { recorded.set_value(std::move(done)); });
    EXPECT_TRUE(recorded.get_future().get());
    const auto delivery = value_of(subscription->next(std::chrono::seconds(30)));
    ASSERT_TRUE(delivery);
    AuditEvent event = std::get<AuditEvent>(std::get<Event>(*delivery));
    EXPECT_GT(event.event_id, 0);
    event.event_id = 0;
    EXPECT_EQ(event, (AuditEvent{.actor = "ci",
                                 .action = "change_priority",
                                 .subject = "an execution",
                                 .request_id = std::nullopt,
                                 .status = 200,
                                 .occurred_at_ms = now()}));
}

TEST_P(Tokens, LetACallerInUntilItsOwnSecretEnds) {
    EXPECT_TRUE(accepts(std::nullopt));
    const auto first = caller_with(make({}));
    EXPECT_FALSE(accepts(std::nullopt)) << "from the first token on";
    EXPECT_TRUE(accepts(first));
    const auto second = caller_with(value_of(run(RotateToken{.name = "ci", .overlap_ms = 1000})).secret);
    EXPECT_TRUE(accepts(first) && accepts(second));
    advance(1000);
    EXPECT_FALSE(accepts(first));
    EXPECT_TRUE(accepts(second));
    value_of(run(RevokeToken{"ci"}));
    make({});
    EXPECT_FALSE(accepts(second)) << "the name has gone to another";
}

}  // namespace
}  // namespace flowfabric::test
