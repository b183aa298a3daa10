#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace flowfabric::cli {

// How far a long work is, on standard error if that is a terminal and standard output is not one. It is gone with this
// object.
class ProgressBar {
  public:
    // Without a total there is only a count.
    ProgressBar(std::string what, std::optional<std::uint64_t> total);
    ~ProgressBar();
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    void show(std::uint64_t done, const std::string& note);

  private:
    const std::string what_;
    const std::optional<std::uint64_t> total_;
    const bool shown_;
};

// "what  [######    ]  60 %  note"
std::string bar_text(const std::string& what, std::uint64_t done, std::optional<std::uint64_t> total,
                     const std::string& note);

}  // namespace flowfabric::cli
