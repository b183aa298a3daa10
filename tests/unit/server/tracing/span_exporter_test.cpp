#include "server/tracing/span_exporter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "support/collector.hpp"
#include "support/fixture.hpp"

namespace flowfabric::server {
namespace {

using namespace std::chrono_literals;
using test::value_of;
using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

class Exporter : public ::testing::Test {
  protected:
    void start(const std::string& base, ExportLimits limits = {.batch = 2, .linger = 1ms, .first_pause = 1ms}) {
        exporter_ = value_of(SpanExporter::start({.url = base + "/v1/traces",
                                                  .headers = {{"x-team", "flows"}},
                                                  .service_name = "shop",
                                                  .limits = limits,
                                                  .observe = [this](ExportOutcome outcome, std::size_t count) {
                                                      const std::scoped_lock lock(mutex_);
                                                      counts_[outcome] += count;
                                                  }}));
    }
    void add(std::initializer_list<const char*> names) {
        std::vector<Span> spans;
        for (const char* name : names) spans.push_back({.name = name});
        exporter_->add(std::move(spans));
    }
    void finish() { exporter_->finish(std::chrono::steady_clock::now() + 60s); }
    std::vector<std::string> next_names() {
        std::vector<std::string> names;
        for (const auto& span : collector_.next()) names.emplace_back(span.at("name").as_string());
        return names;
    }
    std::map<ExportOutcome, std::size_t> counts() {
        const std::scoped_lock lock(mutex_);
        return counts_;
    }

    test::Collector collector_;
    std::unique_ptr<SpanExporter> exporter_;

  private:
    std::mutex mutex_;  // guards counts_
    std::map<ExportOutcome, std::size_t> counts_;
};

TEST_F(Exporter, SendsBatchesInTheirOrder) {
    start(collector_.url());
    add({"a", "b", "c", "d", "e"});
    EXPECT_THAT(next_names(), ElementsAre("a", "b"));
    EXPECT_THAT(next_names(), ElementsAre("c", "d"));
    EXPECT_THAT(next_names(), ElementsAre("e"));
    finish();
    EXPECT_THAT(counts(), ElementsAre(Pair(ExportOutcome::exported, 5U)));
}

TEST_F(Exporter, SaysWhoItIs) {
    start(collector_.url());
    add({"a"});
    const Request request = collector_.receiver().next();
    EXPECT_EQ(request.headers.find("content-type"), "application/json");
    EXPECT_EQ(request.headers.find("x-team"), "flows");
    EXPECT_THAT(request.body, ::testing::HasSubstr(R"({"key":"service.name","value":{"stringValue":"shop"}})"));
}

TEST_F(Exporter, SendsAgainWhatTheCollectorCannotTakeNow) {
    collector_.receiver().answer_with({503, 429, 502, 504});
    start(collector_.url());
    add({"a", "b", "c"});
    for (int i = 0; i < 5; ++i) EXPECT_THAT(next_names(), ElementsAre("a", "b"));
    EXPECT_THAT(next_names(), ElementsAre("c"));
    finish();
    EXPECT_THAT(counts(), ElementsAre(Pair(ExportOutcome::exported, 3U)));
}

TEST_F(Exporter, DoesNotSendAgainWhatTheCollectorRefuses) {
    collector_.receiver().answer_with({400});
    start(collector_.url());
    add({"a", "b", "c"});
    EXPECT_THAT(next_names(), ElementsAre("a", "b"));
    EXPECT_THAT(next_names(), ElementsAre("c"));
    finish();
    EXPECT_THAT(counts(), UnorderedElementsAre(Pair(ExportOutcome::exported, 1U), Pair(ExportOutcome::rejected, 2U)));
}

TEST_F(Exporter, DropsWhatFindsNoRoomAndSendsTheRestAtTheEnd) {
    start(collector_.url(), {.batch = 512, .room = 2, .linger = 1h});
    add({"a", "b", "c", "d", "e"});
    EXPECT_THAT(counts(), ElementsAre(Pair(ExportOutcome::dropped, 3U)));
    finish();
    EXPECT_THAT(next_names(), ElementsAre("a", "b"));
    add({"f"});
    EXPECT_THAT(counts(), UnorderedElementsAre(Pair(ExportOutcome::exported, 2U), Pair(ExportOutcome::dropped, 4U)));
}

TEST_F(Exporter, AtTheEndACollectorThatFailsIsNotAskedAgain) {
    collector_.receiver().answer_with({503, 503, 503});
    start(collector_.url(), {.batch = 1, .linger = 1h, .first_pause = 1h});
    add({"a", "b"});
    EXPECT_THAT(next_names(), ElementsAre("a"));
    finish();
    EXPECT_THAT(counts(), ElementsAre(Pair(ExportOutcome::dropped, 2U)));
}

TEST_F(Exporter, IsNotHeldUpByACollectorThatDoesNotAnswer) {
    boost::asio::io_context io;
    boost::asio::ip::tcp::acceptor silent(io,
                                          boost::asio::ip::tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
    start("http://127.0.0.1:" + std::to_string(silent.local_endpoint().port()));
    add({"a", "b"});
    boost::asio::ip::tcp::socket taken(io);
    silent.accept(taken);
    add({"c"});
    const auto before = std::chrono::steady_clock::now();
    exporter_->finish(before + 50ms);
    EXPECT_LT(std::chrono::steady_clock::now() - before, 5s) << "a request may take ten";
    EXPECT_THAT(counts(), ElementsAre(Pair(ExportOutcome::dropped, 3U)));
}

TEST_F(Exporter, RefusesAnAddressThatIsNone) {
    EXPECT_FALSE(SpanExporter::start({.url = "collector:4318"}));
}

}  // namespace
}  // namespace flowfabric::server
