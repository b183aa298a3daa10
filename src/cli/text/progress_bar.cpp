#include "cli/text/progress_bar.hpp"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <utility>

#include <fmt/format.h>

namespace flowfabric::cli {
namespace {

constexpr const char* start_of_line = "\r\x1b[K";

}  // namespace

ProgressBar::ProgressBar(std::string what) : what_(std::move(what)), shown_(isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() {
    clear();
}

void ProgressBar::show(std::uint64_t done, std::optional<std::uint64_t> total, const std::string& note) {
    if (shown_) std::cerr << start_of_line << bar_text(what_, done, total, note) << std::flush;
}

void ProgressBar::clear() {
    if (shown_) std::cerr << start_of_line << std::flush;
}

std::string bar_text(const std::string& what, std::uint64_t done, std::optional<std::uint64_t> total,
                     const std::string& note) {
    if (!total || *total == 0) return fmt::format("{}  {}", what, note);
    constexpr std::uint64_t width = 30;
    const auto filled = std::min(done, *total) * width / *total;
    const auto percent = std::min(done, *total) * 100 / *total;
    return fmt::format("{}  [{:#<{}}{: <{}}]  {:3} %  {}", what, "", filled, "", width - filled, percent, note);
}

}  // namespace flowfabric::cli
