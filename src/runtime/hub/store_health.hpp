#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "store/port.hpp"

namespace flowfabric {

// What an engine says about its store: each kind of fault once, when it begins, and once when it is over, however many
// threads run into it. One that comes and goes is told every ten seconds. Any thread calls it.
class StoreHealth {
  public:
    struct Log {
        std::function<void(const std::string&)> warn;
        std::function<void(const std::string&)> inform;
    };

    // Mute until then; called before the first thread starts.
    void log_to(Log log) { log_ = std::move(log); }

    // False for a fault that is not the store's as a whole, and that is the caller's to report.
    bool on_fault(const StoreError& error);
    // The engine ends, and breaks connections itself.
    void mute();
    // Whether an error to a command only repeats what is said here.
    static bool covers(const EngineError& error);
    // Something was read: there is a connection.
    void on_read() { clear(false); }
    // Something was committed: there is room as well.
    void on_write() { clear(true); }

  private:
    enum class Trouble : std::uint8_t { connection, space, refusal };
    static std::optional<Trouble> trouble_of(StoreFault fault);
    void clear(bool written);

    using Clock = std::chrono::steady_clock;
    struct State {
        std::optional<Clock::time_point> since;  // while it lasts
        std::optional<Clock::time_point> last_told;
        bool told = false;  // since it began
    };

    Log log_;
    std::mutex mutex_;             // guards what follows
    std::array<State, 3> states_;  // by Trouble
    bool muted_ = false;
};

// Whether a command of the engine's own that failed is to be told of: the store's health is told here, and a damaged
// row is named once where it is read.
bool worth_a_line(const EngineError& error);

// What the program writes for its operator.
StoreHealth::Log operator_log();

}  // namespace flowfabric
