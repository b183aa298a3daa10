#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace flowfabric::cli {

// How far a long work is, on standard error if that is a terminal. It is gone with this object.
class ProgressBar {
  public:
    explicit ProgressBar(std::string what);
    ~ProgressBar();
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    bool is_shown() const { return shown_; }
    // Without a total there is only the note.
    void show(std::uint64_t done, std::optional<std::uint64_t> total, const std::string& note);
    // Makes room for lines of standard output, which may go to the same terminal.
    void clear();

  private:
    const std::string what_;
    const bool shown_;
};

// "what  [######    ]  60 %  note"
std::string bar_text(const std::string& what, std::uint64_t done, std::optional<std::uint64_t> total,
                     const std::string& note);

}  // namespace flowfabric::cli
