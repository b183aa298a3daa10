#pragma once

#include "flowfabric/events.hpp"

namespace flowfabric {

// Of events that may tell something of an execution.
template <class E>
concept TellsOfExecutions = requires(const E& e) { e.execution_id; } || requires(const E& e) { e.subject_id; };

// Whether the event tells something of this one.
inline bool is_about(const Event& event, const ExecutionId& id) {
    return std::visit(
        [&]<class E>(const E& e) {
            if constexpr (!TellsOfExecutions<E>) return false;
            if constexpr (requires { e.subject_id; }) return e.partition_key == id.partition && e.subject_id == id.uuid;
            if constexpr (requires { e.execution_id; }) return e.execution_id == id;
        },
        event);
}

}  // namespace flowfabric
