#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "flowfabric/engine.hpp"

// The flows that the benchmarks run.
namespace flowfabric::bench {

// Where an execution stands: the flow's number and the member's position; it travels in the payload.
struct FlowPosition {
    std::uint64_t flow = 0;
    std::uint32_t member = 0;
};
// The position in the payload of an execution of one of these flows.
FlowPosition position_in(std::string_view payload);

// Each member waits for the one before it.
SubmitFlow chain_flow(const std::string& lane, std::uint64_t number, std::uint32_t members);
// A source, `width` members that wait for it, and a sink that waits for all of them.
SubmitFlow fan_flow(const std::string& lane, std::uint32_t width);

// What the flow's own row says. describe_flow shows an end as soon as the members have ended; the row has it when the
// last of them is dispatched.
Result<FlowStatus> stored_status(Engine& engine, std::uint16_t partition, const FlowId& id);

}  // namespace flowfabric::bench
