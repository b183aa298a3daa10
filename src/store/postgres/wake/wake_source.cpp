#include "store/postgres/wake/wake_source.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "store/postgres/sql/statements.hpp"

namespace flowfabric::postgres {

Listener::Listener(const std::string& url, WakeTopic topic, std::shared_ptr<const OwnProcesses> own_processes,
                   std::shared_ptr<Interrupts> interrupts)
    : own_processes_(std::move(own_processes)), connection_(url, session_statements().listener, std::move(interrupts)) {
    const auto& sql = schema_statements();
    switch (topic) {
        case WakeTopic::work:
            connection_.run(sql.listen_to_work);
            break;
        case WakeTopic::events:
            for (const Statement& listen : sql.listen_to_events) connection_.run(listen);
            break;
        case WakeTopic::streams:
            connection_.run(sql.listen_to_streams);
            break;
    }
    interrupt_fd_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (interrupt_fd_ < 0) throw Failure(StoreFault::exhausted, "no file descriptor is left for a wake source");
}

Listener::~Listener() {
    close(interrupt_fd_);
}

StoreResult<bool> Listener::wait(std::chrono::milliseconds timeout) {
    return guarded([&] {
        const auto deadline = std::chrono::steady_clock::now() + timeout;
        while (true) {
            const auto remaining = std::chrono::ceil<std::chrono::milliseconds>(
                std::max(deadline - std::chrono::steady_clock::now(), std::chrono::steady_clock::duration::zero()));
            const auto notifications =
                connection_.wait_notifications(interrupt_fd_, static_cast<int>(remaining.count()));
            told_.clear();
            for (const Notification& notification : notifications) {
                if (!own_processes_->contains(notification.process_id)) told_.push_back(notification.payload);
            }
            if (!told_.empty()) return true;
            eventfd_t interrupts = 0;
            if (eventfd_read(interrupt_fd_, &interrupts) == 0) return false;
            if (std::chrono::steady_clock::now() >= deadline) return false;
        }
    });
}

void Listener::interrupt() {
    eventfd_write(interrupt_fd_, 1);
}

}  // namespace flowfabric::postgres
