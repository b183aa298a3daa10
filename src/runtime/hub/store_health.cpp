#include "runtime/hub/store_health.hpp"

#include <algorithm>

#include "runtime/log.hpp"

namespace flowfabric {
namespace {

constexpr std::chrono::seconds damping{10};

}  // namespace

StoreHealth::Log operator_log() {
    return {[](const std::string& text) { log_warning(text); }, [](const std::string& text) { log_info(text); }};
}

bool worth_a_line(const EngineError& error) {
    return !StoreHealth::covers(error) && error.kind != ErrorKind::corruption;
}

bool StoreHealth::covers(const EngineError& error) {
    return error.kind == ErrorKind::unavailable || error.kind == ErrorKind::timeout ||
           error.kind == ErrorKind::unknown_outcome;
}

std::optional<StoreHealth::Trouble> StoreHealth::trouble_of(StoreFault fault) {
    switch (fault) {
        case StoreFault::connection:
        case StoreFault::unknown_outcome:
            return Trouble::connection;
        case StoreFault::exhausted:
            return Trouble::space;
        case StoreFault::unavailable:
            return Trouble::refusal;
        case StoreFault::contention:
        case StoreFault::data:
        case StoreFault::unreadable:
            break;
    }
    return std::nullopt;
}

bool StoreHealth::on_fault(const StoreError& error) {
    const auto trouble = trouble_of(error.fault);
    if (!trouble) return false;
    {
        const std::lock_guard lock(mutex_);
        State& state = states_[static_cast<std::size_t>(*trouble)];
        const auto now = Clock::now();
        if (!state.since) state.since = now;
        if (muted_ || state.told || (state.last_told && now - *state.last_told < damping)) return true;
        state.told = true;
        state.last_told = now;
    }
    constexpr std::array beginnings{
        "the connection to the store is lost and will be opened again: ",
        "the store is out of space or connections, writes will be tried again: ", "the store cannot be used: "};
    if (log_.warn) log_.warn(beginnings[static_cast<std::size_t>(*trouble)] + error.detail);
    return true;
}

void StoreHealth::mute() {
    const std::lock_guard lock(mutex_);
    muted_ = true;
}

void StoreHealth::clear(bool written) {
    std::optional<Clock::time_point> began;
    {
        const std::lock_guard lock(mutex_);
        for (const Trouble over : {Trouble::connection, Trouble::refusal, Trouble::space}) {
            if (over != Trouble::connection && !written) continue;
            State& state = states_[static_cast<std::size_t>(over)];
            if (state.told && !muted_) began = began ? std::min(*began, *state.since) : *state.since;
            state.since.reset();
            state.told = false;
        }
    }
    if (!began || !log_.inform) return;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - *began);
    log_.inform("the store works again, after " + std::to_string(seconds.count()) + " s");
}

}  // namespace flowfabric
