#pragma once

#include "core/command/command.hpp"
#include "core/rows/working_set.hpp"
#include "core/stream/stream_rows.hpp"
#include "flowfabric/stream.hpp"

namespace flowfabric {

// Whoever ends an attempt, or takes its lease by force, says so to its stream (Transition).
void close_stream(WorkingSet& set, const StreamKey& key, StreamEnd why, std::int64_t now_ms);

// Lets go of the frames of an execution's streams whose time has come.
Command expire_streams(const ExecutionId& id);
// Those of one stream, and forgets that they were to expire.
void expire_frames(WorkingSet& set, StreamMetaRow& meta);

StreamFrame view_of(const StreamFrameRow& row);
StreamSummary view_of(const StreamSummaryRow& row);

}  // namespace flowfabric
