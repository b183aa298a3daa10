#include "store/postgres/wire/interrupts.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

#include "store/postgres/wire/failure.hpp"

namespace flowfabric::postgres {

Interrupts::Line::Line(std::shared_ptr<Interrupts> owner)
    : owner_(std::move(owner)), fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    if (fd_ < 0) throw Failure(StoreFault::exhausted, "no file descriptor is left for a connection");
    const std::scoped_lock lock(owner_->mutex_);
    owner_->lines_.insert(fd_);
}

Interrupts::Line::~Line() {
    {
        const std::scoped_lock lock(owner_->mutex_);
        owner_->lines_.erase(fd_);
    }
    close(fd_);
}

void Interrupts::interrupt() {
    const std::scoped_lock lock(mutex_);
    for (const int line : lines_) eventfd_write(line, 1);
}

}  // namespace flowfabric::postgres
