#include "store/sqlite/writer_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "store/sqlite/database.hpp"

namespace flowfabric::sqlite {
namespace {

[[noreturn]] void throw_errno(const std::string& what) {
    throw_unavailable(what + ": " + std::generic_category().message(errno));
}

// False: somebody else holds it, and LOCK_NB asked not to wait.
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

void LockFile::lock() {
    flock_file(file_, LOCK_EX);
}

bool LockFile::try_lock() {
    return flock_file(file_, LOCK_EX | LOCK_NB);
}

void LockFile::unlock() {
    ::flock(file_, LOCK_UN);
}

}  // namespace flowfabric::sqlite
