#pragma once

#include <functional>
#include <memory>
#include <string>

#include "flowfabric/engine.hpp"
#include "store/port.hpp"
#include "support/postgres_database.hpp"
#include "support/stores.hpp"

namespace flowfabric::test {

// An empty store on the real clock that engines, and other processes, open by its URL; gone with this object.
class LiveStore {
  public:
    explicit LiveStore(StoreKind kind, Schema schema = Schema::migrated);
    ~LiveStore();
    LiveStore(const LiveStore&) = delete;
    LiveStore& operator=(const LiveStore&) = delete;

    const std::string& url() const { return url_; }
    // A backend of its own each time, as in another process; the memory store's is always the same.
    std::shared_ptr<Backend> open_backend() const;
    // A failure without a policy is final, unless the options say otherwise.
    std::unique_ptr<Engine> open_engine(EngineOptions options = {}) const;

  private:
    std::string url_;
    std::shared_ptr<Backend> memory_;
    std::unique_ptr<PostgresDatabase> database_;
    std::function<void()> remove_;
};

// False where there is no such store, and then the test is marked as skipped or, where it must not be, failed.
bool have_store(StoreKind kind);

}  // namespace flowfabric::test
