#pragma once

#include <exception>
#include <string>

namespace flowfabric {

// What the exception that is being handled says. Called within a catch-all.
inline std::string thrown_text() {
    try {
        throw;
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "something that is no exception";
    }
}

}  // namespace flowfabric
