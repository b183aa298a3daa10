#include "runtime/threads/wake_thread.hpp"

#include <chrono>

#include "runtime/log.hpp"
#include "runtime/threads/guard.hpp"
#include "runtime/threads/pacing.hpp"

namespace flowfabric {
WakeThread::~WakeThread() {
    stopping_ = true;
    {
        const std::lock_guard lock(shared_->mutex);
        if (shared_->source) shared_->source->interrupt();
    }
    thread_.join();
}

void WakeThread::run() {
    while (!stopping_ && !hub_.stopped()) {
        if (contain("listening for other processes broke and will be tried again", [&] { look(); })) continue;
        disconnect();
        hub_.pause(reconnect_pause);
    }
}

void WakeThread::look() {
    if (!keep_inbox_ && !hub_.wait_for_waiting_claims(poll_interval.count())) {
        return disconnect();  // unread notifications would pile up at the server
    }
    const bool listening = source_ != nullptr;
    if (!connect()) {
        hub_.pause(reconnect_pause);
        return;
    }
    // Commits before the connection listened sent no wake-up to it, so the first look is at once.
    if (listening && !source_->wait(poll_interval)) return disconnect();
    if (stopping_) return;
    // Woken or not: the second that has passed without a wake-up is the poll.
    hub_.on_foreign_change();
    if (keep_inbox_ && !take_in_submissions()) disconnect();
}

bool WakeThread::take_in_submissions() {
    std::int64_t after = 0;
    {
        const std::lock_guard lock(shared_->mutex);
        if (!shared_->inbox.ready()) return true;  // the last answer looks again
        after = shared_->inbox.after();
    }
    const auto submissions = reader_->submissions(inbox_page, after);
    if (!submissions) {
        if (!hub_.health().on_fault(submissions.error())) {
            log_warning("the inbox could not be read and will be tried again: " + submissions.error().detail);
        }
        return false;
    }
    std::vector<Command> commands;
    {
        const std::lock_guard lock(shared_->mutex);
        commands = shared_->inbox.on_submissions(*submissions, hub_.settings());
    }
    for (Command& command : commands) {
        const ExecutionId id = command->executions().front();
        hub_.submit(
            std::move(command), submission_deadline_ms,
            [shared = shared_, id](const Result<Answer>& answer) {
                const std::lock_guard lock(shared->mutex);
                if (shared->inbox.on_answer(answer) && shared->source) shared->source->interrupt();
                if (!answer && worth_a_line(answer.error())) {
                    log_warning("submission " + id.to_string() +
                                " could not be taken in and will be tried again: " + to_string(answer.error()));
                }
            },
            GiveOn::any_thread);
    }
    return true;
}

bool WakeThread::connect() {
    const auto lost = [&](const StoreError& error) {
        hub_.health().on_fault(error);
        return false;
    };
    if (keep_inbox_ && !reader_) {
        auto opened = backend_->open_reader();
        if (!opened) return lost(opened.error());
        reader_ = std::move(*opened);
    }
    if (!source_) {
        auto opened = backend_->open_wake_source(WakeTopic::work);
        if (!opened) return lost(opened.error());
        hub_.health().on_read();
        const std::lock_guard lock(shared_->mutex);
        source_ = std::move(*opened);
        shared_->source = source_;
    }
    return true;
}

void WakeThread::disconnect() {
    reader_.reset();
    const std::lock_guard lock(shared_->mutex);
    source_.reset();
    shared_->source.reset();
}

}  // namespace flowfabric
