#include "remote/lookup.hpp"

#include <gtest/gtest.h>

#include <future>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

namespace flowfabric::remote {
namespace {

namespace asio = boost::asio;
using std::chrono::steady_clock;

steady_clock::time_point later() {
    return steady_clock::now() + std::chrono::minutes(10);
}

// The system finds nothing for as long as the test says.
class Looking : public ::testing::Test {
  protected:
    ~Looking() override { answer_->set_value(); }

    // What the lookup ends with, which `meanwhile` may bring about.
    Lookup::Found run(Lookup::Find find, steady_clock::time_point until, std::function<void()> meanwhile = {}) {
        Lookup::Found found;
        asio::co_spawn(io_, lookup_.run(std::move(find), until),
                       [&](const std::exception_ptr& broken, Lookup::Found ended) {
                           EXPECT_FALSE(broken);
                           found = std::move(ended);
                       });
        if (meanwhile) asio::post(io_, std::move(meanwhile));
        io_.run();
        return found;
    }
    Lookup::Find hanging() {
        return [answered = std::shared_future(answer_->get_future()), kept = answer_] {
            answered.wait();
            return Lookup::Found{};
        };
    }

    asio::io_context io_;
    Lookup lookup_{io_};
    const std::shared_ptr<std::promise<void>> answer_ = std::make_shared<std::promise<void>>();
};

TEST_F(Looking, FindsAnAddress) {
    const auto found = run(places_of("127.0.0.1", "80"), later());
    ASSERT_FALSE(found.error) << found.error.message();
    ASSERT_EQ(found.places.size(), 1U);
    EXPECT_EQ(found.places.begin()->endpoint().port(), 80);
}

TEST_F(Looking, TellsWhyThereIsNone) {
    EXPECT_TRUE(run(places_of("127.0.0.1", "no-such-service"), later()).error);
}

TEST_F(Looking, EndsByItsTimeLimitAlthoughTheSystemDoesNotAnswer) {
    EXPECT_EQ(run(hanging(), steady_clock::now()).error, asio::error::host_not_found_try_again);
}

TEST_F(Looking, EndsWhenItIsCancelledAlthoughTheSystemDoesNotAnswer) {
    const auto found = run(hanging(), later(), [this] { lookup_.cancel(); });
    EXPECT_EQ(found.error, asio::error::operation_aborted);
}

}  // namespace
}  // namespace flowfabric::remote
