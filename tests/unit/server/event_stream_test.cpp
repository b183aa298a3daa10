#include "server/routes/event_stream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <semaphore>

#include "flowfabric/engine.hpp"
#include "server/http/exchange.hpp"

namespace flowfabric::server {
namespace {

using ::testing::HasSubstr;

// Has so many events, then nothing; may end there.
class Counted final : public Subscription {
  public:
    struct Seen {
        std::atomic<int> taken = 0;
        std::promise<void> closed;
    };

    Counted(std::shared_ptr<Seen> seen, int count, bool ends) : seen_(std::move(seen)), count_(count), ends_(ends) {}
    ~Counted() override { seen_->closed.set_value(); }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

    Result<std::optional<Delivery>> next(std::chrono::milliseconds) override {
        if (seen_->taken == count_) return std::optional<Delivery>{};
        CompletionEvent event;
        event.event_id = ++seen_->taken;
        return std::optional<Delivery>(Event(event));
    }
    void notify(std::function<void()>) override {}
    Bytes cursor() const override { return cursor_at(seen_->taken); }
    bool ended() const override { return ends_ && seen_->taken == count_; }

  private:
    std::shared_ptr<Seen> seen_;
    int count_;
    bool ends_;
};

class EventStreamTest : public ::testing::Test {
  protected:
    void open(int count, bool ends) {
        const EventStream::Setting setting{*client_, pool_};
        const auto stream = std::make_shared<EventStream>(
            setting, *messages_of(std::unique_ptr<Subscription>(std::make_unique<Counted>(seen_, count, ends))),
            std::nullopt, exchange_->gone());
        stream->open(Responder(exchange_));
    }
    // Sends what there is, until the body ends.
    std::string read_all() {
        std::string all;
        for (;;) {
            const auto next = exchange_->take();
            if (!next) {
                news_.acquire();
                continue;
            }
            all += next->part;
            exchange_->sent();
            if (next->ended) return all;
        }
    }

    std::counting_semaphore<> news_{0};
    std::shared_ptr<Exchange> exchange_ = std::make_shared<Exchange>([this] { news_.release(); }, false);
    std::shared_ptr<Counted::Seen> seen_ = std::make_shared<Counted::Seen>();
    std::unique_ptr<Engine> client_ = std::move(*Engine::open({.store = "memory:"}));
    BlockingPool pool_{2};
};

TEST_F(EventStreamTest, AClientThatDoesNotReadIsSentOnePartOnly) {
    constexpr int endless = 1'000'000;
    open(endless, false);
    const int taken = seen_->taken;
    EXPECT_LT(taken, 2'000);
    exchange_->take();
    EXPECT_EQ(seen_->taken, taken) << "taken by the connection, and not sent yet";
    exchange_->leave();
    seen_->closed.get_future().get();
}

TEST_F(EventStreamTest, AClientThatReadsIsSentEverythingInOrder) {
    constexpr int count = 3'000;
    open(count, true);
    const std::string all = read_all();
    std::size_t at = 0;
    for (int id = 1; id <= count; ++id) {
        at = all.find("\"event_id\":" + std::to_string(id) + ',', at);
        ASSERT_NE(at, std::string::npos) << id;
    }
    EXPECT_THAT(all, HasSubstr("event: end\n"));
    seen_->closed.get_future().get();
}

TEST_F(EventStreamTest, WhatHasEndedAndHasNothingMoreIsNoContent) {
    open(0, true);
    const auto answer = exchange_->take();
    ASSERT_TRUE(answer && answer->head);
    EXPECT_EQ(answer->head->status, 204U);
    seen_->closed.get_future().get();
}

}  // namespace
}  // namespace flowfabric::server
