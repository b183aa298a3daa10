#pragma once

#include <future>

#include "conformance/suspending.hpp"
#include "flowfabric/stream.hpp"

namespace flowfabric::test {

inline AppendFrame frame(const LeaseRef& lease, std::string payload, FrameMode mode = FrameMode::durable) {
    AppendFrame command;
    command.lease = lease;
    command.payload = std::move(payload);
    command.mode = mode;
    return command;
}
inline AppendFrame best_effort(const LeaseRef& lease, std::string payload, std::uint64_t ttl_ms = 5000) {
    AppendFrame command = frame(lease, std::move(payload), FrameMode::best_effort);
    command.ttl_ms = ttl_ms;
    return command;
}

class Streaming : public Suspending {
  protected:
    FrameAppended append(AppendFrame command) { return value_of(run(std::move(command))); }
    FrameAppended append(const LeaseRef& lease, std::string payload = "x", FrameMode mode = FrameMode::durable) {
        return append(frame(lease, std::move(payload), mode));
    }
    // All of them in as few batches as can be.
    void append_many(const LeaseRef& lease, int count, FrameMode mode = FrameMode::durable) {
        int appended = 0;
        for (int i = 0; i < count; ++i) {
            engine().submit(frame(lease, mode == FrameMode::summary ? "{}" : std::to_string(i), mode),
                            [&](const Result<Answer>& answer) { appended += answer ? 1 : 0; });
            if (i % 1000 == 999) engine().settle();
        }
        engine().settle();
        EXPECT_EQ(appended, count);
    }

    StreamPage read(const ExecutionId& id, StreamBound from = StreamBound::start(), StreamBound to = StreamBound::end(),
                    std::uint32_t limit = 100, std::uint32_t attempt = 0) {
        return value_of(engine().read(ReadStream{id, attempt, from, to, limit}));
    }
    std::vector<std::string> payloads(const StreamPage& page) {
        std::vector<std::string> found;
        for (const StreamFrame& one : page.frames) found.push_back(one.payload);
        return found;
    }
    std::vector<std::string> payloads(const ExecutionId& id, std::uint32_t attempt = 0) {
        return payloads(read(id, StreamBound::start(), StreamBound::end(), max_stream_frames, attempt));
    }
    std::optional<StreamSummary> summary(const ExecutionId& id, std::uint32_t attempt = 0) {
        return value_of(engine().read(ReadStreamSummary{id, attempt}));
    }
    std::optional<StreamEnd> end_of(const ExecutionId& id, std::uint32_t attempt = 0) {
        return read(id, StreamBound::start(), StreamBound::end(), 1, attempt).closed_reason;
    }
    StreamMetaRow meta(const ExecutionId& id, std::int32_t attempt = 0) {
        return snapshot().of<StreamMetaRow>().at(StreamKey{id, attempt});
    }

    // Past the deterministic engine: by the one with threads.
    std::future<Result<StreamPage>> tail(TailStream command) {
        auto answered = std::make_shared<std::promise<Result<StreamPage>>>();
        api().submit_past_executor(command,
                                   [answered](Result<StreamPage> page) { answered->set_value(std::move(page)); });
        return answered->get_future();
    }
    StreamPage answer_of(std::future<Result<StreamPage>>& answered) {
        if (answered.wait_for(std::chrono::seconds(60)) != std::future_status::ready) {
            throw std::runtime_error("the tail has no answer");
        }
        return value_of(answered.get());
    }
};

}  // namespace flowfabric::test
