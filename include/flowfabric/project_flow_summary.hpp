#pragma once

#include <string_view>

#include "flowfabric/field.hpp"
#include "flowfabric/ids.hpp"

// Counting a flow's members for get_flow_summary, which a reconciler does all the time.
namespace flowfabric {

struct FlowSummaryProjected {
    static constexpr std::string_view type_name = "FlowSummaryProjected";

    bool projected = false;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("projected", &FlowSummaryProjected::projected, field::optional,
              "False: the flow has no members, or there is no such flow.");
    }

    bool operator==(const FlowSummaryProjected&) const = default;
};

struct ProjectFlowSummary {
    using Answer = FlowSummaryProjected;
    static constexpr std::string_view type_name = "ProjectFlowSummary";
    static constexpr Operation operation{"project_flow_summary",
                                         "Counts the members of a flow now, for get_flow_summary."};

    FlowId flow_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("flow_id", &ProjectFlowSummary::flow_id, field::required(), "The flow's id, a UUID.");
    }
};

}  // namespace flowfabric
