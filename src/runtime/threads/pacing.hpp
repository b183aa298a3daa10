#pragma once

#include <chrono>

#include "engine/batching/batch.hpp"

// How often the engine's own threads look, and how long they wait.
namespace flowfabric {

// A thread that listens for wake-ups looks this often without one.
inline constexpr std::chrono::milliseconds poll_interval{1000};
inline constexpr std::chrono::milliseconds reconnect_pause{100};
// The deadline of the commands that the engine gives to itself.
inline constexpr SteadyMs own_command_deadline_ms = 30'000;

}  // namespace flowfabric
