#pragma once

#include <vector>

#include "core/inbox/submission.hpp"
#include "core/lane/lane_row.hpp"
#include "core/suspension/suspension_rows.hpp"
#include "core/worker/worker_rows.hpp"
#include "flowfabric/views.hpp"

namespace flowfabric {

ExecutionView view_of(const ExecutionRow& row);
ExecutionInfo info_of(const ExecutionRow& row);
ExecutionSummary summary_of(const ExecutionRow& row);
LaneView view_of(const LaneRow& row);
WorkerView view_of(const WorkerRow& row);
SuspendedExecution view_of(const SuspensionRow& row);
WaitpointView view_of(const WaitpointRow& row);
ResumeSignal view_of(const SignalRow& row, const SignalPayloadRow* payload);
ExpiredLease expired_lease_of(const ExecutionRow& row);
// A submission as the execution that it will be.
ExecutionRow row_of(const Submission& submission);
// History and, last, the open attempt, if there is one.
std::vector<AttemptView> attempts_of(const std::vector<AttemptRow>& ended, const ExecutionRow& row);

}  // namespace flowfabric
