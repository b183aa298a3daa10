#pragma once

#include <ostream>

#include "flowfabric/events.hpp"
#include "flowfabric/ids.hpp"
#include "flowfabric/state.hpp"

// How GoogleTest shows our values; found by their namespace.
namespace flowfabric {

inline std::ostream& operator<<(std::ostream& out, const ExecutionId& id) {
    return out << id.to_string();
}

template <class E>
    requires(!enum_names<E>.empty())
std::ostream& operator<<(std::ostream& out, E value) {
    return out << to_string(value);
}

template <class E>
std::ostream& operator<<(std::ostream& out, const Open<E>& value) {
    return out << value.text();
}

}  // namespace flowfabric
