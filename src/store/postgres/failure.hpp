#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

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
    }
}

}  // namespace flowfabric::postgres
