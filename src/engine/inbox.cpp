#include "engine/inbox.hpp"

namespace flowfabric {

std::vector<Command> Inbox::on_submissions(const std::vector<Submission>& submissions, const Settings& settings) {
    std::vector<Command> commands;
    commands.reserve(submissions.size());
    for (const Submission& submission : submissions) commands.push_back(admit_submission(submission, settings));
    outstanding_ = commands.size();
    failed_ = false;
    return commands;
}

bool Inbox::on_answer(const Result<Answer>& answer) {
    --outstanding_;
    failed_ = failed_ || !answer;
    return outstanding_ == 0 && !failed_;
}

}  // namespace flowfabric
