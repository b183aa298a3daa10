#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "core/command/command.hpp"
#include "flowfabric/engine.hpp"
#include "support/random.hpp"

namespace flowfabric::test {

// The part of a command mix that is about flows: mostly graphs that grow, run and end, sometimes what is refused.
class FlowMix {
  public:
    // What the rest of the mix knows.
    struct Surroundings {
        std::function<CreateExecution()> execution;
        std::function<LeaseRef()> lease;          // absent: nobody has one
        const std::vector<ExecutionId>& created;  // whoever exists
    };

    explicit FlowMix(Random& random) : random_(random) {}

    Commands next(const Surroundings& around);
    WaitChildren wait(LeaseRef lease, const ExecutionId& id);
    void learn(const Commands& command, const Answer& answer);

  private:
    struct Edge {
        EdgeId edge_id;
        ExecutionId upstream;
        ExecutionId downstream;
    };
    struct Flow {
        FlowId flow_id;
        std::int64_t graph_revision = 0;
        std::vector<ExecutionId> members;
        std::vector<Edge> edges;
        bool grows = true;  // neither sealed nor cancelled, as far as is known
    };

    const Flow& some_flow(bool that_grows);
    SubmitFlow submit(const Surroundings& around);
    Commands grow(const Flow& flow, const Surroundings& around);
    Commands stage(const Flow& flow, std::optional<LeaseRef> lease);
    Commands apply(const Flow& flow, std::optional<LeaseRef> lease);
    Commands direct(const Flow& flow);
    GroupPolicy policy();
    FlowId some_id();
    ExecutionId some_member(const Flow& flow);
    Uuid uuid();
    Flow* find(const FlowId& id);
    void stop_growth(const FlowId& id);

    Random& random_;
    std::vector<Flow> flows_;
    std::map<ExecutionId, FlowId> flow_of_;
};

}  // namespace flowfabric::test
