#include "server/webhooks/webhook_sender.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "core/base/hex.hpp"
#include "core/signing/signing.hpp"
#include "support/fixture.hpp"
#include "support/webhook_receiver.hpp"

namespace flowfabric::server {
namespace {

using test::value_of;
using test::WebhookReceiver;
using ::testing::ElementsAre;
using Outcome = WebhookReport::Outcome;

std::string field(const boost::json::value& value, std::string_view name) {
    return std::string(value.at(name).as_string());
}

class Sender : public ::testing::Test {
  protected:
    std::string make(CreateWebhook command) {
        if (command.name.empty()) command.name = "billing";
        if (command.url.empty()) command.url = receiver_.url("/hooks?a=1");
        return value_of(engine_->call(std::move(command))).secret;
    }
    void start(std::chrono::milliseconds between_reports = std::chrono::seconds(10)) {
        sender_ = std::make_unique<WebhookSender>(*engine_, [](const std::string&, Outcome) {}, between_reports);
    }
    // The id of an execution that has ended.
    std::string end_one(const std::string& name_space = "default") {
        const auto created = value_of(
            engine_->create_execution({.namespace_name = name_space, .lane_id = "default", .execution_kind = "test"}));
        value_of(
            engine_->cancel_execution({.execution = {.execution_id = created.execution_id}, .reason = "not needed"}));
        return created.execution_id.to_string();
    }
    WebhookView view() { return *value_of(engine_->read(GetWebhook{"billing"})); }

    std::unique_ptr<Engine> engine_ = value_of(Engine::open({.store = "memory:"}));
    WebhookReceiver receiver_;
    std::unique_ptr<WebhookSender> sender_;
};

TEST_F(Sender, EventsArriveSignedInTheirOrderAsCloudEvents) {
    const std::string secret = make({});
    start();
    const std::string first = end_one();
    const std::string second = end_one();
    for (const std::string& id : {first, second}) {
        const auto request = receiver_.next();
        EXPECT_EQ(request.query_value("a"), "1");
        EXPECT_EQ(request.headers.find("content-type"), "application/cloudevents+json");
        EXPECT_EQ(request.headers.find("ff-webhook"), "billing");
        const std::string signed_text = std::string(request.headers.find("ff-timestamp").value()) + '.' + request.body;
        EXPECT_EQ(request.headers.find("ff-signature"), "v1=" + hex_of(hmac_sha256(secret, signed_text)));
        const auto message = boost::json::parse(request.body);
        EXPECT_EQ(field(message, "specversion"), "1.0");
        EXPECT_EQ(field(message, "type"), "flowfabric.completion.cancelled");
        EXPECT_EQ(field(message, "source"), "urn:flowfabric");
        EXPECT_EQ(field(message, "subject"), id);
        EXPECT_EQ(field(message.at("data"), "execution_id"), id);
        EXPECT_TRUE(field(message, "id").starts_with("completion-"));
    }
}

TEST_F(Sender, OnlyWhatIsAskedForIsSent) {
    make({.namespace_name = "shop", .types = {"cancelled"}});
    start();
    end_one("other");
    const std::string wanted = end_one("shop");
    EXPECT_EQ(field(boost::json::parse(receiver_.next().body), "subject"), wanted);
}

TEST_F(Sender, AFailureIsTriedAgainAndNothingOvertakesIt) {
    receiver_.answer_with({500, 200});
    make({});
    start();
    const std::string first = end_one();
    const std::string second = end_one();
    std::vector<std::string> subjects;
    for (int i = 0; i < 3; ++i) subjects.push_back(field(boost::json::parse(receiver_.next().body), "subject"));
    EXPECT_THAT(subjects, ElementsAre(first, first, second));
}

TEST_F(Sender, ABatchThatIsRefusedIsSentOneByOne) {
    make({.max_batch = 10});
    std::vector<std::string> ids;
    for (int i = 0; i < 3; ++i) ids.push_back(end_one());
    receiver_.answer_with({400});
    start();
    const auto subjects_of = [](const Request& request) {
        EXPECT_EQ(request.headers.find("content-type"), "application/cloudevents-batch+json");
        std::vector<std::string> subjects;
        const auto messages = boost::json::parse(request.body);
        for (const auto& message : messages.as_array()) subjects.push_back(field(message, "subject"));
        return subjects;
    };
    EXPECT_EQ(subjects_of(receiver_.next()), ids);
    for (const std::string& id : ids) EXPECT_THAT(subjects_of(receiver_.next()), ElementsAre(id));
}

TEST_F(Sender, WhatWasSetAsideIsSentOnceMore) {
    make({});
    end_one();
    const OpenWebhook webhook{"billing", Channel::completion};
    value_of(engine_->take_webhook(webhook, "a"));
    for (int attempt = 0; attempt < 5; ++attempt) {
        value_of(engine_->report_webhook(webhook, "a",
                                         {.outcome = Outcome::refused, .position = 1, .event = R"({"id":"x"})"}));
    }
    EXPECT_TRUE(engine_->release_webhook(webhook, "a"));
    value_of(engine_->call(RedeliverWebhookEvents{"billing"}));
    start();
    EXPECT_EQ(receiver_.next().body, R"({"id":"x"})");
}

// They ring without end; what is reported meanwhile is seen when the sender has let go.
TEST_F(Sender, EventsThatAreNotWantedAreReportedAsDealtWith) {
    make({.types = {"failed"}});
    const auto position = [this] {
        const OpenWebhook webhook{"billing", Channel::completion};
        const auto work = value_of(engine_->take_webhook(webhook, "test"));
        EXPECT_TRUE(engine_->release_webhook(webhook, "test"));
        return work.value().position;
    };
    const std::int64_t before = position();
    while (position() == before) {
        start(std::chrono::milliseconds(1));
        for (int i = 0; i < 300; ++i) end_one();
        sender_.reset();
    }
}

TEST_F(Sender, WhatItHasSentOnesThatFollowDoNotSendAgain) {
    make({});
    start();
    end_one();
    receiver_.next();
    // The next event is sent when the first one is recorded.
    end_one();
    receiver_.next();
    sender_.reset();
    EXPECT_GE(view().delivered_count, 1U);
    const std::string third = end_one();
    start();
    std::string subject;
    while (subject != third) subject = field(boost::json::parse(receiver_.next().body), "subject");
}

}  // namespace
}  // namespace flowfabric::server
