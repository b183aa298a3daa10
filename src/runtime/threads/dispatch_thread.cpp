#include "runtime/threads/dispatch_thread.hpp"

#include <chrono>

#include "runtime/log.hpp"
#include "runtime/threads/guard.hpp"
#include "runtime/threads/pacing.hpp"

namespace flowfabric {
namespace {

constexpr std::chrono::milliseconds pause_after_failure{100};
constexpr std::chrono::milliseconds patience_at_the_end{1000};

}  // namespace

DispatchThread::DispatchThread(CommandHub& hub, std::shared_ptr<Backend> backend)
    : hub_(hub), backend_(std::move(backend)) {
    hub_.listen_to_flows([desk = desk_](const WorkingSet& set, const std::vector<Undispatched>& ends) {
        {
            const std::lock_guard lock(desk->mutex);
            desk->dispatcher.on_committed(set, ends);
            if (desk->dispatcher.idle()) return;
        }
        desk->changed.notify_all();
    });
    thread_ = std::thread([this] { run(); });
}

void DispatchThread::stop() {
    {
        std::unique_lock lock(desk_->mutex);
        if (desk_->stopping) return;
        desk_->changed.wait_for(lock, patience_at_the_end, [&] { return desk_->done() || hub_.stopped(); });
        desk_->stopping = true;
    }
    desk_->changed.notify_all();
    desk_->answered.notify_all();
    if (thread_.joinable()) thread_.join();
}

void DispatchThread::wait_while_cancelling(const FlowKey& flow, std::chrono::steady_clock::time_point deadline) {
    std::unique_lock lock(desk_->mutex);
    desk_->answered.wait_until(lock, deadline, [&] { return desk_->stopping || !desk_->dispatcher.cancels(flow); });
}

void DispatchThread::run() {
    std::unique_lock lock(desk_->mutex);
    for (;;) {
        desk_->changed.wait(lock, [&] { return desk_->stopping || !desk_->dispatcher.idle(); });
        if (desk_->stopping) return;
        Dispatcher taken = desk_->dispatcher.take();
        desk_->looking = true;
        lock.unlock();
        const auto failure = carry_on(taken);
        if (failure) reader_.reset();
        lock.lock();
        desk_->dispatcher.merge(std::move(taken));
        desk_->looking = false;
        if (desk_->done()) desk_->changed.notify_all();
        if (!failure) continue;
        if (!hub_.health().on_fault(*failure)) {
            log_warning("flows could not be carried on and will be tried again: " + failure->detail);
        }
        desk_->changed.wait_for(lock, pause_after_failure, [&] { return desk_->stopping; });
    }
}

// One round.
std::optional<StoreError> DispatchThread::carry_on(Dispatcher& taken) {
    try {
        if (!reader_) {
            auto opened = backend_->open_reader();
            if (!opened) return opened.error();
            reader_ = std::move(*opened);
        }
        while (!taken.idle()) {
            auto jobs = taken.look(*reader_);
            if (!jobs) return jobs.error();
            submit(hub_, desk_, std::move(*jobs));
        }
        return std::nullopt;
    } catch (...) {
        return StoreError{StoreFault::data, "it broke unexpectedly: " + thrown_text(), {}};
    }
}

void DispatchThread::submit(CommandHub& hub, const std::shared_ptr<Desk>& desk, std::vector<Dispatcher::Job> jobs) {
    {
        const std::lock_guard lock(desk->mutex);
        desk->unanswered += jobs.size();
    }
    std::vector<CommandHub::Submission> submissions;
    submissions.reserve(jobs.size());
    for (Dispatcher::Job& job : jobs) {
        Command command = job.command;
        submissions.push_back({std::move(command), [&hub, desk, job = std::move(job)](const Result<Answer>& answer) {
                                   std::optional<Dispatcher::Job> next;
                                   {
                                       const std::lock_guard lock(desk->mutex);
                                       next = desk->dispatcher.on_answer(job, answer);
                                   }
                                   desk->answered.notify_all();
                                   if (next) submit(hub, desk, {std::move(*next)});
                                   {
                                       const std::lock_guard lock(desk->mutex);
                                       --desk->unanswered;
                                       if (desk->dispatcher.idle() && !desk->done()) return;
                                   }
                                   desk->changed.notify_all();
                               }});
    }
    hub.submit_all(std::move(submissions), own_command_deadline_ms, GiveOn::any_thread);
}

}  // namespace flowfabric
