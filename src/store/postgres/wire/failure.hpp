#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/base/thrown.hpp"
#include "store/port.hpp"

// Inside the adapter a failed statement or a lost connection is an exception; `guarded` translates it at the edge.
namespace flowfabric::postgres {

class Failure : public std::exception {
  public:
    Failure(StoreFault fault, std::string detail) : error_{fault, std::move(detail), {}} {}

    const StoreError& error() const { return error_; }
    const char* what() const noexcept override { return error_.detail.c_str(); }

  private:
    StoreError error_;
};

// A stored value is not what the schema says.
[[noreturn]] inline void throw_unreadable(std::string detail) {
    throw Failure(StoreFault::unreadable, std::move(detail));
}

// What a SQLSTATE means for the caller.
StoreFault fault_of(std::string_view sqlstate);

template <class Body>
auto guarded(Body&& body) -> StoreResult<decltype(body())> {
    try {
        if constexpr (std::is_void_v<decltype(body())>) {
            body();
            return {};
        } else {
            return body();
        }
    } catch (const Failure& failure) {
        return failure.error();
    } catch (...) {
        return StoreError{StoreFault::data, "it broke unexpectedly: " + thrown_text(), {}};
    }
}

// The same on a session, which is given up after anything but a Failure: its replies may be half sent or half read.
template <class Session, class Body>
auto guarded_on(Session& session, Body&& body) -> StoreResult<decltype(body())> {
    return guarded([&] {
        try {
            return body();
        } catch (const Failure&) {
            throw;
        } catch (...) {
            session.give_up();
            throw;
        }
    });
}

}  // namespace flowfabric::postgres
