#pragma once

#include <sys/types.h>

#include <vector>

namespace flowfabric::test {

// Every process of the test server stopped, as when its machine hangs; they go on with the end of this object, or with
// thaw(). Only under script/with-postgres.
class FrozenServer {
  public:
    static bool possible();

    FrozenServer();
    ~FrozenServer();
    FrozenServer(const FrozenServer&) = delete;
    FrozenServer& operator=(const FrozenServer&) = delete;

    void thaw();

  private:
    void stop(pid_t process);

    std::vector<pid_t> stopped_;
};

}  // namespace flowfabric::test
