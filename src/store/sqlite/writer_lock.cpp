#include "store/sqlite/writer_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include "store/sqlite/database.hpp"

namespace flowfabric::sqlite {
namespace {

constexpr std::chrono::seconds patience{30};
// A batch takes milliseconds.
constexpr std::chrono::microseconds first_pause{50};
constexpr std::chrono::microseconds longest_pause{1000};

[[noreturn]] void throw_errno(const std::string& what) {
    throw_unavailable(what + ": " + std::generic_category().message(errno));
}

// False: another writer holds it, and LOCK_NB asked not to wait.
bool flock_file(int file, int operation) {
    while (::flock(file, operation) != 0) {
        if (errno == EWOULDBLOCK) return false;
        if (errno != EINTR) throw_errno("cannot lock the database's lock file");
    }
    return true;
}

}  // namespace

// flock asks for no write permission, and O_CLOEXEC keeps child processes from holding on to the lock.
LockFile::LockFile(const std::string& path) : file_(::open(path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0644)) {
    if (file_ < 0) throw_errno("cannot open the lock file " + path);
}

LockFile::~LockFile() {
    ::close(file_);
}

bool LockFile::try_lock() {
    return flock_file(file_, LOCK_EX | LOCK_NB);
}

void LockFile::unlock() {
    ::flock(file_, LOCK_UN);
}

void WriterLock::lock() {
    const auto before = interrupts_.load();
    const auto give_up = std::chrono::steady_clock::now() + patience;
    auto pause = first_pause;
    const auto wait_for = [&](LockFile& file) {
        while (!file.try_lock()) {
            if (interrupts_ != before) throw Fault({StoreFault::connection, "waiting for other writers ended", {}});
            if (std::chrono::steady_clock::now() >= give_up) {
                throw Fault({StoreFault::contention, "another process has been writing for 30 s", {}});
            }
            std::this_thread::sleep_for(pause);
            pause = std::min(pause * 9 / 8, longest_pause);
        }
    };
    wait_for(turn_);
    const std::unique_lock turn(turn_, std::adopt_lock);
    wait_for(writer_);
}

}  // namespace flowfabric::sqlite
