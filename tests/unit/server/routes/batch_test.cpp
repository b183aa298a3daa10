#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <future>
#include <semaphore>

#include "flowfabric/engine.hpp"
#include "server/auth/access.hpp"
#include "server/blocking_pool.hpp"
#include "server/http/exchange.hpp"
#include "server/routes/operation_call.hpp"
#include "server/routes/operation_routes.hpp"

// Many operations in one request, without a socket.
namespace flowfabric::server {
namespace {

using ::testing::HasSubstr;
namespace json = boost::json;

class BatchTest : public ::testing::Test {
  protected:
    BatchTest() { add_operation_routes(router_, *engine_, pool_, waits_, access_); }
    ~BatchTest() override {
        pool_->finish();
        access_->stop();
    }
    BatchTest(const BatchTest&) = delete;
    BatchTest& operator=(const BatchTest&) = delete;

    std::shared_ptr<Exchange> new_exchange() {
        return std::make_shared<Exchange>([this] { news_.release(); }, false);
    }
    void ask(const std::shared_ptr<Exchange>& exchange, const std::string& operation, const json::array& items) {
        Request request{.method = "POST", .path = {"v1", "operations", operation + ":batch"}};
        request.headers = {{"Content-Type", "application/json"}};
        request.body = json::serialize(json::object{{"items", items}});
        const RouteInfo* route = router_.match(request.method, request.path);
        ASSERT_NE(route, nullptr);
        call_route(*route, std::move(request), Responder(exchange));
    }
    Response answer_to(const std::string& operation, const json::array& items) {
        const auto exchange = new_exchange();
        ask(exchange, operation, items);
        for (;;) {
            if (auto next = exchange->take()) return *std::move(next->head);
            news_.acquire();
        }
    }
    std::string create(std::size_t input_bytes) {
        CreateExecution command{.lane_id = "l", .execution_kind = "k"};
        command.input_payload = std::string(input_bytes, 'x');
        const auto created = engine_->call(command);
        EXPECT_TRUE(created);
        return created->execution_id.to_string();
    }

    std::counting_semaphore<> news_{0};
    std::unique_ptr<Engine> engine_ = std::move(*Engine::open({.store = "memory:"}));
    std::shared_ptr<BlockingPool> pool_ = std::make_shared<BlockingPool>(2);
    std::shared_ptr<CompletionWaits> waits_ =
        std::make_shared<CompletionWaits>([this] { return engine_->subscribe_completion(); });
    std::shared_ptr<Access> access_ = *Access::open(*engine_, pool_, std::nullopt);
    Router router_;
};

json::object claim_item(std::uint64_t max_wait_ms) {
    return {
        {"worker_id", "w"}, {"worker_instance_id", "w-1"}, {"lanes", json::array{"l"}}, {"max_wait_ms", max_wait_ms}};
}

TEST_F(BatchTest, WhatAClientThatHasGoneClaimedIsFreeAgain) {
    create(1);
    const auto exchange = new_exchange();
    exchange->leave();
    ask(exchange, "claim", {claim_item(0)});
    Claim claim{.lanes = {"l"}, .worker_id = "v", .worker_instance_id = "v-1"};
    claim.max_wait_ms = 60'000;
    const auto claimed = engine_->call(claim);
    ASSERT_TRUE(claimed);
    EXPECT_EQ(claimed->executions.size(), 1U);
}

TEST_F(BatchTest, AClaimDoesNotWait) {
    create(1);
    const auto answer = answer_to("claim", {claim_item(1), claim_item(0)});
    const json::value items = json::parse(answer.body).at("items");
    EXPECT_EQ(items.at(0).at("problem").at("details").at(0).at("field"), "max_wait_ms");
    EXPECT_EQ(items.at(1).at("answer").at("executions").as_array().size(), 1U);
}

TEST_F(BatchTest, AnAnswerIsBounded) {
    constexpr std::size_t input_bytes = 500'000;
    constexpr std::size_t most_bytes = 16'777'216;
    constexpr int count = 60;
    const std::string large = create(input_bytes);
    const std::string small = create(1);
    json::array items(count, json::object{{"execution_id", large}});
    items.push_back(json::object{{"execution_id", small}});
    const auto answer = answer_to("get_execution_input", items);
    EXPECT_EQ(answer.status, 200U);
    EXPECT_LT(answer.body.size(), most_bytes + 100'000);
    const json::value answered = json::parse(answer.body).at("items");
    int told = 0;
    for (const json::value& item : answered.as_array()) {
        if (item.as_object().contains("answer")) {
            ++told;
        } else {
            EXPECT_EQ(item.at("problem").at("status"), 413);
            EXPECT_EQ(item.at("problem").at("kind"), "answer_too_large");
        }
    }
    EXPECT_GT(told, 20);
    EXPECT_LT(told, count);
    EXPECT_TRUE(answered.as_array().back().as_object().contains("answer")) << "there is room for what is small";
}

TEST_F(BatchTest, ReadsAreFewer) {
    const auto reads = [&](std::size_t count) {
        return answer_to("list_executions", json::array(count, json::object{}));
    };
    EXPECT_EQ(reads(500).status, 200U);
    EXPECT_EQ(reads(501).status, 422U);
    EXPECT_THAT(reads(501).body, HasSubstr("at most 500"));
}

TEST(BesideIo, OnlyLargeBodiesWaitForThePool) {
    const auto pool = std::make_shared<BlockingPool>(1);
    std::promise<void> open;
    pool->post([gate = open.get_future().share()] { gate.wait(); });
    std::vector<std::size_t> handled;
    const Handler handler =
        beside_io(pool, [&](const Request& request, const Responder&) { handled.push_back(request.body.size()); });
    const auto handle = [&](std::size_t bytes) {
        Request request;
        request.body = std::string(bytes, ' ');
        handler(std::move(request), Responder(std::make_shared<Exchange>([] {}, false)));
    };
    handle(65'537);
    handle(65'536);
    EXPECT_THAT(handled, ::testing::ElementsAre(65'536U)) << "the pool is busy";
    open.set_value();
    pool->finish();
    EXPECT_THAT(handled, ::testing::ElementsAre(65'536U, 65'537U));
}

}  // namespace
}  // namespace flowfabric::server
