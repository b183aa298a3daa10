#pragma once

#include <string>
#include <string_view>

#include "core/base/thrown.hpp"
#include "runtime/log.hpp"

// No exception leaves a thread of the engine: each round of a thread's loop and each call of a caller's code is
// contained on its own.
namespace flowfabric {

// Runs the body. What it throws is logged behind `what` and goes no further; false then.
template <class Body>
bool contain(std::string_view what, Body&& body) noexcept {
    try {
        body();
        return true;
    } catch (...) {
        try {
            log_error(std::string(what) + ": " + thrown_text());
        } catch (...) {  // no memory for the line: nothing is left to be told with
            return false;
        }
        return false;
    }
}

}  // namespace flowfabric
