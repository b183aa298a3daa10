#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "store/clock.hpp"
#include "store/port.hpp"
#include "store/sqlite/migrations.hpp"

namespace flowfabric::sqlite {

// What the connections of one backend share.
struct Instance {
    std::string path;
    std::shared_ptr<TestClock> clock;
    std::shared_ptr<DamageLog> damage;
    std::span<const Migration> migrations = sqlite::migrations();
    // Batches that this backend committed or is about to; ff_clock.commit_no counts everybody's.
    std::atomic<std::int64_t> own_commits{0};
    // How often waits and reads that were under way have been called off.
    std::atomic<std::uint64_t> interrupts{0};
    // The file that connections are open to, from the first one on: device and inode.
    std::atomic<std::uint64_t> device{0};
    std::atomic<std::uint64_t> inode{0};

    // The process's clock; the store's never falls below ff_clock.
    std::int64_t clock_ms() const {
        if (clock) return clock->now_ms();
        const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
        return std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();
    }
};

// Applies what is missing, under the writer lock; returns the names of the applied steps.
std::vector<std::string> migrate(const Instance& instance);
// Throws unless the schema and the partition counts are ours.
void check(const Instance& instance);

// Throws unless the path still names the file that connections are open to, and a new one can read it.
void look(const Instance& instance);
// Tells `look` which file that is; later calls change nothing.
void remember_file(Instance& instance);

// How healthy the file is; changes nothing.
std::vector<Finding> examine(const Instance& instance);

std::unique_ptr<StoreWriter> open_writer(std::shared_ptr<Instance> instance);
std::unique_ptr<StoreReader> open_reader(std::shared_ptr<Instance> instance);
std::unique_ptr<WakeSource> open_wake_source(std::shared_ptr<Instance> instance);

}  // namespace flowfabric::sqlite
