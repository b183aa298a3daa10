#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {

// What is not done by its deadline has expired, wherever it stands.
ReconcilerSpec execution_deadline() {
    return {.timer = Timer::execution_deadline, .interval_ms = 5000};
}

}  // namespace flowfabric
