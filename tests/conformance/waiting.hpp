#pragma once

#include "support/fixture.hpp"

namespace flowfabric::test {

// A claim that has looked, found nothing, and waits; what it gets goes to `claimed`.
inline void wait_for_work(Simulation& engine, std::vector<ClaimedExecution>& claimed, std::string lane = "default") {
    Claim patient = claim_by("w1");
    patient.lanes = {std::move(lane)};
    patient.max_wait_ms = 3'600'000;
    engine.submit(patient, [&claimed](const Result<Answer>& answer) {
        for (const auto& one : answer_of<Claimed>(answer).executions) claimed.push_back(one);
    });
    for (int look = 0; look < 2; ++look) engine.step();
    EXPECT_TRUE(claimed.empty());
}

}  // namespace flowfabric::test
