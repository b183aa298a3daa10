#include "store/damage.hpp"

namespace flowfabric {

void DamageLog::listen(Listener listener) {
    const std::lock_guard lock(mutex_);
    listener_ = std::move(listener);
}

void DamageLog::report(const Damage& damage) {
    const std::lock_guard lock(mutex_);
    if (known_.size() >= most_remembered) known_.clear();
    if (known_.insert(damage).second && listener_) listener_(damage);
}

}  // namespace flowfabric
