#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/signing/stored_secret.hpp"
#include "core/webhook/webhook.hpp"
#include "engine/batching/decide_batch.hpp"
#include "unit/engine/batching/batches.hpp"

namespace flowfabric::test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

const OpenWebhook billing{"billing", Channel::completion};

// One refusal away from being set aside.
WebhookRow refused_webhook(std::int32_t set_aside_count) {
    WebhookRow row;
    row.key = {billing.name};
    row.secret = {stored_plain({"webhook:billing", "whsec_x"})};
    row.owner = "a";
    row.attempts = 4;
    row.failing_since_ms = now - 1000;
    row.set_aside_count = set_aside_count;
    return row;
}

BatchDecision refuse(const WebhookRow& webhook) {
    const Batch batch = batch_of({report_webhook(
        billing, "a", {.outcome = WebhookReport::Outcome::refused, .position = 7, .error = "HTTP 400"})});
    Loaded loaded = loaded_with({});
    loaded.side.of<WebhookRow>().load(webhook);
    loaded.side.of<ConsumerRow>().load({.key = webhook_consumer(billing.name, billing.channel), .event_id = 6});
    return decide_batch(batch, std::move(loaded), {});
}

TEST(WebhookTurn, WhatIsRefusedForGoodIsSetAsideWhileThereIsRoom) {
    const auto decision = refuse(refused_webhook(max_set_aside - 1));
    EXPECT_THAT(decision.set.side.of<WebhookFailureRow>().puts(), SizeIs(1));
    const WebhookRow row = decision.set.side.of<WebhookRow>().puts().at(0);
    EXPECT_EQ(row.set_aside_count, static_cast<std::int32_t>(max_set_aside));
    EXPECT_EQ(row.attempts, 0);
    EXPECT_EQ(row.failing_since_ms, std::nullopt) << "the next event has not failed yet";
    EXPECT_EQ(decision.set.side.of<ConsumerRow>().puts().at(0).event_id, 7);
}

TEST(WebhookTurn, WhatIsRefusedBeyondThatIsTriedAgain) {
    const auto decision = refuse(refused_webhook(max_set_aside));
    EXPECT_THAT(decision.set.side.of<WebhookFailureRow>().puts(), IsEmpty());
    EXPECT_THAT(decision.set.side.of<ConsumerRow>().puts(), IsEmpty()) << "it holds up those behind it";
    const WebhookRow row = decision.set.side.of<WebhookRow>().puts().at(0);
    EXPECT_EQ(row.state, WebhookState::active);
    EXPECT_EQ(row.attempts, 5);
    EXPECT_EQ(row.failing_since_ms, now - 1000);
    EXPECT_EQ(row.last_error, "HTTP 400; 1000 events are set aside already");
    EXPECT_GT(row.next_attempt_at_ms, now);
}

}  // namespace
}  // namespace flowfabric::test
