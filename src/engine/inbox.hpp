#pragma once

#include <cstdint>
#include <vector>

#include "core/command.hpp"

namespace flowfabric {

inline constexpr std::uint32_t inbox_page = 500;

// Takes in what users submitted through SQL: told what is there, it answers with ordinary creations, and looks again
// only when all of them are answered, since until then the same submissions would come back.
class Inbox {
  public:
    bool ready() const { return outstanding_ == 0; }

    std::vector<Command> on_submissions(const std::vector<Submission>& submissions, const Settings& settings);

    // True: that was the last answer, and it is worth while to look again at once.
    bool on_answer(const Result<Answer>& answer);

  private:
    std::size_t outstanding_ = 0;
    bool failed_ = false;  // some submission could not be taken in and would come first again: wait for the next turn
};

}  // namespace flowfabric
