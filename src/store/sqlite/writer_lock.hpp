#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

// The queue of writers. SQLite's own lock is won by the writer that asks at the right moment, so that two busy
// processes starve each other (16,041/s against 0/s). Here a writer takes `<path>-turn`, waits for `<path>-writer` and
// only then gives up its turn: the last holder cannot overtake who waits (6,417/s each). The kernel releases both locks
// when a process dies, but not when it is stopped: waiting asks again and again, so that it can be called off and ends.
namespace flowfabric::sqlite {

// An flock on a file of its own.
class LockFile {
  public:
    explicit LockFile(const std::string& path);
    ~LockFile();
    LockFile(const LockFile&) = delete;
    LockFile& operator=(const LockFile&) = delete;

    bool try_lock();
    void unlock();

  private:
    int file_;
};

// Lockable too; each connection that writes has one.
class WriterLock {
  public:
    // `interrupts` grows when waiting is to end.
    WriterLock(const std::string& path, const std::atomic<std::uint64_t>& interrupts)
        : turn_(path + "-turn"), writer_(path + "-writer"), interrupts_(interrupts) {}

    // Throws when the lock cannot be had within 30 seconds, or when interrupted.
    void lock();
    bool try_lock() {
        const std::unique_lock turn(turn_, std::try_to_lock);
        return turn && writer_.try_lock();
    }
    void unlock() { writer_.unlock(); }

  private:
    LockFile turn_;
    LockFile writer_;
    const std::atomic<std::uint64_t>& interrupts_;
};

}  // namespace flowfabric::sqlite
