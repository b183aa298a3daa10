#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>

// Stored rows that cannot be read. A listing leaves them out, so that they hold up no other row; a command or a read
// that asks for one of them fails with StoreFault::unreadable.
namespace flowfabric {

struct Damage {
    std::string table;
    std::string key;
    std::string detail;

    auto operator<=>(const Damage&) const = default;
};

// Tells of each damage to a row once. Shared by the connections of a backend; any
// thread may call it.
class DamageLog {
  public:
    using Listener = std::function<void(const Damage&)>;

    void listen(Listener listener);
    void report(const Damage& damage);

  private:
    // More than these are told of again: that many are no longer news.
    static constexpr std::size_t most_remembered = 10'000;

    std::mutex mutex_;  // guards the rest
    Listener listener_;
    std::set<Damage> known_;
};

}  // namespace flowfabric
