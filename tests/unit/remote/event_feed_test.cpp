#include <gtest/gtest.h>

#include <future>
#include <mutex>
#include <vector>

#include "core/base/hex.hpp"
#include "remote/remote_client.hpp"
#include "server/http/http_server.hpp"

namespace flowfabric::remote {
namespace {

using server::BodyStream;
using server::Request;
using server::Responder;

// A server that sends a place and ends, and keeps the second stream open.
class Feed : public ::testing::Test {
  protected:
    void SetUp() override {
        server::Router router;
        router.add("GET", "/v1/events", [this](const Request& request, const Responder& responder) {
            BodyStream body = responder.stream({200, "id: 02aa\n\n", "text/event-stream"});
            const std::scoped_lock lock(mutex_);
            begun_.push_back(std::string(request.query_value("from").value_or("")));
            if (begun_.size() == 1) return;
            open_.push_back(std::move(body));
            if (begun_.size() == 2) last_id_.set_value(std::string(request.headers.find("Last-Event-ID").value_or("")));
        });
        auto started = server::HttpServer::start({.port = 0}, {.router = std::move(router)});
        ASSERT_TRUE(started);
        server_ = *std::move(started);
        auto opened = RemoteClient::open({.url = "http://127.0.0.1:" + std::to_string(server_->port())});
        ASSERT_TRUE(opened);
        client_ = *std::move(opened);
    }

    std::unique_ptr<server::HttpServer> server_;
    std::unique_ptr<RemoteClient> client_;
    std::mutex mutex_;  // guards the next two
    std::vector<std::string> begun_;
    std::vector<BodyStream> open_;
    std::promise<std::string> last_id_;
};

TEST_F(Feed, GoesOnWhereTheServerSaidAlthoughNoEventHadCome) {
    SubscribeOptions options;
    options.from_oldest = true;
    const auto subscription = client_->subscribe(Channel::completion, options);
    ASSERT_TRUE(subscription);
    EXPECT_EQ(last_id_.get_future().get(), "02aa");
    {
        const std::scoped_lock lock(mutex_);
        EXPECT_EQ(begun_.front(), "start");
    }
    const auto told = (*subscription)->next(std::chrono::seconds(1));
    ASSERT_TRUE(told && *told);
    EXPECT_TRUE(std::holds_alternative<StreamDisconnected>(**told));
    EXPECT_EQ(hex_of((*subscription)->cursor()), "02aa");
}

}  // namespace
}  // namespace flowfabric::remote
