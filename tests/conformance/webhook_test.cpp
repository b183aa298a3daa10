#include "core/webhook/webhook.hpp"

#include <limits>

#include "conformance/api_test.hpp"

// Webhooks as the store keeps them: who sends, how far it has come, what becomes of an address that does not take
// events.
namespace flowfabric::test {
namespace {

using enum ErrorKind;
using Outcome = WebhookReport::Outcome;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::int64_t minute = 60'000;

class Webhooks : public ApiTest {
  protected:
    WebhookCreated make(CreateWebhook command = {}) {
        if (command.name.empty()) command.name = "billing";
        if (command.url.empty()) command.url = "http://127.0.0.1:9/hooks";
        // It begins behind events that there are.
        while (command.cursor && drawn(command.channel) < **parse_cursor(*command.cursor)) end_one();
        return value_of(run(std::move(command)));
    }
    std::optional<WebhookWork> take(const std::string& owner = "a") {
        return value_of(api().take_webhook(webhook_, owner));
    }
    std::optional<WebhookWork> report(WebhookReport told, const std::string& owner = "a") {
        return value_of(api().report_webhook(webhook_, owner, std::move(told)));
    }
    std::optional<WebhookWork> refuse(std::int64_t event_id) {
        return report({.outcome = Outcome::refused, .position = event_id, .error = "HTTP 400", .event = R"({"a":1})"});
    }
    // Until the event is set aside.
    void refuse_for_good(std::int64_t event_id) {
        for (int attempt = 0; attempt < 5; ++attempt) refuse(event_id);
    }
    WebhookRow stored() { return snapshot().of<WebhookRow>().at({"billing"}); }
    std::int64_t position() {
        return snapshot().of<ConsumerRow>().at(webhook_consumer("billing", Channel::completion)).event_id;
    }
    std::vector<WebhookFailure> failures() {
        return value_of(api().read(ListWebhookFailures{.name = "billing"})).failures;
    }
    std::int64_t drawn(Channel channel) { return (*backend().open_reader())->watermark(channel)->drawn; }
    void end_one() {
        create();
        value_of(complete(claim().handle));
    }

