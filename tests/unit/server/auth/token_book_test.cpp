#include "server/auth/token_book.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <semaphore>

#include "flowfabric/error.hpp"

namespace flowfabric::server {
namespace {

TEST(TokenBook, AChangeIsToldWhenTheTokensWereReadAgain) {
    std::atomic<bool> fails = false;
    std::counting_semaphore<> failures{0};
    const auto book = *TokenBook::open(
        [&]() -> Result<AcceptedTokens> {
            if (!fails) return AcceptedTokens{};
            failures.release();
            return EngineError{.kind = ErrorKind::transport, .detail = "gone"};
        },
        std::nullopt);
    fails = true;
    std::atomic<bool> told = false;
    std::promise<void> changed;
    book->renew([&] {
        told = true;
        changed.set_value();
    });
    // One that was under way, one behind the change, and the next behind that.
    for (int i = 0; i < 3; ++i) failures.acquire();
    EXPECT_FALSE(told);
    fails = false;
    changed.get_future().wait();
}

}  // namespace
}  // namespace flowfabric::server
