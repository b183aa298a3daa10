#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/rows/working_set.hpp"
#include "engine/streams/parked_tails.hpp"
#include "runtime/hub/reader_pool.hpp"
#include "store/port.hpp"

namespace flowfabric {

// Answers those who wait for frames of a stream: one thread, and a wake source while somebody waits; connections for
// reads come from the pool and go back. Created by the engine before its writers; the thread starts with the first
// tail. Any thread may add a tail. stop() ends every tail that is left and joins.
class StreamThread {
  public:
    using Answerer = std::function<void(Result<StreamPage>)>;

    StreamThread(std::shared_ptr<Backend> backend, std::shared_ptr<ReaderPool> readers);
    ~StreamThread() { stop(); }
    StreamThread(const StreamThread&) = delete;
    StreamThread& operator=(const StreamThread&) = delete;

    // The command has passed the front door.
    void add(const TailStream& command, Answerer answer);
    // This process has committed a batch.
    void on_commit(const WorkingSet& set);
    // How many wait.
    std::size_t parked() const { return parked_; }
    void stop();

  private:
    using Looks = std::vector<std::pair<TailId, Tail>>;
    // What several tails that look for the same share one read for.
    struct Sought {
        StreamKey stream;
        FrameId after;
        std::uint32_t limit = 0;
        FrameVisibility visibility = FrameVisibility::all;

        auto operator<=>(const Sought&) const = default;
    };

    void run();
    void round();
    void look(const Looks& looks);
    Result<void> look_together(const Looks& looks);
    Result<StreamPage> read(const Sought& sought, const std::optional<StreamMetaRow>& meta);
    void answer(TailId id, const Result<StreamPage>& page);
    void answer_expired();
    void wait();
    void listen(std::chrono::milliseconds timeout);
    void connect();
    void raise();

    std::shared_ptr<Backend> backend_;
    std::shared_ptr<ReaderPool> readers_;
    std::atomic<std::size_t> parked_ = 0;

    std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    ParkedTails tails_;
    std::unordered_map<TailId, Answerer> answerers_;
    std::shared_ptr<WakeSource> source_;  // opened and waited for by the thread alone
    bool raised_ = false;
    bool stopping_ = false;
    std::thread thread_;

    // The thread's own.
    SteadyMs next_poll_ = 0;
    SteadyMs next_connect_ = 0;
    SteadyMs next_look_at_all_ = 0;  // a store where much is going on is not asked about every stream all the time
    bool look_at_all_ = false;
};

}  // namespace flowfabric
