#include "engine/inbox.hpp"

namespace flowfabric {

std::vector<Command> Inbox::on_submissions(const std::vector<Submission>& submissions, const Settings& settings) {
    std::vector<Command> commands;
    commands.reserve(submissions.size());
    for (const Submission& submission : submissions) commands.push_back(admit_submission(submission, settings));
    outstanding_ = commands.size();
    again_ = !commands.empty();  // a page ends at a number of bytes, too, so there may be more
    return commands;
}

bool Inbox::on_answer(const Result<Answer>& answer) {
    --outstanding_;
    if (!answer) again_ = false;  // the same submissions would come first again: wait for the next turn
    return outstanding_ == 0 && again_;
}

}  // namespace flowfabric
