#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "flowfabric/execution_views.hpp"
#include "flowfabric/result.hpp"
#include "flowfabric/stream.hpp"

// How the output of an execution is followed from attempt to attempt, until it has ended. It asks and waits for
// nothing by itself: step() says what is to be asked next, and the answer is given to it.
namespace flowfabric::api {

// Where a follower stands: behind a frame of an attempt, or in front of its first.
struct OutputPlace {
    std::uint32_t attempt_index = 0;
    FrameId after;

    // Opaque to callers: 0x04, then the numbers, big-endian.
    Bytes cursor() const;
    static Result<OutputPlace> of_cursor(const Bytes& cursor);

    bool operator==(const OutputPlace&) const = default;
};

// A frame, or the end of an attempt's stream.
struct OutputItem {
    std::uint32_t attempt_index = 0;
    std::optional<StreamFrame> frame;
    StreamPage end = {};  // without frames; where there is no frame
    OutputPlace behind;   // where a follower stands who has had it
};

class OutputWalk {
  public:
    struct Options {
        std::optional<OutputPlace> from = {};            // absent: the beginning of the current attempt
        bool from_first = false;                         // or of the first one
        std::optional<std::uint32_t> only_attempt = {};  // ends with this one
        FrameVisibility visibility = FrameVisibility::all;
        std::uint32_t limit = 50;  // frames of one answer
    };
    enum class Step : std::uint8_t {
        look,  // where the execution stands: describe_execution, given to learn()
        tail,  // what comes next: tail(), given to take()
        done,
    };

    OutputWalk(const ExecutionId& id, const Options& options);

    Step step() const { return step_; }
    // It waits unless the attempt is over. Only a stream that was written to tells of its end: of any other it is asked
    // from time to time.
    TailStream tail() const;
    // All that there is was taken, and more may come.
    bool is_up_to_date() const { return is_up_to_date_; }
    const OutputPlace& place() const { return place_; }

    void learn(const ExecutionView& execution);
    // Of a tail. What there is to show, in order.
    std::vector<OutputItem> take(StreamPage page);
    // Something has happened to the execution: it is looked at next.
    void look_again();

  private:
    void leave_attempt();

    const ExecutionId id_;
    const Options options_;
    OutputPlace place_;
    Step step_ = Step::look;
    bool placed_ = false;      // place_ is set
    bool written_to_ = false;  // frames of this attempt were seen
    bool is_up_to_date_ = false;
    std::uint64_t patience_ms_ = 0;
    // By the last look, which was before the tail that is asked for next.
    bool attempt_over_ = false;
    bool ended_ = false;
    std::uint32_t current_attempt_ = 0;
};

}  // namespace flowfabric::api
