#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/base/hex.hpp"
#include "flowfabric/ids.hpp"

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

// A key for people: its columns' values, with spaces between them.
class KeyText {
  public:
    template <class T>
    void operator()(const char*, const T& value) {
        if (!text_.empty()) text_ += ' ';
        if constexpr (std::integral<T>) {
            text_ += std::to_string(value);
        } else if constexpr (std::is_enum_v<T>) {
            text_ += to_string(value);
        } else if constexpr (requires { value.uuid; }) {
            text_ += value.uuid.to_string();
        } else if constexpr (requires { value.to_string(); }) {
            text_ += value.to_string();
        } else if constexpr (requires { value.bytes; }) {
            text_ += hex_of(value.bytes);
        } else {
            text_ += value;
        }
    }
    std::string take() { return std::move(text_); }

  private:
    std::string text_;
};

template <class Key>
std::string key_text(const Key& key) {
    KeyText text;
    visit_columns(key, text);
    return text.take();
}

}  // namespace flowfabric
