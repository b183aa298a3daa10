#pragma once

#include <mutex>
#include <unordered_set>

namespace flowfabric::postgres {

// The server processes behind this backend's writers: their notifications tell it nothing new.
class OwnProcesses {
  public:
    void add(int process_id) {
        const std::scoped_lock lock(mutex_);
        ids_.insert(process_id);
    }
    void remove(int process_id) {
        const std::scoped_lock lock(mutex_);
        ids_.erase(process_id);
    }
    bool contains(int process_id) const {
        const std::scoped_lock lock(mutex_);
        return ids_.contains(process_id);
    }

  private:
    mutable std::mutex mutex_;  // guards ids_
    std::unordered_set<int> ids_;
};

}  // namespace flowfabric::postgres
