#include "engine/inbox/inbox.hpp"

#include <algorithm>
#include <utility>

#include "core/execution/creation.hpp"

namespace flowfabric {

std::vector<Command> Inbox::on_submissions(const std::vector<Submission>& submissions, const Settings& settings) {
    retrying_ = retry_due();
    looks_ = retrying_ ? 0 : looks_ + 1;
    if (submissions.empty() && retrying_ && std::exchange(retried_to_, 0) == 0) walked_to_ = 0;
    std::vector<Command> commands;
    commands.reserve(submissions.size());
    for (const Submission& submission : submissions) commands.push_back(admit_submission(submission, settings));
    outstanding_ = commands.size();
    last_id_ = submissions.empty() ? 0 : submissions.back().submission_id;
    taken_in_ = left_ = may_recover_ = false;
    return commands;
}

bool Inbox::on_answer(const Result<Answer>& answer) {
    taken_in_ = taken_in_ || answer;
    left_ = left_ || !answer;
    may_recover_ = may_recover_ || (!answer && answer.error().kind != ErrorKind::corruption);
    if (--outstanding_ > 0) return false;
    if (left_) walked_to_ = std::max(walked_to_, last_id_);
    if (retrying_) {
        retried_to_ = last_id_ < walked_to_ ? last_id_ : 0;
        // What held it up is over, for those behind it as well.
        if (taken_in_) looks_ = looks_between_retries;
    }
    // Damage lasts until it is repaired: those behind it need not wait for that.
    return !may_recover_;
}

}  // namespace flowfabric
