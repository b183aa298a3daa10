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

DispatchThread::DispatchThread(CommandHub& hub, std::shared_ptr<Backend> backend, std::function<void()> on_answer)
    : hub_(hub), backend_(std::move(backend)) {
    shared_->on_answer = std::move(on_answer);
    hub_.listen_to_flows([shared = shared_](const WorkingSet& set, const std::vector<Undispatched>& undispatched) {
        {
            const std::lock_guard lock(shared->mutex);
            shared->dispatcher.on_committed(set, undispatched);
            if (shared->dispatcher.idle()) return;
        }
        shared->changed.notify_all();
    });
    thread_ = std::thread([this] { run(); });
}

void DispatchThread::stop() {
    {
        std::unique_lock lock(shared_->mutex);
        if (shared_->stopping) return;
        shared_->changed.wait_for(lock, patience_at_the_end, [&] { return shared_->done() || hub_.stopped(); });
        shared_->stopping = true;
        shared_->on_answer = nullptr;
    }
    shared_->changed.notify_all();
    if (thread_.joinable()) thread_.join();
}

bool DispatchThread::cancels(const FlowKey& flow) const {
    const std::lock_guard lock(shared_->mutex);
    return shared_->dispatcher.cancels(flow);
}

void DispatchThread::run() {
    std::unique_lock lock(shared_->mutex);
    for (;;) {
        shared_->changed.wait(lock, [&] { return shared_->stopping || !shared_->dispatcher.idle(); });
        if (shared_->stopping) return;
        Dispatcher taken = shared_->dispatcher.take();
        shared_->looking = true;
        lock.unlock();
        const auto failure = carry_on(taken);
        if (failure) reader_.reset();
        lock.lock();
        shared_->dispatcher.merge(std::move(taken));
        shared_->looking = false;
        if (shared_->done()) shared_->changed.notify_all();
        if (!failure) continue;
        if (!hub_.health().on_fault(*failure)) {
            log_warning("flows could not be carried on and will be tried again: " + failure->detail);
        }
        shared_->changed.wait_for(lock, pause_after_failure, [&] { return shared_->stopping; });
    }
}

// One round of the loop.
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
            submit(hub_, shared_, std::move(*jobs));
        }
        return std::nullopt;
    } catch (...) {
        return StoreError{StoreFault::data, "it broke unexpectedly: " + thrown_text(), {}};
    }
}

void DispatchThread::submit(CommandHub& hub, const std::shared_ptr<SharedState>& shared,
                            std::vector<Dispatcher::Job> jobs) {
    {
        const std::lock_guard lock(shared->mutex);
        shared->unanswered += jobs.size();
    }
    std::vector<CommandHub::Request> requests;
    requests.reserve(jobs.size());
    for (Dispatcher::Job& job : jobs) {
        Command command = job.command;
        requests.push_back({std::move(command), [&hub, shared, job = std::move(job)](const Result<Answer>& answer) {
                                std::optional<Dispatcher::Job> next;
                                {
                                    const std::lock_guard lock(shared->mutex);
                                    next = shared->dispatcher.on_answer(job, answer);
                                    if (shared->on_answer) shared->on_answer();
                                }
                                if (next) submit(hub, shared, {std::move(*next)});
                                {
                                    const std::lock_guard lock(shared->mutex);
                                    --shared->unanswered;
                                    if (shared->dispatcher.idle() && !shared->done()) return;
                                }
                                shared->changed.notify_all();
                            }});
    }
    hub.submit_all(std::move(requests), own_command_deadline_ms, GiveOn::any_thread);
}

}  // namespace flowfabric
