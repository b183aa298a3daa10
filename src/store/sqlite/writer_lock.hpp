#pragma once

#include <mutex>
#include <string>

// The queue of writers. SQLite's own lock is won by whoever asks at the right moment, so that two busy processes
// starve each other (16,041/s against 0/s). Here a writer takes `<path>-turn`, waits for `<path>-writer` and only
// then gives up its turn: the last holder cannot overtake who waits (6,417/s each). The kernel releases both locks
// when a process dies.
namespace flowfabric::sqlite {

// An flock on a file of its own; Lockable.
class LockFile {
  public:
    explicit LockFile(const std::string& path);
    ~LockFile();
    LockFile(const LockFile&) = delete;
    LockFile& operator=(const LockFile&) = delete;

    void lock();
    bool try_lock();
    void unlock();

  private:
    int file_;
};

// Lockable too; each connection that writes has one.
class WriterLock {
  public:
    explicit WriterLock(const std::string& path) : turn_(path + "-turn"), writer_(path + "-writer") {}

    void lock() {
        const std::lock_guard turn(turn_);
        writer_.lock();
    }
    bool try_lock() {
        const std::unique_lock turn(turn_, std::try_to_lock);
        return turn && writer_.try_lock();
    }
    void unlock() { writer_.unlock(); }

  private:
    LockFile turn_;
    LockFile writer_;
};

}  // namespace flowfabric::sqlite
