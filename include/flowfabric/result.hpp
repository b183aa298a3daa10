#pragma once

#include <utility>
#include <variant>

#include "flowfabric/error.hpp"

namespace flowfabric {

// A value, or the error instead of one: the part of std::expected (C++23) that is used here, under its names.
template <class T, class E>
class [[nodiscard]] Expected {
  public:
    using value_type = T;
    using error_type = E;

    Expected(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
    Expected(E error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

    bool has_value() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    T& operator*() & { return std::get<0>(state_); }
    const T& operator*() const& { return std::get<0>(state_); }
    T&& operator*() && { return std::get<0>(std::move(state_)); }
    T* operator->() { return &std::get<0>(state_); }
    const T* operator->() const { return &std::get<0>(state_); }

    E& error() & { return std::get<1>(state_); }
    const E& error() const& { return std::get<1>(state_); }
    E&& error() && { return std::get<1>(std::move(state_)); }

    bool operator==(const Expected&) const = default;

  private:
    std::variant<T, E> state_;
};

template <class E>
class [[nodiscard]] Expected<void, E> : public Expected<std::monostate, E> {
  public:
    using value_type = void;
    Expected() : Expected<std::monostate, E>(std::monostate{}) {}
    Expected(E error) : Expected<std::monostate, E>(std::move(error)) {}  // NOLINT(google-explicit-constructor)
};

template <class T>
using Result = Expected<T, EngineError>;

}  // namespace flowfabric
