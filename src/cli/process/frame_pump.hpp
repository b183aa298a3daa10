#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cli/process/spawn.hpp"
#include "flowfabric/client.hpp"

namespace flowfabric::cli {

// Cuts bytes into lines, each with its newline, and those that are longer than a frame may be into pieces of that size:
// together they are the bytes that came.
class LineCutter {
  public:
    using Take = std::function<void(std::string)>;

    void put(std::string_view bytes, const Take& take);
    // What has no newline yet is a line by itself.
    void end(const Take& take);

  private:
    std::string unfinished_;
};

// Lines of a program on their way to the stream of its attempt, a frame each, in the order in which they came. Those
// that come while others are under way go together.
//
// Life cycle: the constructor starts a thread, the destructor gives up what is left and joins. The client outlives it.
// Threads: any may call it; the thread alone waits for the store. has_room() says when to put no more for now.
// Stopping: what the store refuses for the lease's sake ends it, and so does give_up(); from then on lines are dropped.
class FramePump {
  public:
    FramePump(Client& client, const Handle& lease);
    ~FramePump();
    FramePump(const FramePump&) = delete;
    FramePump& operator=(const FramePump&) = delete;

    bool has_room() const;
    // A descriptor that is readable when there is room again; await_room() makes it wait for the next time.
    int room_fd() const { return room_.get(); }
    void await_room() const;
    void put(FrameKind kind, std::string line);
    void give_up();
    // Waits until the store has everything, or it is given up; a stop request gives up.
    void finish(const std::stop_token& stop);

  private:
    struct Line {
        FrameKind kind;
        std::string text;
    };

    void run(const std::stop_token& stop);
    std::vector<Line> take_some(const std::stop_token& stop);
    std::vector<Line> append(std::vector<Line> lines);
    void give_up_held();
    void tell_of_room() const;

    Client& client_;
    const Handle lease_;
    Fd room_;  // an eventfd

    mutable std::mutex mutex_;  // guards what follows up to the thread
    std::condition_variable_any changed_;
    std::deque<Line> waiting_;
    std::size_t waiting_bytes_ = 0;
    bool sending_ = false;
    bool given_up_ = false;
    std::jthread thread_;
};

}  // namespace flowfabric::cli
