#include "runtime/threads/look_thread.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <stdexcept>

namespace flowfabric {
namespace {

using std::chrono::milliseconds;
using Pause = std::optional<milliseconds>;

constexpr milliseconds very_long{3'600'000};

TEST(LookThread, ALookGetsItsTurnsUntilItIsDone) {
    LookThread looks;
    std::promise<void> done;
    looks.add([&, turns = 0](const EngineError*) mutable -> Pause {
        if (++turns < 3) return milliseconds(1);
        done.set_value();
        return std::nullopt;
    });
    done.get_future().wait();
}

TEST(LookThread, ALookThatPausesHoldsUpNoOther) {
    LookThread looks;
    std::promise<void> done;
    looks.add([](const EngineError* end) { return end == nullptr ? Pause(very_long) : std::nullopt; });
    looks.add([&](const EngineError*) -> Pause {
        done.set_value();
        return std::nullopt;
    });
    done.get_future().wait();
}

TEST(LookThread, WakingEndsAPauseEvenIfItHasNotBegun) {
    LookThread looks;
    std::promise<void> done;
    looks.add([&, turns = 0](const EngineError*) mutable -> Pause {
        if (++turns == 2) {
            done.set_value();
            return std::nullopt;
        }
        looks.wake();
        return very_long;
    });
    done.get_future().wait();
}

TEST(LookThread, StoppingEndsWhatIsLeftAndWhatComesLater) {
    LookThread looks;
    std::atomic<int> ended = 0;
    const auto look = [&](const EngineError* end) -> Pause {
        if (end == nullptr) return very_long;
        EXPECT_EQ(end->kind, ErrorKind::unavailable);
        ++ended;
        return std::nullopt;
    };
    looks.add(look);
    looks.add(look);
    looks.stop();
    EXPECT_EQ(ended, 2);
    looks.add(look);
    EXPECT_EQ(ended, 3);
}

TEST(LookThread, ALookThatBreaksIsEnded) {
    LookThread looks;
    std::promise<ErrorKind> given;
    looks.add([&](const EngineError* end) -> Pause {
        if (end == nullptr) throw std::runtime_error("broken");
        given.set_value(end->kind);
        return std::nullopt;
    });
    EXPECT_EQ(given.get_future().get(), ErrorKind::internal);
}

}  // namespace
}  // namespace flowfabric
