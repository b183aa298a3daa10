#pragma once

#include <cstdint>
#include <vector>

#include "core/command/command.hpp"
#include "core/inbox/submission.hpp"

namespace flowfabric {

inline constexpr std::uint32_t inbox_page = 500;

// Takes in what users submitted through SQL: told what is there, it answers with ordinary creations, and looks again
// only when all of them are answered, since until then the same submissions would come back. Those that cannot be taken
// in are left behind, so that they keep no others out, and are tried again every few looks.
class Inbox {
  public:
    bool ready() const { return outstanding_ == 0; }

    // Where the next look starts: behind this id.
    std::int64_t after() const { return retry_due() ? retried_to_ : walked_to_; }

    // What that look has found; nothing where the inbox ends.
    std::vector<Command> on_submissions(const std::vector<Submission>& submissions, const Settings& settings);

    // True: that was the last answer, and it is worth while to look again at once.
    bool on_answer(const Result<Answer>& answer);

  private:
    static constexpr std::uint32_t looks_between_retries = 4;

    bool retry_due() const { return walked_to_ > 0 && looks_ >= looks_between_retries; }

    std::int64_t walked_to_ = 0;   // what is left behind has no higher id
    std::int64_t retried_to_ = 0;  // the place among it at which it is tried again
    std::uint32_t looks_ = 0;      // since then

    // The page that is being taken in.
    std::size_t outstanding_ = 0;
    std::int64_t last_id_ = 0;
    bool retrying_ = false;
    bool taken_in_ = false;     // some submissions of the page were taken in
    bool left_ = false;         // some submissions of the page could not be taken in
    bool may_recover_ = false;  // one of these for another reason than damage: retry at the next look, not at once
};

}  // namespace flowfabric
