#include "runtime/dispatch_thread.hpp"

#include <chrono>

#include "runtime/log.hpp"

namespace flowfabric {
namespace {

constexpr SteadyMs command_deadline_ms = 30'000;
constexpr std::chrono::milliseconds pause_after_failure{100};

}  // namespace

DispatchThread::DispatchThread(CommandHub& hub, std::shared_ptr<Backend> backend)
    : hub_(hub), backend_(std::move(backend)) {
    hub_.listen_to_flows([desk = desk_](const WorkingSet& set, const std::vector<Undispatched>& ends) {
        {
            const std::lock_guard lock(desk->mutex);
            desk->dispatcher.on_committed(set, ends);
            if (desk->dispatcher.idle()) return;
        }
        desk->changed.notify_one();
    });
    thread_ = std::thread([this] { run(); });
}

void DispatchThread::stop() {
    {
        const std::lock_guard lock(desk_->mutex);
        desk_->stopping = true;
    }
    desk_->changed.notify_one();
    if (thread_.joinable()) thread_.join();
}

void DispatchThread::run() {
    std::unique_lock lock(desk_->mutex);
    for (;;) {
        desk_->changed.wait(lock, [&] { return desk_->stopping || !desk_->dispatcher.idle(); });
        if (desk_->stopping) return;
        Dispatcher taken = std::exchange(desk_->dispatcher, {});
        lock.unlock();
        if (!reader_) {
            if (auto opened = backend_->open_reader()) reader_ = std::move(*opened);
        }
        std::string failure = reader_ ? "" : "no connection";
        while (failure.empty() && !taken.idle()) {
            auto jobs = taken.look(*reader_);
            if (jobs) {
                for (Dispatcher::Job& job : *jobs) submit(hub_, desk_, std::move(job));
            } else {
                failure = jobs.error().detail;
                reader_.reset();
            }
        }
        lock.lock();
        desk_->dispatcher.merge(std::move(taken));
        if (failure.empty()) continue;
        log_warning("flows could not be carried on and will be tried again: " + failure);
        desk_->changed.wait_for(lock, pause_after_failure, [&] { return desk_->stopping; });
    }
}

void DispatchThread::submit(CommandHub& hub, const std::shared_ptr<Desk>& desk, Dispatcher::Job job) {
    Command command = job.command;
    hub.submit(
        std::move(command), command_deadline_ms,
        [&hub, desk, job = std::move(job)](const Result<Answer>& answer) {
            std::optional<Dispatcher::Job> next;
            {
                const std::lock_guard lock(desk->mutex);
                next = desk->dispatcher.on_answer(job, answer);
            }
            desk->changed.notify_one();
            if (next) submit(hub, desk, std::move(*next));
        },
        GiveOn::any_thread);
}

}  // namespace flowfabric