    const OpenWebhook webhook_{"billing", Channel::completion};
};
INSTANTIATE_TEST_SUITE_P(Stores, Webhooks, all_stores(), name_of_param);

TEST_P(Webhooks, BeginWithTheEventsToComeAndKeepThem) {
    end_one();
    end_one();
    const auto before = value_of(api().subscribe(Channel::completion))->cursor();
    EXPECT_EQ(make().cursor, before);
    EXPECT_EQ(cursor_at(position()), before);
    EXPECT_EQ(cursor_at(take()->position), before);
    EXPECT_EQ(make({.name = "other", .cursor = cursor_at(1)}).cursor, cursor_at(1));
}

TEST_P(Webhooks, TheirSecretIsShownOnceAndStoredForSenders) {
    const WebhookCreated created = make();
    EXPECT_THAT(created.secret, MatchesRegex("whsec_[A-Za-z0-9_-]{43}"));
    EXPECT_THAT(take()->secrets, ElementsAre(created.secret));
    const auto rotated = value_of(run(RotateWebhookSecret{.name = "billing", .overlap_ms = 100}));
    EXPECT_EQ(rotated.previous_expires_at_ms, now() + 100);
    EXPECT_THAT(take()->secrets, ElementsAre(rotated.secret, created.secret));
    advance(100);
    EXPECT_THAT(take()->secrets, ElementsAre(rotated.secret));
}

TEST_P(Webhooks, AMasterKeySealsTheirSecrets) {
    Settings sealing = plain({});
    sealing.master_key = MasterKey{1, 2, 3};
    const auto sealed = another_engine(sealing);
    const auto secret = value_of(sealed->run(CreateWebhook{.name = "billing", .url = "https://example.org"})).secret;
    EXPECT_TRUE(is_sealed(stored().secret.bytes));
    expect_error(api().take_webhook(webhook_, "a"), unavailable);

    value_of(run(CreateWebhook{.name = "plain", .url = "https://example.org"}));
    EXPECT_EQ(value_of(sealed->run(ResealSigningKeys{})).resealed, 1U);
    const WebhookRow row = snapshot().of<WebhookRow>().at({"plain"});
    EXPECT_TRUE(is_sealed(row.secret.bytes));
    EXPECT_TRUE(webhook_secret("plain", row.secret, sealing));
    EXPECT_EQ(value_of(webhook_secret("billing", stored().secret, sealing)), secret);
}

TEST_P(Webhooks, OneServerAtATimeSends) {
    make();
    EXPECT_TRUE(take("a"));
    expect_no_change([&] {
        EXPECT_FALSE(take("b"));
        EXPECT_FALSE(report({.outcome = Outcome::delivered, .position = 9, .delivered = 1}, "b"));
    });
    EXPECT_THAT(value_of(api().open_webhooks("b")), IsEmpty());
    EXPECT_EQ(value_of(api().open_webhooks("a")).size(), 1U);
    advance(minute);
    EXPECT_TRUE(take("b")) << "the first has been silent for a minute";
    EXPECT_FALSE(report({}, "a"));
    EXPECT_TRUE(api().release_webhook(webhook_, "b"));
    EXPECT_TRUE(take("a"));
}

TEST_P(Webhooks, GoOnBehindWhatWasTaken) {
    make({.cursor = cursor_at(1)});
    take();
    EXPECT_EQ(report({.outcome = Outcome::delivered, .position = 7, .delivered = 3})->position, 7);
    EXPECT_EQ(position(), 7);
    EXPECT_EQ(stored().delivered_count, 3);
    EXPECT_EQ(stored().last_delivered_at_ms, now());
    EXPECT_EQ(report({.outcome = Outcome::none, .position = 9})->position, 9) << "what was left out counts as well";
    EXPECT_EQ(report({.outcome = Outcome::none, .position = 3})->position, 9);
    EXPECT_EQ(stored().delivered_count, 3);
}

TEST_P(Webhooks, AnAddressWithTroubleIsAskedEverLessOftenUntilItIsGivenUp) {
    make({.cursor = cursor_at(1)});
    take();
    const std::int64_t since = now();
    const WebhookReport failed{.outcome = Outcome::failed, .position = 5, .error = "Connection refused"};
    for (const std::int64_t pause : {1000, 2000, 4000, 8000}) EXPECT_EQ(report(failed)->retry_in_ms, pause);
    EXPECT_EQ(position(), 1);
    EXPECT_EQ(stored().failing_since_ms, since);
    WebhookReport wishing = failed;
    wishing.retry_after_ms = 1'000'000;
    EXPECT_EQ(report(wishing)->retry_in_ms, 1'000'000);
    advance(hour);
    EXPECT_EQ(report(failed)->retry_in_ms, 32'000);
    EXPECT_EQ(report({.outcome = Outcome::delivered, .position = 5, .delivered = 1})->retry_in_ms, 0);
    EXPECT_EQ(stored().failing_since_ms, std::nullopt);

    for (int i = 0; i < 20; ++i) report(failed);
    EXPECT_EQ(report(failed)->retry_in_ms, 300'000);
    advance(3 * day);
    EXPECT_FALSE(report(failed)) << "nothing was taken for three days";
    EXPECT_EQ(stored().state, WebhookState::dead);
    EXPECT_THAT(snapshot().of<ConsumerRow>(), IsEmpty()) << "no event waits for it";
    EXPECT_THAT(value_of(api().open_webhooks("a")), IsEmpty());
    expect_error(run(UpdateWebhook{.name = "billing", .state = WebhookState::paused}), invalid_input, "state");

    EXPECT_EQ(value_of(run(UpdateWebhook{.name = "billing", .state = WebhookState::active})).state,
              WebhookState::active);
    EXPECT_EQ(take()->position, 5) << "it goes on where it was";
}

TEST_P(Webhooks, AnEventThatIsSetAsideDoesNotCountAsTheNextOnesFailure) {
    make({.cursor = cursor_at(1)});
    take();
    refuse_for_good(5);
    EXPECT_EQ(stored().failing_since_ms, std::nullopt);
    advance(4 * day);
    take();
    EXPECT_TRUE(report({.outcome = Outcome::failed, .position = 6, .error = "HTTP 503"}));
    EXPECT_EQ(stored().state, WebhookState::active);
    EXPECT_EQ(stored().failing_since_ms, now());
}

TEST_P(Webhooks, OneThatSaysThatItIsGoneIsBelieved) {
    make();
    take();
    EXPECT_FALSE(report({.outcome = Outcome::gone, .position = 5, .error = "HTTP 410"}));
    EXPECT_EQ(stored().state, WebhookState::dead);
    EXPECT_EQ(stored().last_error, "HTTP 410");
}

TEST_P(Webhooks, AnEventThatIsRefusedFiveTimesIsSetAside) {
    make({.cursor = cursor_at(1)});
    take();
    for (int attempt = 1; attempt < 5; ++attempt) EXPECT_EQ(refuse(5)->position, 1);
    EXPECT_THAT(failures(), IsEmpty());
    EXPECT_EQ(refuse(5)->position, 5) << "those behind it go on";
    EXPECT_THAT(failures(), ElementsAre(WebhookFailure{5, {R"({"a":1})"}, "HTTP 400", now(), false}));
    EXPECT_EQ(stored().failed_count, 1);

    EXPECT_EQ(value_of(run(RedeliverWebhookEvents{"billing", 5})).count, 1U);
    EXPECT_EQ(value_of(run(RedeliverWebhookEvents{"billing"})).count, 1U);
    EXPECT_EQ(take()->redelivering_count, 1U);
    EXPECT_EQ(value_of(api().webhook_redeliveries(webhook_)).size(), 1U);
    const WebhookReport again{.outcome = Outcome::failed, .position = 5, .error = "HTTP 500", .redelivery = true};
    EXPECT_EQ(report(again)->redelivering_count, 0U);
    EXPECT_THAT(failures(), ElementsAre(WebhookFailure{5, {R"({"a":1})"}, "HTTP 500", now(), false}));
    value_of(run(RedeliverWebhookEvents{"billing"}));
    EXPECT_EQ(report({.outcome = Outcome::delivered, .position = 5, .redelivery = true})->redelivering_count, 0U);
    EXPECT_THAT(failures(), IsEmpty());
    EXPECT_EQ(stored().delivered_count, 1);
}

TEST_P(Webhooks, OneThatRefusesEverythingIsGivenUp) {
    make({.cursor = cursor_at(1)});
    take();
    for (std::int64_t event = 2; event < 101; ++event) refuse_for_good(event);
    EXPECT_EQ(stored().state, WebhookState::active);
    refuse_for_good(101);
    EXPECT_EQ(stored().state, WebhookState::dead);
    EXPECT_EQ(failures().size(), 50U);
    const auto page = value_of(api().read(ListWebhookFailures{.name = "billing", .after = 100}));
    EXPECT_EQ(page.failures.size(), 1U);
    EXPECT_EQ(page.next, std::nullopt);
    expect_error(run(RedeliverWebhookEvents{"billing"}), invalid_input, "dead");
}

TEST_P(Webhooks, WhatIsSetAsideIsListedByPagesOfTheirOwn) {
    const OpenWebhook another{"billing2", Channel::completion};
    make({.cursor = cursor_at(1)});
    make({.name = another.name, .cursor = cursor_at(1)});
    take();
    value_of(api().take_webhook(another, "a"));
    for (const std::int64_t event : {0, 5, 6, 7}) refuse_for_good(event);
    for (int attempt = 0; attempt < 5; ++attempt) {
        value_of(api().report_webhook(another, "a", {.outcome = Outcome::refused, .position = 4, .event = "{}"}));
    }
    const auto page_behind = [this](std::optional<std::int64_t> after) {
        const auto page = value_of(api().read(ListWebhookFailures{.name = "billing", .after = after, .limit = 2}));
        std::vector<std::int64_t> ids;
        for (const WebhookFailure& failure : page.failures) ids.push_back(failure.event_id);
        return std::pair(ids, page.next);
    };
    EXPECT_EQ(page_behind(std::nullopt), std::pair(std::vector<std::int64_t>{0, 5}, std::optional<std::int64_t>(5)));
    EXPECT_EQ(page_behind(5), std::pair(std::vector<std::int64_t>{6, 7}, std::optional<std::int64_t>()));

    EXPECT_EQ(value_of(run(RedeliverWebhookEvents{"billing"})).count, 4U);
    EXPECT_THAT(value_of(api().webhook_redeliveries(another)), IsEmpty());
    report({.outcome = Outcome::delivered, .position = 6, .redelivery = true});
    EXPECT_EQ(stored().set_aside_count, 3);
    EXPECT_EQ(stored().redelivering_count, 3);
    EXPECT_TRUE(value_of(run(RemoveWebhook{"billing"})).existed);
    EXPECT_EQ(snapshot().of<WebhookFailureRow>().size(), 1U) << "what the other one has set aside stays";
}

TEST_P(Webhooks, WhatIsSetAsideIsForgottenAlthoughItIsToBeSentOnceMore) {
    make({.cursor = cursor_at(1)});
    take();
    refuse_for_good(5);
    value_of(run(RedeliverWebhookEvents{"billing"}));
    value_of(run(UpdateWebhook{.name = "billing", .state = WebhookState::paused}));
    advance(31 * day);
    reconcile();
    EXPECT_THAT(failures(), IsEmpty());
    EXPECT_EQ(stored().redelivering_count, 0);
    EXPECT_EQ(stored().set_aside_count, 0);
}

TEST_P(Webhooks, WhatIsSetAsideIsKeptForThirtyDays) {
    make({.cursor = cursor_at(1)});
    take();
    refuse_for_good(5);
    advance(30 * day - 1);
    reconcile();
    EXPECT_EQ(failures().size(), 1U);
    advance(minute);
    reconcile();
    EXPECT_THAT(failures(), IsEmpty());
}

TEST_P(Webhooks, APausedOneIsLeftAloneAndGoesOnWhereItWas) {
    make({.cursor = cursor_at(4)});
    take();
    EXPECT_EQ(value_of(run(UpdateWebhook{.name = "billing", .state = WebhookState::paused})).state,
              WebhookState::paused);
    EXPECT_FALSE(report({.outcome = Outcome::failed, .position = 5}));
    EXPECT_FALSE(take());
    EXPECT_EQ(position(), 4) << "events wait for it";
    value_of(run(UpdateWebhook{.name = "billing", .state = WebhookState::active}));
    EXPECT_EQ(take()->position, 4);
}

TEST_P(Webhooks, AChangeKeepsWhatItDoesNotName) {
    make({.channel = Channel::completion, .namespace_name = "shop", .types = {"failed"}, .max_batch = 7});
    const auto before = value_of(api().read(GetWebhook{"billing"})).value();
    auto changed = value_of(run(UpdateWebhook{.name = "billing", .url = "https://example.org/x?y=1"}));
    EXPECT_EQ(changed.url, "https://example.org/x?y=1");
    changed.url = before.url;
    EXPECT_EQ(changed, before);
    const auto work = *take();
    EXPECT_EQ(work.namespace_name, "shop");
    EXPECT_THAT(work.types, ElementsAre("failed"));
    EXPECT_EQ(work.max_batch, 7U);
    EXPECT_THAT(value_of(run(UpdateWebhook{.name = "billing", .types = std::vector<std::string>{}})).types, IsEmpty());
}

TEST_P(Webhooks, ARemovedOneLeavesNothing) {
    end_one();
    const Dump before = snapshot();
    make({.cursor = cursor_at(1)});
    take();
    refuse_for_good(5);
    EXPECT_TRUE(value_of(run(RemoveWebhook{"billing"})).existed);
    EXPECT_FALSE(value_of(run(RemoveWebhook{"billing"})).existed);
    const Dump after = snapshot();
    EXPECT_TRUE(before == after) << difference(before, after);
    EXPECT_EQ(value_of(api().read(GetWebhook{"billing"})), std::nullopt);
}

TEST_P(Webhooks, WhatIsWrongIsRefusedByItsField) {
    make();
    expect_no_change([&] {
        expect_error(run(CreateWebhook{.name = "billing", .url = "http://h"}), webhook_already_exists, "billing");
        expect_error(run(CreateWebhook{.name = "a b", .url = "http://h"}), invalid_input, "name");
        for (const std::string url :
             {"", "ftp://h/", "http://", "//h/x", "http://ada:pw@h/", "http://h/#x", "http://h/a b"})
            expect_error(run(CreateWebhook{.name = "x", .url = url}), invalid_input, "url");
        expect_error(run(CreateWebhook{.name = "x", .url = "http://h", .max_batch = 0}), invalid_input, "max_batch");
        expect_error(run(CreateWebhook{.name = "x", .url = "http://h", .source = ""}), invalid_input, "source");
        expect_error(run(CreateWebhook{.name = "x", .url = "http://h", .cursor = Bytes("\x01")}), invalid_input);
        for (const std::int64_t later : {drawn(Channel::completion) + 1, std::numeric_limits<std::int64_t>::max()}) {
            expect_error(run(CreateWebhook{.name = "x", .url = "http://h", .cursor = cursor_at(later)}), invalid_input,
                         "cursor: is behind no event");
        }
        expect_error(run(UpdateWebhook{.name = "none"}), webhook_not_found, "none");
        expect_error(run(UpdateWebhook{.name = "billing", .state = WebhookState::dead}), invalid_input, "state");
        expect_error(run(RotateWebhookSecret{"none"}), webhook_not_found, "none");
        expect_error(run(RedeliverWebhookEvents{"none"}), webhook_not_found, "none");
        expect_error(run(RedeliverWebhookEvents{"billing", 5}), invalid_input, "event_id");
        expect_error(api().read(ListWebhookFailures{.name = "none"}), webhook_not_found, "none");
    });
}

TEST_P(Webhooks, TheirConsumersAreNoOnesElse) {
    make();
    expect_no_change(
        [&] { expect_error(run(RemoveConsumer{Channel::completion, "webhook billing"}), invalid_input, "consumer"); });
}

}  // namespace
}  // namespace flowfabric::test
