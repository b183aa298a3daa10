#include "store/free_space.hpp"

#include <sys/statvfs.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace flowfabric {
namespace {

using Level = Finding::Level;

constexpr std::uint64_t mebibyte = 1U << 20U;
constexpr std::uint64_t little = 1024 * mebibyte;
constexpr std::uint64_t almost_none = 100 * mebibyte;

}  // namespace

Finding examine_free_space(const std::string& directory) {
    struct statvfs system{};
    if (statvfs(directory.c_str(), &system) != 0) {
        return {Level::fine, "free space",
                "not visible from here: " + directory + ": " + std::generic_category().message(errno), ""};
    }
    const std::uint64_t left = std::uint64_t{system.f_bavail} * system.f_frsize;
    Finding finding{Level::fine, "free space", std::to_string(left / mebibyte) + " MiB in " + directory, ""};
    if (left >= little) return finding;
    finding.level = left < almost_none ? Level::danger : Level::advice;
    finding.detail += ": without any, nothing can be written";
    finding.remedy = "make room, or move the data to a larger file system";
    return finding;
}

}  // namespace flowfabric
