#include "cli/process/spawn.hpp"

#include <fcntl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include <fmt/format.h>

namespace flowfabric::cli {

void throw_errno(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

Pipe open_pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw_errno("pipe2");
    return {Fd(ends[0]), Fd(ends[1])};
}

// glibc 2.36 declares its own wrapper without C linkage.
Fd open_pidfd(pid_t pid) {
    return Fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

std::vector<std::string> merged_environment(const std::vector<std::pair<std::string, std::string>>& added,
                                            const std::vector<std::string_view>& withheld) {
    std::vector<std::string> merged;
    merged.reserve(added.size());
    for (const auto& [name, value] : added) merged.push_back(fmt::format("{}={}", name, value));
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const auto name = text.substr(0, text.find('='));
        const bool replaced =
            std::any_of(added.begin(), added.end(), [&](const auto& pair) { return pair.first == name; });
        if (!replaced && std::ranges::find(withheld, name) == withheld.end()) merged.emplace_back(text);
    }
    return merged;
}

std::vector<char*> c_strings(std::vector<std::string>& strings) {
    std::vector<char*> pointers;
    pointers.reserve(strings.size() + 1);
    for (auto& string : strings) pointers.push_back(string.data());
    pointers.push_back(nullptr);
    return pointers;
}

}  // namespace flowfabric::cli
