-- find_execution
SELECT partition_key, execution_id, created_at_ms, class_id, lane_id, namespace, execution_kind, creator_identity,
    idempotency_key, payload_encoding, required_capabilities, policy, own_retention_ms, node_name, traceparent,
    tracestate, flow_id, priority, tags, instance_tag, deadline_at_ms, deadline_check_at_ms, retry_count, replay_count,
    lease_reclaim_count, deps_blocked, blocking_detail, failure_reason, failure_category, result_encoding,
    cancellation_reason, cancelled_by, cancellation_cause, progress_pct, progress_message, progress_updated_at_ms,
    activity_epoch, attempt_time_left_ms, last_release, grant_until_ms, has_waitpoints, signal_count, has_stream,
    current_suspension_id, current_waitpoint_id, lifecycle_phase, ownership_state, eligibility_state, public_state,
    attempt_state, blocking_reason, terminal_outcome, attempt_index, total_attempt_count, lease_epoch, attempt_id,
    attempt_type, attempt_started_at_ms, previous_attempt_index, interrupt_cause, lease_id, worker_id,
    worker_instance_id, lease_acquired_at_ms, lease_expires_at_ms, lease_last_renewed_at_ms, lease_check_at_ms,
    reclaimable_since_ms, delay_until_ms, attempt_deadline_at_ms, started_at_ms, terminal_at_ms, last_transition_at_ms,
    last_mutation_at_ms
  FROM ff_exec_core
  WHERE partition_key = ? AND execution_id = ?;

-- insert_execution
INSERT INTO ff_exec_core (partition_key, execution_id, created_at_ms, class_id, lane_id, namespace, execution_kind,
    creator_identity, idempotency_key, payload_encoding, required_capabilities, policy, own_retention_ms, node_name,
    traceparent, tracestate, flow_id, priority, tags, instance_tag, deadline_at_ms, deadline_check_at_ms, retry_count,
    replay_count, lease_reclaim_count, deps_blocked, blocking_detail, failure_reason, failure_category, result_encoding,
    cancellation_reason, cancelled_by, cancellation_cause, progress_pct, progress_message, progress_updated_at_ms,
    activity_epoch, attempt_time_left_ms, last_release, grant_until_ms, has_waitpoints, signal_count, has_stream,
    current_suspension_id, current_waitpoint_id, lifecycle_phase, ownership_state, eligibility_state, public_state,
    attempt_state, blocking_reason, terminal_outcome, attempt_index, total_attempt_count, lease_epoch, attempt_id,
    attempt_type, attempt_started_at_ms, previous_attempt_index, interrupt_cause, lease_id, worker_id,
    worker_instance_id, lease_acquired_at_ms, lease_expires_at_ms, lease_last_renewed_at_ms, lease_check_at_ms,
    reclaimable_since_ms, delay_until_ms, attempt_deadline_at_ms, started_at_ms, terminal_at_ms, last_transition_at_ms,
    last_mutation_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
    ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- update_execution_hot
UPDATE ff_exec_core
  SET lifecycle_phase = ?, ownership_state = ?, eligibility_state = ?, public_state = ?, attempt_state = ?,
    blocking_reason = ?, terminal_outcome = ?, attempt_index = ?, total_attempt_count = ?, lease_epoch = ?, attempt_id =
    ?, attempt_type = ?, attempt_started_at_ms = ?, previous_attempt_index = ?, interrupt_cause = ?, lease_id = ?,
    worker_id = ?, worker_instance_id = ?, lease_acquired_at_ms = ?, lease_expires_at_ms = ?, lease_last_renewed_at_ms =
    ?, lease_check_at_ms = ?, reclaimable_since_ms = ?, delay_until_ms = ?, attempt_deadline_at_ms = ?, started_at_ms =
    ?, terminal_at_ms = ?, last_transition_at_ms = ?, last_mutation_at_ms = ?
  WHERE partition_key = ? AND execution_id = ?;

-- update_execution_wide
UPDATE ff_exec_core
  SET flow_id = ?, priority = ?, tags = ?, instance_tag = ?, deadline_at_ms = ?, deadline_check_at_ms = ?, retry_count =
    ?, replay_count = ?, lease_reclaim_count = ?, deps_blocked = ?, blocking_detail = ?, failure_reason = ?,
    failure_category = ?, result_encoding = ?, cancellation_reason = ?, cancelled_by = ?, cancellation_cause = ?,
    progress_pct = ?, progress_message = ?, progress_updated_at_ms = ?, activity_epoch = ?, attempt_time_left_ms = ?,
    last_release = ?, grant_until_ms = ?, has_waitpoints = ?, signal_count = ?, has_stream = ?, current_suspension_id =
    ?, current_waitpoint_id = ?, lifecycle_phase = ?, ownership_state = ?, eligibility_state = ?, public_state = ?,
    attempt_state = ?, blocking_reason = ?, terminal_outcome = ?, attempt_index = ?, total_attempt_count = ?,
    lease_epoch = ?, attempt_id = ?, attempt_type = ?, attempt_started_at_ms = ?, previous_attempt_index = ?,
    interrupt_cause = ?, lease_id = ?, worker_id = ?, worker_instance_id = ?, lease_acquired_at_ms = ?,
    lease_expires_at_ms = ?, lease_last_renewed_at_ms = ?, lease_check_at_ms = ?, reclaimable_since_ms = ?,
    delay_until_ms = ?, attempt_deadline_at_ms = ?, started_at_ms = ?, terminal_at_ms = ?, last_transition_at_ms = ?,
    last_mutation_at_ms = ?
  WHERE partition_key = ? AND execution_id = ?;

-- insert_input
INSERT INTO ff_exec_input (partition_key, execution_id, payload)
  VALUES (?, ?, ?);

-- save_result
INSERT INTO ff_exec_result (partition_key, execution_id, result)
  VALUES (?, ?, ?);

-- clear_result
DELETE
  FROM ff_exec_result
  WHERE partition_key = ? AND execution_id = ?;

-- find_input
SELECT ff_exec_input.payload
  FROM ff_exec_core
  LEFT
  JOIN ff_exec_input USING (partition_key, execution_id)
  WHERE partition_key = ? AND execution_id = ?;

-- find_result
SELECT result
  FROM ff_exec_result
  WHERE partition_key = ? AND execution_id = ?;

-- find_outcome
SELECT terminal_outcome
  FROM ff_exec_core
  WHERE partition_key = ? AND execution_id = ?;

-- list_executions
SELECT partition_key, execution_id, created_at_ms, class_id, lane_id, namespace, execution_kind, creator_identity,
    idempotency_key, payload_encoding, required_capabilities, policy, own_retention_ms, node_name, traceparent,
    tracestate, flow_id, priority, tags, instance_tag, deadline_at_ms, deadline_check_at_ms, retry_count, replay_count,
    lease_reclaim_count, deps_blocked, blocking_detail, failure_reason, failure_category, result_encoding,
    cancellation_reason, cancelled_by, cancellation_cause, progress_pct, progress_message, progress_updated_at_ms,
    activity_epoch, attempt_time_left_ms, last_release, grant_until_ms, has_waitpoints, signal_count, has_stream,
    current_suspension_id, current_waitpoint_id, lifecycle_phase, ownership_state, eligibility_state, public_state,
    attempt_state, blocking_reason, terminal_outcome, attempt_index, total_attempt_count, lease_epoch, attempt_id,
    attempt_type, attempt_started_at_ms, previous_attempt_index, interrupt_cause, lease_id, worker_id,
    worker_instance_id, lease_acquired_at_ms, lease_expires_at_ms, lease_last_renewed_at_ms, lease_check_at_ms,
    reclaimable_since_ms, delay_until_ms, attempt_deadline_at_ms, started_at_ms, terminal_at_ms, last_transition_at_ms,
    last_mutation_at_ms
  FROM ff_exec_core
  WHERE (partition_key, execution_id) > (?, ?) AND partition_key <= ?
  ORDER BY partition_key, execution_id
  LIMIT ?;

-- list_state_by_walk
SELECT partition_key, execution_id, created_at_ms, class_id, lane_id, namespace, execution_kind, creator_identity,
    idempotency_key, payload_encoding, required_capabilities, policy, own_retention_ms, node_name, traceparent,
    tracestate, flow_id, priority, tags, instance_tag, deadline_at_ms, deadline_check_at_ms, retry_count, replay_count,
    lease_reclaim_count, deps_blocked, blocking_detail, failure_reason, failure_category, result_encoding,
    cancellation_reason, cancelled_by, cancellation_cause, progress_pct, progress_message, progress_updated_at_ms,
    activity_epoch, attempt_time_left_ms, last_release, grant_until_ms, has_waitpoints, signal_count, has_stream,
    current_suspension_id, current_waitpoint_id, lifecycle_phase, ownership_state, eligibility_state, public_state,
    attempt_state, blocking_reason, terminal_outcome, attempt_index, total_attempt_count, lease_epoch, attempt_id,
    attempt_type, attempt_started_at_ms, previous_attempt_index, interrupt_cause, lease_id, worker_id,
    worker_instance_id, lease_acquired_at_ms, lease_expires_at_ms, lease_last_renewed_at_ms, lease_check_at_ms,
    reclaimable_since_ms, delay_until_ms, attempt_deadline_at_ms, started_at_ms, terminal_at_ms, last_transition_at_ms,
    last_mutation_at_ms
  FROM ff_exec_core
  WHERE (partition_key, execution_id) > (?, ?) AND partition_key <= ? AND public_state = ?
  ORDER BY partition_key, execution_id
  LIMIT ?;

-- newest_0
SELECT partition_key, execution_id, created_at_ms, namespace, lane_id, execution_kind, public_state, priority,
    started_at_ms, terminal_at_ms, failure_category, flow_id, node_name
  FROM ff_exec_core
  WHERE (created_at_ms, partition_key, execution_id) < (?, ?, ?) AND created_at_ms >= ?
  ORDER BY created_at_ms DESC, partition_key DESC, execution_id DESC
  LIMIT ?;

-- newest_1
SELECT partition_key, execution_id, created_at_ms, namespace, lane_id, execution_kind, public_state, priority,
    started_at_ms, terminal_at_ms, failure_category, flow_id, node_name
  FROM ff_exec_core
  WHERE lane_id = ? AND (created_at_ms, partition_key, execution_id) < (?, ?, ?) AND created_at_ms >= ?
  ORDER BY created_at_ms DESC, partition_key DESC, execution_id DESC
  LIMIT ?;

-- newest_2
SELECT partition_key, execution_id, created_at_ms, namespace, lane_id, execution_kind, public_state, priority,
    started_at_ms, terminal_at_ms, failure_category, flow_id, node_name
  FROM ff_exec_core
  WHERE namespace = ? AND (created_at_ms, partition_key, execution_id) < (?, ?, ?) AND created_at_ms >= ?
  ORDER BY created_at_ms DESC, partition_key DESC, execution_id DESC
  LIMIT ?;

-- newest_3
SELECT partition_key, execution_id, created_at_ms, namespace, lane_id, execution_kind, public_state, priority,
    started_at_ms, terminal_at_ms, failure_category, flow_id, node_name
  FROM ff_exec_core
  WHERE execution_kind = ? AND (created_at_ms, partition_key, execution_id) < (?, ?, ?) AND created_at_ms >= ?
  ORDER BY created_at_ms DESC, partition_key DESC, execution_id DESC
  LIMIT ?;

-- newest_4
SELECT partition_key, execution_id, created_at_ms, namespace, lane_id, execution_kind, public_state, priority,
    started_at_ms, terminal_at_ms, failure_category, flow_id, node_name
  FROM (SELECT partition_key AS p, execution_id AS x, created_at_ms AS t
  FROM ff_search_term
  WHERE term = ? AND (created_at_ms, partition_key, execution_id) < (?, ?, ?) AND created_at_ms >= ?
  ORDER BY created_at_ms DESC, partition_key DESC, execution_id DESC
  LIMIT ?)
  CROSS
  JOIN ff_exec_core
  ON partition_key = p AND execution_id = x
  ORDER BY t DESC, p DESC, x DESC;

-- newest_5
SELECT partition_key, execution_id, created_at_ms, namespace, lane_id, execution_kind, public_state, priority,
    started_at_ms, terminal_at_ms, failure_category, flow_id, node_name
  FROM ff_exec_core
  WHERE +partition_key = ? AND flow_id = ? AND execution_id < ?
  ORDER BY execution_id DESC
  LIMIT ?;

-- clear_lease_checks
UPDATE ff_exec_core
  SET lease_check_at_ms = NULL
  WHERE rowid IN (SELECT rowid
  FROM ff_exec_core
  WHERE lease_check_at_ms <= ? AND ownership_state <> 'leased'
  ORDER BY lease_check_at_ms
  LIMIT ?);

-- expired_leases
SELECT partition_key, execution_id, created_at_ms, class_id, lane_id, namespace, execution_kind, creator_identity,
    idempotency_key, payload_encoding, required_capabilities, policy, own_retention_ms, node_name, traceparent,
    tracestate, flow_id, priority, tags, instance_tag, deadline_at_ms, deadline_check_at_ms, retry_count, replay_count,
    lease_reclaim_count, deps_blocked, blocking_detail, failure_reason, failure_category, result_encoding,
    cancellation_reason, cancelled_by, cancellation_cause, progress_pct, progress_message, progress_updated_at_ms,
    activity_epoch, attempt_time_left_ms, last_release, grant_until_ms, has_waitpoints, signal_count, has_stream,
    current_suspension_id, current_waitpoint_id, lifecycle_phase, ownership_state, eligibility_state, public_state,
    attempt_state, blocking_reason, terminal_outcome, attempt_index, total_attempt_count, lease_epoch, attempt_id,
    attempt_type, attempt_started_at_ms, previous_attempt_index, interrupt_cause, lease_id, worker_id,
    worker_instance_id, lease_acquired_at_ms, lease_expires_at_ms, lease_last_renewed_at_ms, lease_check_at_ms,
    reclaimable_since_ms, delay_until_ms, attempt_deadline_at_ms, started_at_ms, terminal_at_ms, last_transition_at_ms,
    last_mutation_at_ms
  FROM ff_exec_core
  WHERE rowid IN (SELECT rowid
  FROM ff_exec_core
  WHERE lease_check_at_ms <= ?1 AND ownership_state = 'leased' AND lease_expires_at_ms <= ?1
  UNION ALL
  SELECT rowid
  FROM ff_exec_core
  WHERE reclaimable_since_ms IS NOT NULL AND ownership_state = 'lease_expired_reclaimable' AND lease_expires_at_ms <=
    ?1) AND (lease_expires_at_ms, partition_key, execution_id) > (?2, ?3, ?4) AND (?5 IS NULL OR namespace = ?5)
  ORDER BY lease_expires_at_ms, partition_key, execution_id
  LIMIT ?6;

-- sweep_keys
DELETE
  FROM ff_idempotency_key
  WHERE (partition_key, namespace, idempotency_key) IN (SELECT partition_key, namespace, idempotency_key
  FROM ff_idempotency_key
  WHERE expires_at_ms <= ?
  LIMIT ?);

-- sweep_signal_keys
DELETE
  FROM ff_signal_dedup
  WHERE (partition_key, waitpoint_id, idempotency_key) IN (SELECT partition_key, waitpoint_id, idempotency_key
  FROM ff_signal_dedup
  WHERE expires_at_ms <= ?
  LIMIT ?);

-- sweep_claim_requests
DELETE
  FROM ff_claim_request
  WHERE (partition_key, worker_instance_id, request_id) IN (SELECT partition_key, worker_instance_id, request_id
  FROM ff_claim_request
  WHERE expires_at_ms <= ?
  LIMIT ?);

-- sweep_usage_keys
DELETE
  FROM ff_budget_usage_dedup
  WHERE (partition_key, budget_id, operation_family, dedup_key) IN (SELECT partition_key, budget_id, operation_family,
    dedup_key
  FROM ff_budget_usage_dedup
  WHERE expires_at_ms <= ?
  LIMIT ?);

-- sweep_worker_events
DELETE
  FROM ff_worker_registry_event
  WHERE (partition_key, namespace, worker_instance_id, event_at_ms, event_kind) IN (SELECT partition_key, namespace,
    worker_instance_id, event_at_ms, event_kind
  FROM ff_worker_registry_event
  WHERE event_at_ms <= ?
  LIMIT ?);

-- signals_of_run
SELECT partition_key, execution_id, seq, signal_id, waitpoint_id, waitpoint_key, signal_name, signal_category,
    source_type, source_identity, correlation_id, idempotency_key, payload_encoding, target_scope, created_at_ms,
    accepted_at_ms, observed_effect, matched, live, suspension_id, satisfied, replay_count
  FROM ff_signal
  WHERE partition_key = ? AND execution_id = ? AND replay_count = ?
  ORDER BY satisfied DESC, seq
  LIMIT 101;

-- signal_payload
SELECT payload
  FROM ff_signal_payload
  WHERE partition_key = ? AND execution_id = ? AND seq = ?;

-- suspended
SELECT partition_key, execution_id, suspension_id, attempt_index, suspended_at_ms, timeout_at_ms, reason_code,
    condition, satisfied_set, timeout_behavior, resume_policy, requested_by, continuation_pointer, satisfied_at_ms,
    closer_signal_id, closed_at_ms, close_reason
  FROM ff_suspension_current
  WHERE closed_at_ms IS NULL AND (suspended_at_ms, partition_key, execution_id) > (?1, ?2, ?3) AND (?4 IS NULL OR
    partition_key = ?4)
  ORDER BY suspended_at_ms, partition_key, execution_id
  LIMIT ?5;

-- frames
SELECT partition_key, execution_id, attempt_index, ts_ms, seq, frame_no, created_at_ms, mode, frame_type,
    correlation_id, summary_version, ttl_ms, payload_encoding, payload
  FROM ff_stream_frame
  WHERE partition_key = ?1 AND execution_id = ?2 AND attempt_index = ?3 AND (ts_ms, seq) >= (?4, ?5) AND (ts_ms, seq) <=
    (?6, ?7) AND frame_no > (SELECT m.cut_through
  FROM ff_stream_meta AS m
  WHERE m.partition_key = ?1 AND m.execution_id = ?2 AND m.attempt_index = ?3) AND (?8 IS NULL OR mode <> ?8)
  ORDER BY ts_ms, seq
  LIMIT ?9;

-- add_counts
INSERT INTO ff_lane_count (lane_id, waiting, delayed, rate_limited, waiting_children, active, suspended, resumable,
    completed, failed, cancelled, expired, skipped, created, claimed, ended_success, ended_failed, ended_cancelled,
    ended_expired, ended_skipped, retries, lease_expiries, reclaims)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (lane_id) DO UPDATE
  SET waiting = waiting + excluded.waiting, delayed = delayed + excluded.delayed, rate_limited = rate_limited +
    excluded.rate_limited, waiting_children = waiting_children + excluded.waiting_children, active = active +
    excluded.active, suspended = suspended + excluded.suspended, resumable = resumable + excluded.resumable, completed =
    completed + excluded.completed, failed = failed + excluded.failed, cancelled = cancelled + excluded.cancelled,
    expired = expired + excluded.expired, skipped = skipped + excluded.skipped, created = created + excluded.created,
    claimed = claimed + excluded.claimed, ended_success = ended_success + excluded.ended_success, ended_failed =
    ended_failed + excluded.ended_failed, ended_cancelled = ended_cancelled + excluded.ended_cancelled, ended_expired =
    ended_expired + excluded.ended_expired, ended_skipped = ended_skipped + excluded.ended_skipped, retries = retries +
    excluded.retries, lease_expiries = lease_expiries + excluded.lease_expiries, reclaims = reclaims + excluded.reclaims;

-- lane_counts
SELECT lane_id, waiting, delayed, rate_limited, waiting_children, active, suspended, resumable, completed, failed,
    cancelled, expired, skipped, created, claimed, ended_success, ended_failed, ended_cancelled, ended_expired,
    ended_skipped, retries, lease_expiries, reclaims
  FROM ff_lane_count
  WHERE lane_id > ?
  ORDER BY lane_id
  LIMIT ?;

-- counts_of_lane
SELECT waiting, delayed, rate_limited, waiting_children, active, suspended, resumable, completed, failed, cancelled,
    expired, skipped, created, claimed, ended_success, ended_failed, ended_cancelled, ended_expired, ended_skipped,
    retries, lease_expiries, reclaims
  FROM ff_lane_count
  WHERE lane_id = ?;

-- counts_of_all_lanes
SELECT coalesce(sum(waiting), 0), coalesce(sum(delayed), 0), coalesce(sum(rate_limited), 0),
    coalesce(sum(waiting_children), 0), coalesce(sum(active), 0), coalesce(sum(suspended), 0), coalesce(sum(resumable),
    0), coalesce(sum(completed), 0), coalesce(sum(failed), 0), coalesce(sum(cancelled), 0), coalesce(sum(expired), 0),
    coalesce(sum(skipped), 0), coalesce(sum(created), 0), coalesce(sum(claimed), 0), coalesce(sum(ended_success), 0),
    coalesce(sum(ended_failed), 0), coalesce(sum(ended_cancelled), 0), coalesce(sum(ended_expired), 0),
    coalesce(sum(ended_skipped), 0), coalesce(sum(retries), 0), coalesce(sum(lease_expiries), 0),
    coalesce(sum(reclaims), 0)
  FROM ff_lane_count;

-- members
SELECT execution_id, lifecycle_phase
  FROM ff_exec_core
  WHERE +partition_key = ? AND flow_id = ?
  ORDER BY execution_id
  LIMIT ?;

-- member_page
SELECT partition_key, execution_id, created_at_ms, namespace, lane_id, execution_kind, public_state, priority,
    started_at_ms, terminal_at_ms, failure_category, flow_id, node_name
  FROM ff_exec_core
  WHERE +partition_key = ? AND flow_id = ? AND execution_id > coalesce(?, x'')
  ORDER BY execution_id
  LIMIT ?;

-- tally
SELECT public_state, terminal_outcome, cancellation_cause, count(*), max(terminal_at_ms) FILTER (WHERE own_retention_ms
    IS NULL), max(terminal_at_ms + min(own_retention_ms, 9223372036854775807 - max(terminal_at_ms, 0))) FILTER (WHERE
    own_retention_ms > 0), max(coalesce(own_retention_ms = 0 AND terminal_at_ms IS NOT NULL, 0))
  FROM ff_exec_core
  WHERE +partition_key = ? AND flow_id = ?
  GROUP BY public_state, terminal_outcome, cancellation_cause;

-- edges_in
SELECT edge_id
  FROM ff_edge
  WHERE partition_key = ? AND flow_id = ?
  ORDER BY edge_id
  LIMIT ?;

-- edge_page
SELECT partition_key, flow_id, edge_id, upstream_eid, downstream_eid, policy, policy_version, dependency_state,
    generation
  FROM ff_edge
  WHERE partition_key = ? AND flow_id = ? AND edge_id > coalesce(?, x'')
  ORDER BY edge_id
  LIMIT ?;

-- edges_in_to
SELECT partition_key, flow_id, edge_id, upstream_eid, downstream_eid, policy, policy_version, dependency_state,
    generation
  FROM ff_edge INDEXED BY ff_edge_downstream
  WHERE partition_key = ? AND downstream_eid = ? AND flow_id = ? AND edge_id > coalesce(?, x'')
  ORDER BY edge_id
  LIMIT ?;

-- edges_out_of
SELECT partition_key, flow_id, edge_id, upstream_eid, downstream_eid, policy, policy_version, dependency_state,
    generation
  FROM ff_edge INDEXED BY ff_edge_upstream
  WHERE partition_key = ? AND upstream_eid = ? AND flow_id = ? AND edge_id > coalesce(?, x'')
  ORDER BY edge_id
  LIMIT ?;

-- unsummarised
SELECT partition_key, flow_id, graph_revision, public_flow_state, created_at_ms, terminal_at_ms, raw_fields, tags,
    sealed, open_members, failed_members, summarised
  FROM ff_flow_core INDEXED BY ff_flow_core_unsummarised
  WHERE summarised = 0 AND (partition_key, flow_id) > (?, ?)
  ORDER BY partition_key, flow_id
  LIMIT ?;

-- pending_children
SELECT downstream_eid
  FROM ff_edge_group
  WHERE partition_key = ? AND flow_id = ? AND group_state = 'pending';

-- keep_input
INSERT INTO ff_flow_input (edge_id, ref, partition_key, execution_id, payload)
  SELECT ?, ?, d.partition_key, d.execution_id, r.result
  FROM ff_exec_result AS r
  CROSS
  JOIN ff_exec_core AS d
  WHERE r.partition_key = ? AND r.execution_id = ? AND d.partition_key = ? AND d.execution_id = ?
  ON CONFLICT (partition_key, execution_id, edge_id) DO UPDATE
  SET ref = excluded.ref, payload = excluded.payload;

-- adopt_input
INSERT INTO ff_exec_input (partition_key, execution_id, payload)
  SELECT partition_key, execution_id, payload
  FROM ff_flow_input
  WHERE partition_key = ? AND execution_id = ?
  ORDER BY edge_id DESC
  LIMIT 1
  ON CONFLICT (partition_key, execution_id) DO UPDATE
  SET payload = excluded.payload;

-- find_inputs
SELECT ref, payload
  FROM ff_flow_input
  WHERE partition_key = ? AND execution_id = ?
  ORDER BY edge_id;

-- delete_inputs
DELETE
  FROM ff_flow_input
  WHERE partition_key = ? AND execution_id = ?;

-- unresolved_edges
SELECT partition_key, flow_id, edge_id, upstream_eid, downstream_eid, policy, policy_version, dependency_state,
    generation
  FROM ff_edge INDEXED BY ff_edge_unresolved
  WHERE partition_key = ? AND upstream_eid = ? AND dependency_state = 'unsatisfied'
  ORDER BY flow_id, edge_id
  LIMIT ?;

-- is_needed
SELECT 1
  FROM ff_edge AS e INDEXED BY ff_edge_unresolved
  JOIN ff_edge_group AS g USING (partition_key, flow_id, downstream_eid)
  WHERE e.partition_key = ? AND e.upstream_eid = ? AND e.dependency_state = 'unsatisfied' AND g.group_state = 'pending'
    AND g.generation = e.generation
  LIMIT 1;

-- flows
SELECT partition_key, flow_id, graph_revision, public_flow_state, created_at_ms, terminal_at_ms, raw_fields, tags,
    sealed, open_members, failed_members, summarised
  FROM ff_flow_core
  WHERE (partition_key, flow_id) > (?, ?) AND partition_key <= ?
  ORDER BY partition_key, flow_id
  LIMIT ?;

-- reclaimable_rows
SELECT partition_key, execution_id, created_at_ms, class_id, lane_id, namespace, execution_kind, creator_identity,
    idempotency_key, payload_encoding, required_capabilities, policy, own_retention_ms, node_name, traceparent,
    tracestate, flow_id, priority, tags, instance_tag, deadline_at_ms, deadline_check_at_ms, retry_count, replay_count,
    lease_reclaim_count, deps_blocked, blocking_detail, failure_reason, failure_category, result_encoding,
    cancellation_reason, cancelled_by, cancellation_cause, progress_pct, progress_message, progress_updated_at_ms,
    activity_epoch, attempt_time_left_ms, last_release, grant_until_ms, has_waitpoints, signal_count, has_stream,
    current_suspension_id, current_waitpoint_id, lifecycle_phase, ownership_state, eligibility_state, public_state,
    attempt_state, blocking_reason, terminal_outcome, attempt_index, total_attempt_count, lease_epoch, attempt_id,
    attempt_type, attempt_started_at_ms, previous_attempt_index, interrupt_cause, lease_id, worker_id,
    worker_instance_id, lease_acquired_at_ms, lease_expires_at_ms, lease_last_renewed_at_ms, lease_check_at_ms,
    reclaimable_since_ms, delay_until_ms, attempt_deadline_at_ms, started_at_ms, terminal_at_ms, last_transition_at_ms,
    last_mutation_at_ms, ff_exec_input.payload
  FROM ff_exec_core
  LEFT
  JOIN ff_exec_input USING (partition_key, execution_id)
  WHERE class_id = ? AND reclaimable_since_ms IS NOT NULL AND (grant_until_ms IS NULL OR grant_until_ms <= ?)
  ORDER BY priority DESC, created_at_ms, execution_id;

-- eligible_in_level
SELECT partition_key, execution_id, created_at_ms, class_id, lane_id, namespace, execution_kind, creator_identity,
    idempotency_key, payload_encoding, required_capabilities, policy, own_retention_ms, node_name, traceparent,
    tracestate, flow_id, priority, tags, instance_tag, deadline_at_ms, deadline_check_at_ms, retry_count, replay_count,
    lease_reclaim_count, deps_blocked, blocking_detail, failure_reason, failure_category, result_encoding,
    cancellation_reason, cancelled_by, cancellation_cause, progress_pct, progress_message, progress_updated_at_ms,
    activity_epoch, attempt_time_left_ms, last_release, grant_until_ms, has_waitpoints, signal_count, has_stream,
    current_suspension_id, current_waitpoint_id, lifecycle_phase, ownership_state, eligibility_state, public_state,
    attempt_state, blocking_reason, terminal_outcome, attempt_index, total_attempt_count, lease_epoch, attempt_id,
    attempt_type, attempt_started_at_ms, previous_attempt_index, interrupt_cause, lease_id, worker_id,
    worker_instance_id, lease_acquired_at_ms, lease_expires_at_ms, lease_last_renewed_at_ms, lease_check_at_ms,
    reclaimable_since_ms, delay_until_ms, attempt_deadline_at_ms, started_at_ms, terminal_at_ms, last_transition_at_ms,
    last_mutation_at_ms, ff_exec_input.payload
  FROM ff_exec_core
  LEFT
  JOIN ff_exec_input USING (partition_key, execution_id)
  WHERE class_id = ? AND eligibility_state = 'eligible_now' AND priority = ? AND (created_at_ms, execution_id) >= (?, ?)
    AND (grant_until_ms IS NULL OR grant_until_ms <= ?)
  ORDER BY priority DESC, created_at_ms, execution_id;

-- eligible_in_tail
SELECT partition_key, execution_id, created_at_ms, class_id, lane_id, namespace, execution_kind, creator_identity,
    idempotency_key, payload_encoding, required_capabilities, policy, own_retention_ms, node_name, traceparent,
    tracestate, flow_id, priority, tags, instance_tag, deadline_at_ms, deadline_check_at_ms, retry_count, replay_count,
    lease_reclaim_count, deps_blocked, blocking_detail, failure_reason, failure_category, result_encoding,
    cancellation_reason, cancelled_by, cancellation_cause, progress_pct, progress_message, progress_updated_at_ms,
    activity_epoch, attempt_time_left_ms, last_release, grant_until_ms, has_waitpoints, signal_count, has_stream,
    current_suspension_id, current_waitpoint_id, lifecycle_phase, ownership_state, eligibility_state, public_state,
    attempt_state, blocking_reason, terminal_outcome, attempt_index, total_attempt_count, lease_epoch, attempt_id,
    attempt_type, attempt_started_at_ms, previous_attempt_index, interrupt_cause, lease_id, worker_id,
    worker_instance_id, lease_acquired_at_ms, lease_expires_at_ms, lease_last_renewed_at_ms, lease_check_at_ms,
    reclaimable_since_ms, delay_until_ms, attempt_deadline_at_ms, started_at_ms, terminal_at_ms, last_transition_at_ms,
    last_mutation_at_ms, ff_exec_input.payload
  FROM ff_exec_core
  LEFT
  JOIN ff_exec_input USING (partition_key, execution_id)
  WHERE class_id = ? AND eligibility_state = 'eligible_now' AND priority < ? AND priority >= ? AND (grant_until_ms IS
    NULL OR grant_until_ms <= ?)
  ORDER BY priority DESC, created_at_ms, execution_id;

-- claim_head
SELECT priority, created_at_ms, execution_id
  FROM ff_exec_core
  WHERE class_id = ? AND eligibility_state = 'eligible_now' AND priority < ? AND priority >= ?
  ORDER BY priority DESC, created_at_ms, execution_id
  LIMIT 1;

-- next_reclaimable_class
SELECT class_id
  FROM ff_exec_core
  WHERE class_id >= ? AND reclaimable_since_ms IS NOT NULL
  ORDER BY class_id
  LIMIT 1;

-- insert_attempt
INSERT INTO ff_attempt (partition_key, execution_id, attempt_index, attempt_id, attempt_type, worker_id,
    worker_instance_id, lease_id, lease_epoch, started_at_ms, terminal_at_ms, outcome, failure_reason, failure_category,
    previous_attempt_index)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- list_attempts
SELECT partition_key, execution_id, attempt_index, attempt_id, attempt_type, worker_id, worker_instance_id, lease_id,
    lease_epoch, started_at_ms, terminal_at_ms, outcome, failure_reason, failure_category, previous_attempt_index
  FROM ff_attempt
  WHERE partition_key = ? AND execution_id = ? AND attempt_index > ?
  ORDER BY attempt_index
  LIMIT ?;

-- watermark
SELECT seq
  FROM sqlite_sequence
  WHERE name = ?;

-- trim_points
SELECT channel, trimmed
  FROM ff_outbox;

-- set_trim_point
UPDATE ff_outbox
  SET trimmed = ?
  WHERE channel = ?;

-- first_undispatched
SELECT min(event_id)
  FROM ff_completion_event
  WHERE dispatched_at_ms IS NULL;

-- undispatched
SELECT event_id, partition_key, execution_id, flow_id, outcome, cancellation_cause
  FROM ff_completion_event
  WHERE dispatched_at_ms IS NULL AND flow_id IS NOT NULL AND occurred_at_ms <= ?
  ORDER BY event_id
  LIMIT ?;

-- stalled
SELECT e.partition_key, e.upstream_eid, x.flow_id, x.terminal_outcome
  FROM (SELECT DISTINCT partition_key, upstream_eid
  FROM (SELECT partition_key, upstream_eid
  FROM ff_edge INDEXED BY ff_edge_unresolved
  WHERE dependency_state = 'unsatisfied' AND (partition_key, upstream_eid) > (?, ?)
  ORDER BY partition_key, upstream_eid
  LIMIT ?)) AS e
  LEFT
  JOIN ff_exec_core AS x
  ON x.partition_key = e.partition_key AND x.execution_id = e.upstream_eid AND x.lifecycle_phase = 'terminal' AND
    x.terminal_at_ms <= ?
  ORDER BY e.partition_key, e.upstream_eid;

-- is_undispatched
SELECT 1
  FROM ff_completion_event
  WHERE event_id = ? AND dispatched_at_ms IS NULL;

-- mark_dispatched
UPDATE ff_completion_event
  SET dispatched_at_ms = ?
  WHERE event_id = ? AND dispatched_at_ms IS NULL;

-- slowest_consumer
SELECT min(event_id)
  FROM ff_event_consumer
  WHERE channel = ?;

-- find_idempotency_key
SELECT execution_partition, execution_id, expires_at_ms, request_digest, first_state
  FROM ff_idempotency_key
  WHERE partition_key = ? AND namespace = ? AND idempotency_key = ?;

-- save_idempotency_key
INSERT INTO ff_idempotency_key (partition_key, namespace, idempotency_key, execution_partition, execution_id,
    expires_at_ms, request_digest, first_state)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (partition_key, namespace, idempotency_key) DO UPDATE
  SET execution_partition = excluded.execution_partition, execution_id = excluded.execution_id, expires_at_ms =
    excluded.expires_at_ms, request_digest = excluded.request_digest, first_state = excluded.first_state;

-- list_idempotency_keys
SELECT namespace, idempotency_key, execution_partition, execution_id, expires_at_ms, request_digest, first_state
  FROM ff_idempotency_key
  ORDER BY namespace, idempotency_key;

-- insert_lane
INSERT INTO ff_lane_registry (lane_id, registered_at_ms, registered_by)
  VALUES (?, ?, 'create_execution')
  ON CONFLICT (lane_id) DO NOTHING;

-- insert_class
INSERT INTO ff_claim_class (lane_id, required_capabilities)
  VALUES (?, ?)
  ON CONFLICT (lane_id, required_capabilities) DO NOTHING;

-- list_routes
SELECT lane_revision, setting_revision, class_id, lane_id, required_capabilities, lane_state
  FROM ff_partition_config
  LEFT
  JOIN ff_claim_class
  ON true
  LEFT
  JOIN ff_lane_registry USING (lane_id)
  ORDER BY class_id;

-- lane_classes
SELECT class_id, required_capabilities
  FROM ff_claim_class
  WHERE lane_id = ?;

-- closed_lanes
SELECT lane_id, lane_state
  FROM ff_lane_registry
  WHERE lane_state <> 'active';

-- read_revisions
SELECT lane_revision, setting_revision
  FROM ff_partition_config
  WHERE singleton = 1;

-- advance_lane_revision
UPDATE ff_partition_config
  SET lane_revision = lane_revision + 1
  WHERE singleton = 1;

-- advance_setting_revision
UPDATE ff_partition_config
  SET setting_revision = setting_revision + 1
  WHERE singleton = 1;

-- read_clock
SELECT now_ms
  FROM ff_clock
  WHERE singleton = 1;

-- advance_clock
UPDATE ff_clock
  SET now_ms = max(now_ms, ?), commit_no = commit_no + 1
  WHERE singleton = 1;

-- poll_version
PRAGMA data_version;

-- read_version
SELECT data_version, commit_no
  FROM ff_clock, pragma_data_version
  WHERE singleton = 1;

-- commit
COMMIT;

-- save_marker
INSERT INTO ff_writer (writer_id, batch_no, touched_at_ms)
  VALUES (?, ?, ?)
  ON CONFLICT (writer_id) DO UPDATE
  SET batch_no = excluded.batch_no, touched_at_ms = excluded.touched_at_ms;

-- find_marker
SELECT batch_no
  FROM ff_writer
  WHERE writer_id = ?;

-- forget_markers
DELETE
  FROM ff_writer
  WHERE touched_at_ms < ?;

-- all_executions
SELECT partition_key, execution_id, created_at_ms, class_id, lane_id, namespace, execution_kind, creator_identity,
    idempotency_key, payload_encoding, required_capabilities, policy, own_retention_ms, node_name, traceparent,
    tracestate, flow_id, priority, tags, instance_tag, deadline_at_ms, deadline_check_at_ms, retry_count, replay_count,
    lease_reclaim_count, deps_blocked, blocking_detail, failure_reason, failure_category, result_encoding,
    cancellation_reason, cancelled_by, cancellation_cause, progress_pct, progress_message, progress_updated_at_ms,
    activity_epoch, attempt_time_left_ms, last_release, grant_until_ms, has_waitpoints, signal_count, has_stream,
    current_suspension_id, current_waitpoint_id, lifecycle_phase, ownership_state, eligibility_state, public_state,
    attempt_state, blocking_reason, terminal_outcome, attempt_index, total_attempt_count, lease_epoch, attempt_id,
    attempt_type, attempt_started_at_ms, previous_attempt_index, interrupt_cause, lease_id, worker_id,
    worker_instance_id, lease_acquired_at_ms, lease_expires_at_ms, lease_last_renewed_at_ms, lease_check_at_ms,
    reclaimable_since_ms, delay_until_ms, attempt_deadline_at_ms, started_at_ms, terminal_at_ms, last_transition_at_ms,
    last_mutation_at_ms
  FROM ff_exec_core;

-- all_attempts
SELECT partition_key, execution_id, attempt_index, attempt_id, attempt_type, worker_id, worker_instance_id, lease_id,
    lease_epoch, started_at_ms, terminal_at_ms, outcome, failure_reason, failure_category, previous_attempt_index
  FROM ff_attempt;

-- delete_execution
DELETE
  FROM ff_exec_input
  WHERE partition_key = ? AND execution_id = ?;

-- delete_execution
DELETE
  FROM ff_exec_result
  WHERE partition_key = ? AND execution_id = ?;

-- delete_execution
DELETE
  FROM ff_attempt
  WHERE partition_key = ? AND execution_id = ?;

-- delete_execution
DELETE
  FROM ff_exec_core
  WHERE partition_key = ? AND execution_id = ?;

-- count_state_entries_waiting
SELECT count(*)
  FROM (SELECT rowid
  FROM ff_exec_core
  WHERE eligibility_state = 'eligible_now'
  UNION ALL
  SELECT rowid
  FROM ff_exec_core
  WHERE eligibility_state > 'blocked_by_' AND eligibility_state < 'blocked_by`'
  LIMIT ?);

-- list_state_by_index_waiting
SELECT partition_key, execution_id, created_at_ms, class_id, lane_id, namespace, execution_kind, creator_identity,
    idempotency_key, payload_encoding, required_capabilities, policy, own_retention_ms, node_name, traceparent,
    tracestate, flow_id, priority, tags, instance_tag, deadline_at_ms, deadline_check_at_ms, retry_count, replay_count,
    lease_reclaim_count, deps_blocked, blocking_detail, failure_reason, failure_category, result_encoding,
    cancellation_reason, cancelled_by, cancellation_cause, progress_pct, progress_message, progress_updated_at_ms,
    activity_epoch, attempt_time_left_ms, last_release, grant_until_ms, has_waitpoints, signal_count, has_stream,
    current_suspension_id, current_waitpoint_id, lifecycle_phase, ownership_state, eligibility_state, public_state,
    attempt_state, blocking_reason, terminal_outcome, attempt_index, total_attempt_count, lease_epoch, attempt_id,
    attempt_type, attempt_started_at_ms, previous_attempt_index, interrupt_cause, lease_id, worker_id,
    worker_instance_id, lease_acquired_at_ms, lease_expires_at_ms, lease_last_renewed_at_ms, lease_check_at_ms,
    reclaimable_since_ms, delay_until_ms, attempt_deadline_at_ms, started_at_ms, terminal_at_ms, last_transition_at_ms,
    last_mutation_at_ms
  FROM ff_exec_core
  WHERE (+partition_key, execution_id) > (?, ?) AND +partition_key <= ? AND public_state = ? AND rowid IN (SELECT rowid
  FROM ff_exec_core
  WHERE eligibility_state = 'eligible_now'
  UNION ALL
  SELECT rowid
  FROM ff_exec_core
  WHERE eligibility_state > 'blocked_by_' AND eligibility_state < 'blocked_by`')
  ORDER BY +partition_key, execution_id
  LIMIT ?;

-- count_state_entries_delayed
SELECT count(*)
  FROM (SELECT rowid
  FROM ff_exec_core
  WHERE delay_until_ms IS NOT NULL
  LIMIT ?);

-- list_state_by_index_delayed
SELECT partition_key, execution_id, created_at_ms, class_id, lane_id, namespace, execution_kind, creator_identity,
    idempotency_key, payload_encoding, required_capabilities, policy, own_retention_ms, node_name, traceparent,
    tracestate, flow_id, priority, tags, instance_tag, deadline_at_ms, deadline_check_at_ms, retry_count, replay_count,
    lease_reclaim_count, deps_blocked, blocking_detail, failure_reason, failure_category, result_encoding,
    cancellation_reason, cancelled_by, cancellation_cause, progress_pct, progress_message, progress_updated_at_ms,
    activity_epoch, attempt_time_left_ms, last_release, grant_until_ms, has_waitpoints, signal_count, has_stream,
    current_suspension_id, current_waitpoint_id, lifecycle_phase, ownership_state, eligibility_state, public_state,
    attempt_state, blocking_reason, terminal_outcome, attempt_index, total_attempt_count, lease_epoch, attempt_id,
    attempt_type, attempt_started_at_ms, previous_attempt_index, interrupt_cause, lease_id, worker_id,
    worker_instance_id, lease_acquired_at_ms, lease_expires_at_ms, lease_last_renewed_at_ms, lease_check_at_ms,
    reclaimable_since_ms, delay_until_ms, attempt_deadline_at_ms, started_at_ms, terminal_at_ms, last_transition_at_ms,
    last_mutation_at_ms
  FROM ff_exec_core
  WHERE (+partition_key, execution_id) > (?, ?) AND +partition_key <= ? AND public_state = ? AND rowid IN (SELECT rowid
  FROM ff_exec_core
  WHERE delay_until_ms IS NOT NULL)
  ORDER BY +partition_key, execution_id
  LIMIT ?;

-- count_state_entries_rate_limited
SELECT count(*)
  FROM (SELECT rowid
  FROM ff_exec_core
  WHERE eligibility_state > 'blocked_by_' AND eligibility_state < 'blocked_by`'
  LIMIT ?);

-- list_state_by_index_rate_limited
SELECT partition_key, execution_id, created_at_ms, class_id, lane_id, namespace, execution_kind, creator_identity,
    idempotency_key, payload_encoding, required_capabilities, policy, own_retention_ms, node_name, traceparent,
    tracestate, flow_id, priority, tags, instance_tag, deadline_at_ms, deadline_check_at_ms, retry_count, replay_count,
    lease_reclaim_count, deps_blocked, blocking_detail, failure_reason, failure_category, result_encoding,
    cancellation_reason, cancelled_by, cancellation_cause, progress_pct, progress_message, progress_updated_at_ms,
    activity_epoch, attempt_time_left_ms, last_release, grant_until_ms, has_waitpoints, signal_count, has_stream,
    current_suspension_id, current_waitpoint_id, lifecycle_phase, ownership_state, eligibility_state, public_state,
    attempt_state, blocking_reason, terminal_outcome, attempt_index, total_attempt_count, lease_epoch, attempt_id,
    attempt_type, attempt_started_at_ms, previous_attempt_index, interrupt_cause, lease_id, worker_id,
    worker_instance_id, lease_acquired_at_ms, lease_expires_at_ms, lease_last_renewed_at_ms, lease_check_at_ms,
    reclaimable_since_ms, delay_until_ms, attempt_deadline_at_ms, started_at_ms, terminal_at_ms, last_transition_at_ms,
    last_mutation_at_ms
  FROM ff_exec_core
  WHERE (+partition_key, execution_id) > (?, ?) AND +partition_key <= ? AND public_state = ? AND rowid IN (SELECT rowid
  FROM ff_exec_core
  WHERE eligibility_state > 'blocked_by_' AND eligibility_state < 'blocked_by`')
  ORDER BY +partition_key, execution_id
  LIMIT ?;

-- count_state_entries_waiting_children
SELECT count(*)
  FROM (SELECT rowid
  FROM ff_exec_core
  WHERE eligibility_state > 'blocked_by_' AND eligibility_state < 'blocked_by`'
  LIMIT ?);

-- list_state_by_index_waiting_children
SELECT partition_key, execution_id, created_at_ms, class_id, lane_id, namespace, execution_kind, creator_identity,
    idempotency_key, payload_encoding, required_capabilities, policy, own_retention_ms, node_name, traceparent,
    tracestate, flow_id, priority, tags, instance_tag, deadline_at_ms, deadline_check_at_ms, retry_count, replay_count,
    lease_reclaim_count, deps_blocked, blocking_detail, failure_reason, failure_category, result_encoding,
    cancellation_reason, cancelled_by, cancellation_cause, progress_pct, progress_message, progress_updated_at_ms,
    activity_epoch, attempt_time_left_ms, last_release, grant_until_ms, has_waitpoints, signal_count, has_stream,
    current_suspension_id, current_waitpoint_id, lifecycle_phase, ownership_state, eligibility_state, public_state,
    attempt_state, blocking_reason, terminal_outcome, attempt_index, total_attempt_count, lease_epoch, attempt_id,
    attempt_type, attempt_started_at_ms, previous_attempt_index, interrupt_cause, lease_id, worker_id,
    worker_instance_id, lease_acquired_at_ms, lease_expires_at_ms, lease_last_renewed_at_ms, lease_check_at_ms,
    reclaimable_since_ms, delay_until_ms, attempt_deadline_at_ms, started_at_ms, terminal_at_ms, last_transition_at_ms,
    last_mutation_at_ms
  FROM ff_exec_core
  WHERE (+partition_key, execution_id) > (?, ?) AND +partition_key <= ? AND public_state = ? AND rowid IN (SELECT rowid
  FROM ff_exec_core
  WHERE eligibility_state > 'blocked_by_' AND eligibility_state < 'blocked_by`')
  ORDER BY +partition_key, execution_id
  LIMIT ?;

-- count_state_entries_active
SELECT count(*)
  FROM (SELECT rowid
  FROM ff_exec_core
  WHERE lease_check_at_ms IS NOT NULL
  UNION ALL
  SELECT rowid
  FROM ff_exec_core
  WHERE reclaimable_since_ms IS NOT NULL
  LIMIT ?);

-- list_state_by_index_active
SELECT partition_key, execution_id, created_at_ms, class_id, lane_id, namespace, execution_kind, creator_identity,
    idempotency_key, payload_encoding, required_capabilities, policy, own_retention_ms, node_name, traceparent,
    tracestate, flow_id, priority, tags, instance_tag, deadline_at_ms, deadline_check_at_ms, retry_count, replay_count,
    lease_reclaim_count, deps_blocked, blocking_detail, failure_reason, failure_category, result_encoding,
    cancellation_reason, cancelled_by, cancellation_cause, progress_pct, progress_message, progress_updated_at_ms,
    activity_epoch, attempt_time_left_ms, last_release, grant_until_ms, has_waitpoints, signal_count, has_stream,
    current_suspension_id, current_waitpoint_id, lifecycle_phase, ownership_state, eligibility_state, public_state,
    attempt_state, blocking_reason, terminal_outcome, attempt_index, total_attempt_count, lease_epoch, attempt_id,
    attempt_type, attempt_started_at_ms, previous_attempt_index, interrupt_cause, lease_id, worker_id,
    worker_instance_id, lease_acquired_at_ms, lease_expires_at_ms, lease_last_renewed_at_ms, lease_check_at_ms,
    reclaimable_since_ms, delay_until_ms, attempt_deadline_at_ms, started_at_ms, terminal_at_ms, last_transition_at_ms,
    last_mutation_at_ms
  FROM ff_exec_core
  WHERE (+partition_key, execution_id) > (?, ?) AND +partition_key <= ? AND public_state = ? AND rowid IN (SELECT rowid
  FROM ff_exec_core
  WHERE lease_check_at_ms IS NOT NULL
  UNION ALL
  SELECT rowid
  FROM ff_exec_core
  WHERE reclaimable_since_ms IS NOT NULL)
  ORDER BY +partition_key, execution_id
  LIMIT ?;

-- count_state_entries_resumable
SELECT count(*)
  FROM (SELECT rowid
  FROM ff_exec_core
  WHERE eligibility_state = 'eligible_now'
  LIMIT ?);

-- list_state_by_index_resumable
SELECT partition_key, execution_id, created_at_ms, class_id, lane_id, namespace, execution_kind, creator_identity,
    idempotency_key, payload_encoding, required_capabilities, policy, own_retention_ms, node_name, traceparent,
    tracestate, flow_id, priority, tags, instance_tag, deadline_at_ms, deadline_check_at_ms, retry_count, replay_count,
    lease_reclaim_count, deps_blocked, blocking_detail, failure_reason, failure_category, result_encoding,
    cancellation_reason, cancelled_by, cancellation_cause, progress_pct, progress_message, progress_updated_at_ms,
    activity_epoch, attempt_time_left_ms, last_release, grant_until_ms, has_waitpoints, signal_count, has_stream,
    current_suspension_id, current_waitpoint_id, lifecycle_phase, ownership_state, eligibility_state, public_state,
    attempt_state, blocking_reason, terminal_outcome, attempt_index, total_attempt_count, lease_epoch, attempt_id,
    attempt_type, attempt_started_at_ms, previous_attempt_index, interrupt_cause, lease_id, worker_id,
    worker_instance_id, lease_acquired_at_ms, lease_expires_at_ms, lease_last_renewed_at_ms, lease_check_at_ms,
    reclaimable_since_ms, delay_until_ms, attempt_deadline_at_ms, started_at_ms, terminal_at_ms, last_transition_at_ms,
    last_mutation_at_ms
  FROM ff_exec_core
  WHERE (+partition_key, execution_id) > (?, ?) AND +partition_key <= ? AND public_state = ? AND rowid IN (SELECT rowid
  FROM ff_exec_core
  WHERE eligibility_state = 'eligible_now')
  ORDER BY +partition_key, execution_id
  LIMIT ?;

-- due_lease_expiry
SELECT t.partition_key, t.execution_id, t.lease_check_at_ms
  FROM ff_exec_core AS t
  WHERE t.lease_check_at_ms <= ?1 AND t.ownership_state = 'leased' AND (?3 IS NULL OR t.namespace = ?3) AND (?4 IS NULL
    OR EXISTS (SELECT 1
  FROM json_each(t.tags) AS g
  WHERE g.key = ?4 AND g.value = ?5))
  ORDER BY t.lease_check_at_ms
  LIMIT ?2;

-- next_due_lease_expiry
SELECT min(t.lease_check_at_ms)
  FROM ff_exec_core AS t
  WHERE t.lease_check_at_ms > ?;

-- due_delayed_promotion
SELECT t.partition_key, t.execution_id, t.delay_until_ms
  FROM ff_exec_core AS t
  WHERE t.delay_until_ms <= ?1 AND t.eligibility_state = 'not_eligible_until_time' AND (?3 IS NULL OR t.namespace = ?3)
    AND (?4 IS NULL OR EXISTS (SELECT 1
  FROM json_each(t.tags) AS g
  WHERE g.key = ?4 AND g.value = ?5))
  ORDER BY t.delay_until_ms
  LIMIT ?2;

-- next_due_delayed_promotion
SELECT min(t.delay_until_ms)
  FROM ff_exec_core AS t
  WHERE t.delay_until_ms > ?;

-- due_attempt_timeout
SELECT t.partition_key, t.execution_id, t.attempt_deadline_at_ms
  FROM ff_exec_core AS t
  WHERE t.attempt_deadline_at_ms <= ?1 AND t.ownership_state = 'leased' AND (?3 IS NULL OR t.namespace = ?3) AND (?4 IS
    NULL OR EXISTS (SELECT 1
  FROM json_each(t.tags) AS g
  WHERE g.key = ?4 AND g.value = ?5))
  ORDER BY t.attempt_deadline_at_ms
  LIMIT ?2;

-- next_due_attempt_timeout
SELECT min(t.attempt_deadline_at_ms)
  FROM ff_exec_core AS t
  WHERE t.attempt_deadline_at_ms > ?;

-- due_execution_deadline
SELECT t.partition_key, t.execution_id, t.deadline_check_at_ms
  FROM ff_exec_core AS t
  WHERE t.deadline_check_at_ms <= ?1 AND t.lifecycle_phase <> 'terminal' AND (?3 IS NULL OR t.namespace = ?3) AND (?4 IS
    NULL OR EXISTS (SELECT 1
  FROM json_each(t.tags) AS g
  WHERE g.key = ?4 AND g.value = ?5))
  ORDER BY t.deadline_check_at_ms
  LIMIT ?2;

-- next_due_execution_deadline
SELECT min(t.deadline_check_at_ms)
  FROM ff_exec_core AS t
  WHERE t.deadline_check_at_ms > ?;

-- due_flow_retention
SELECT t.partition_key, t.flow_id, t.remove_at_ms
  FROM ff_flow_retention_due AS t
  LEFT
  JOIN ff_flow_core AS f USING (partition_key, flow_id)
  WHERE t.remove_at_ms <= ?1 AND (?3 IS NULL OR json_extract(f.raw_fields, '$.namespace') = ?3) AND (?4 IS NULL OR
    EXISTS (SELECT 1
  FROM json_each(f.tags) AS g
  WHERE g.key = ?4 AND g.value = ?5))
  ORDER BY t.remove_at_ms
  LIMIT ?2;

-- next_due_flow_retention
SELECT min(t.remove_at_ms)
  FROM ff_flow_retention_due AS t
  WHERE t.remove_at_ms > ?;

-- due_suspension_timeout
SELECT t.partition_key, t.execution_id, t.timeout_at_ms
  FROM ff_suspension_current AS t
  JOIN ff_exec_core AS e USING (partition_key, execution_id)
  WHERE t.timeout_at_ms <= ?1 AND (?3 IS NULL OR e.namespace = ?3) AND (?4 IS NULL OR EXISTS (SELECT 1
  FROM json_each(e.tags) AS g
  WHERE g.key = ?4 AND g.value = ?5))
  ORDER BY t.timeout_at_ms
  LIMIT ?2;

-- next_due_suspension_timeout
SELECT min(t.timeout_at_ms)
  FROM ff_suspension_current AS t
  WHERE t.timeout_at_ms > ?;

-- due_waitpoint_expiry
SELECT t.partition_key, t.execution_id, t.expires_at_ms
  FROM ff_waitpoint_pending AS t
  JOIN ff_exec_core AS e USING (partition_key, execution_id)
  WHERE t.expires_at_ms <= ?1 AND t.state = 'pending' AND (?3 IS NULL OR e.namespace = ?3) AND (?4 IS NULL OR EXISTS
    (SELECT 1
  FROM json_each(e.tags) AS g
  WHERE g.key = ?4 AND g.value = ?5))
  ORDER BY t.expires_at_ms
  LIMIT ?2;

-- next_due_waitpoint_expiry
SELECT min(t.expires_at_ms)
  FROM ff_waitpoint_pending AS t
  WHERE t.expires_at_ms > ? AND t.state = 'pending';

-- due_stream_expiry
SELECT t.partition_key, t.execution_id, t.expiry_check_at_ms
  FROM ff_stream_meta AS t
  JOIN ff_exec_core AS e USING (partition_key, execution_id)
  WHERE t.expiry_check_at_ms <= ?1 AND (?3 IS NULL OR e.namespace = ?3) AND (?4 IS NULL OR EXISTS (SELECT 1
  FROM json_each(e.tags) AS g
  WHERE g.key = ?4 AND g.value = ?5))
  ORDER BY t.expiry_check_at_ms
  LIMIT ?2;

-- next_due_stream_expiry
SELECT min(t.expiry_check_at_ms)
  FROM ff_stream_meta AS t
  WHERE t.expiry_check_at_ms > ?;

-- due_grant_expiry
SELECT t.partition_key, t.execution_id, t.expires_at_ms
  FROM ff_claim_grant AS t
  JOIN ff_exec_core AS e USING (partition_key, execution_id)
  WHERE t.expires_at_ms <= ?1 AND (?3 IS NULL OR e.namespace = ?3) AND (?4 IS NULL OR EXISTS (SELECT 1
  FROM json_each(e.tags) AS g
  WHERE g.key = ?4 AND g.value = ?5))
  ORDER BY t.expires_at_ms
  LIMIT ?2;

-- next_due_grant_expiry
SELECT min(t.expires_at_ms)
  FROM ff_claim_grant AS t
  WHERE t.expires_at_ms > ?;

-- due_budget_reset
SELECT t.partition_key, t.budget_id, t.next_reset_at_ms
  FROM ff_budget_policy AS t
  WHERE t.next_reset_at_ms <= ?1 AND (?3 IS NULL OR NULL = ?3) AND (?4 IS NULL OR EXISTS (SELECT 1
  FROM json_each(NULL) AS g
  WHERE g.key = ?4 AND g.value = ?5))
  ORDER BY t.next_reset_at_ms
  LIMIT ?2;

-- next_due_budget_reset
SELECT min(t.next_reset_at_ms)
  FROM ff_budget_policy AS t
  WHERE t.next_reset_at_ms > ?;

-- due_retention
SELECT t.partition_key, t.execution_id, t.remove_at_ms
  FROM ff_retention_due AS t
  JOIN ff_exec_core AS e USING (partition_key, execution_id)
  WHERE t.remove_at_ms <= ?1 AND (?3 IS NULL OR e.namespace = ?3) AND (?4 IS NULL OR EXISTS (SELECT 1
  FROM json_each(e.tags) AS g
  WHERE g.key = ?4 AND g.value = ?5))
  ORDER BY t.remove_at_ms
  LIMIT ?2;

-- next_due_retention
SELECT min(t.remove_at_ms)
  FROM ff_retention_due AS t
  WHERE t.remove_at_ms > ?;

-- insert_ff_lease_event
INSERT INTO ff_lease_event (partition_key, execution_id, namespace, instance_tag, event_type, lease_id, lease_epoch,
    attempt_index, attempt_id, worker_id, worker_instance_id, prev_worker_instance_id, reason, revoked_by,
    occurred_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- tail_ff_lease_event
SELECT event_id, partition_key, execution_id, namespace, instance_tag, event_type, lease_id, lease_epoch, attempt_index,
    attempt_id, worker_id, worker_instance_id, prev_worker_instance_id, reason, revoked_by, occurred_at_ms
  FROM ff_lease_event
  WHERE event_id > ? AND event_id <= ?
  ORDER BY event_id
  LIMIT ?;

-- oldest_ff_lease_event
SELECT event_id, at
  FROM (SELECT event_id, occurred_at_ms AS at
  FROM ff_lease_event
  ORDER BY event_id
  LIMIT ?)
  ORDER BY event_id DESC
  LIMIT 1;

-- remove_ff_lease_event
DELETE
  FROM ff_lease_event
  WHERE event_id <= ?;

-- all_ff_lease_event
SELECT event_id, partition_key, execution_id, namespace, instance_tag, event_type, lease_id, lease_epoch, attempt_index,
    attempt_id, worker_id, worker_instance_id, prev_worker_instance_id, reason, revoked_by, occurred_at_ms
  FROM ff_lease_event;

-- insert_ff_completion_event
INSERT INTO ff_completion_event (partition_key, execution_id, namespace, instance_tag, flow_id, outcome, occurred_at_ms,
    dispatched_at_ms, cancellation_cause)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- tail_ff_completion_event
SELECT event_id, partition_key, execution_id, namespace, instance_tag, flow_id, outcome, occurred_at_ms,
    dispatched_at_ms, cancellation_cause
  FROM ff_completion_event
  WHERE event_id > ? AND event_id <= ?
  ORDER BY event_id
  LIMIT ?;

-- oldest_ff_completion_event
SELECT event_id, at
  FROM (SELECT event_id, occurred_at_ms AS at
  FROM ff_completion_event
  ORDER BY event_id
  LIMIT ?)
  ORDER BY event_id DESC
  LIMIT 1;

-- remove_ff_completion_event
DELETE
  FROM ff_completion_event
  WHERE event_id <= ?;

-- all_ff_completion_event
SELECT event_id, partition_key, execution_id, namespace, instance_tag, flow_id, outcome, occurred_at_ms,
    dispatched_at_ms, cancellation_cause
  FROM ff_completion_event;

-- insert_ff_signal_event
INSERT INTO ff_signal_event (partition_key, execution_id, namespace, instance_tag, signal_id, waitpoint_id,
    source_identity, effect, delivered_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- tail_ff_signal_event
SELECT event_id, partition_key, execution_id, namespace, instance_tag, signal_id, waitpoint_id, source_identity, effect,
    delivered_at_ms
  FROM ff_signal_event
  WHERE event_id > ? AND event_id <= ?
  ORDER BY event_id
  LIMIT ?;

-- oldest_ff_signal_event
SELECT event_id, at
  FROM (SELECT event_id, delivered_at_ms AS at
  FROM ff_signal_event
  ORDER BY event_id
  LIMIT ?)
  ORDER BY event_id DESC
  LIMIT 1;

-- remove_ff_signal_event
DELETE
  FROM ff_signal_event
  WHERE event_id <= ?;

-- all_ff_signal_event
SELECT event_id, partition_key, execution_id, namespace, instance_tag, signal_id, waitpoint_id, source_identity, effect,
    delivered_at_ms
  FROM ff_signal_event;

-- insert_ff_operator_event
INSERT INTO ff_operator_event (partition_key, execution_id, namespace, instance_tag, subject_kind, event_type, details,
    occurred_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?);

-- tail_ff_operator_event
SELECT event_id, partition_key, execution_id, namespace, instance_tag, subject_kind, event_type, details, occurred_at_ms
  FROM ff_operator_event
  WHERE event_id > ? AND event_id <= ?
  ORDER BY event_id
  LIMIT ?;

-- oldest_ff_operator_event
SELECT event_id, at
  FROM (SELECT event_id, occurred_at_ms AS at
  FROM ff_operator_event
  ORDER BY event_id
  LIMIT ?)
  ORDER BY event_id DESC
  LIMIT 1;

-- remove_ff_operator_event
DELETE
  FROM ff_operator_event
  WHERE event_id <= ?;

-- all_ff_operator_event
SELECT event_id, partition_key, execution_id, namespace, instance_tag, subject_kind, event_type, details, occurred_at_ms
  FROM ff_operator_event;

-- insert_ff_audit_event
INSERT INTO ff_audit_event (actor, action, subject, request_id, status, occurred_at_ms)
  VALUES (?, ?, ?, ?, ?, ?);

-- tail_ff_audit_event
SELECT event_id, actor, action, subject, request_id, status, occurred_at_ms
  FROM ff_audit_event
  WHERE event_id > ? AND event_id <= ?
  ORDER BY event_id
  LIMIT ?;

-- oldest_ff_audit_event
SELECT event_id, at
  FROM (SELECT event_id, occurred_at_ms AS at
  FROM ff_audit_event
  ORDER BY event_id
  LIMIT ?)
  ORDER BY event_id DESC
  LIMIT 1;

-- remove_ff_audit_event
DELETE
  FROM ff_audit_event
  WHERE event_id <= ?;

-- all_ff_audit_event
SELECT event_id, actor, action, subject, request_id, status, occurred_at_ms
  FROM ff_audit_event;

-- tail_of_ff_signal_event
SELECT event_id, partition_key, execution_id, namespace, instance_tag, signal_id, waitpoint_id, source_identity, effect,
    delivered_at_ms
  FROM ff_signal_event
  WHERE event_id > ? AND event_id <= ? AND partition_key = ? AND execution_id = ?
  ORDER BY event_id
  LIMIT ?;

-- tail_of_ff_operator_event
SELECT event_id, partition_key, execution_id, namespace, instance_tag, subject_kind, event_type, details, occurred_at_ms
  FROM ff_operator_event
  WHERE event_id > ? AND event_id <= ? AND partition_key = ? AND execution_id = ?
  ORDER BY event_id
  LIMIT ?;

-- tail_of_ff_lease_event
SELECT event_id, partition_key, execution_id, namespace, instance_tag, event_type, lease_id, lease_epoch, attempt_index,
    attempt_id, worker_id, worker_instance_id, prev_worker_instance_id, reason, revoked_by, occurred_at_ms
  FROM ff_lease_event
  WHERE event_id > ? AND event_id <= ? AND partition_key = ? AND execution_id = ?
  ORDER BY event_id
  LIMIT ?;

-- tail_of_ff_completion_event
SELECT event_id, partition_key, execution_id, namespace, instance_tag, flow_id, outcome, occurred_at_ms,
    dispatched_at_ms, cancellation_cause
  FROM ff_completion_event
  WHERE event_id > ? AND event_id <= ? AND partition_key = ? AND execution_id = ?
  ORDER BY event_id
  LIMIT ?;

-- find_ff_lane_registry
SELECT lane_id, registered_at_ms, registered_by, lane_state, state_changed_at_ms
  FROM ff_lane_registry
  WHERE lane_id = ?;

-- list_ff_lane_registry
SELECT lane_id, registered_at_ms, registered_by, lane_state, state_changed_at_ms
  FROM ff_lane_registry
  ORDER BY lane_id;

-- put_ff_lane_registry
INSERT INTO ff_lane_registry (lane_id, registered_at_ms, registered_by, lane_state, state_changed_at_ms)
  VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (lane_id) DO UPDATE
  SET lane_id = excluded.lane_id, registered_at_ms = excluded.registered_at_ms, registered_by = excluded.registered_by,
    lane_state = excluded.lane_state, state_changed_at_ms = excluded.state_changed_at_ms;

-- erase_ff_lane_registry
DELETE
  FROM ff_lane_registry
  WHERE lane_id = ?;

-- find_ff_flow_core
SELECT partition_key, flow_id, graph_revision, public_flow_state, created_at_ms, terminal_at_ms, raw_fields, tags,
    sealed, open_members, failed_members, summarised
  FROM ff_flow_core
  WHERE partition_key = ? AND flow_id = ?;

-- list_ff_flow_core
SELECT partition_key, flow_id, graph_revision, public_flow_state, created_at_ms, terminal_at_ms, raw_fields, tags,
    sealed, open_members, failed_members, summarised
  FROM ff_flow_core
  ORDER BY partition_key, flow_id;

-- put_ff_flow_core
INSERT INTO ff_flow_core (partition_key, flow_id, graph_revision, public_flow_state, created_at_ms, terminal_at_ms,
    raw_fields, tags, sealed, open_members, failed_members, summarised)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (partition_key, flow_id) DO UPDATE
  SET partition_key = excluded.partition_key, flow_id = excluded.flow_id, graph_revision = excluded.graph_revision,
    public_flow_state = excluded.public_flow_state, created_at_ms = excluded.created_at_ms, terminal_at_ms =
    excluded.terminal_at_ms, raw_fields = excluded.raw_fields, tags = excluded.tags, sealed = excluded.sealed,
    open_members = excluded.open_members, failed_members = excluded.failed_members, summarised = excluded.summarised;

-- erase_ff_flow_core
DELETE
  FROM ff_flow_core
  WHERE partition_key = ? AND flow_id = ?;

-- find_ff_cancel_backlog
SELECT partition_key, flow_id, requested_at_ms, requester, reason, grace_until_ms, cancellation_policy, status
  FROM ff_cancel_backlog
  WHERE partition_key = ? AND flow_id = ?;

-- list_ff_cancel_backlog
SELECT partition_key, flow_id, requested_at_ms, requester, reason, grace_until_ms, cancellation_policy, status
  FROM ff_cancel_backlog
  ORDER BY partition_key, flow_id;

-- put_ff_cancel_backlog
INSERT INTO ff_cancel_backlog (partition_key, flow_id, requested_at_ms, requester, reason, grace_until_ms,
    cancellation_policy, status)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (partition_key, flow_id) DO UPDATE
  SET partition_key = excluded.partition_key, flow_id = excluded.flow_id, requested_at_ms = excluded.requested_at_ms,
    requester = excluded.requester, reason = excluded.reason, grace_until_ms = excluded.grace_until_ms,
    cancellation_policy = excluded.cancellation_policy, status = excluded.status;

-- erase_ff_cancel_backlog
DELETE
  FROM ff_cancel_backlog
  WHERE partition_key = ? AND flow_id = ?;

-- first_ff_cancel_backlog
SELECT partition_key, flow_id, requested_at_ms, requester, reason, grace_until_ms, cancellation_policy, status
  FROM ff_cancel_backlog
  ORDER BY grace_until_ms, partition_key, flow_id
  LIMIT ?;

-- find_ff_cancel_backlog_member
SELECT partition_key, flow_id, execution_id
  FROM ff_cancel_backlog_member
  WHERE partition_key = ? AND flow_id = ? AND execution_id = ?;

-- list_ff_cancel_backlog_member
SELECT partition_key, flow_id, execution_id
  FROM ff_cancel_backlog_member
  ORDER BY partition_key, flow_id, execution_id;

-- put_ff_cancel_backlog_member
INSERT INTO ff_cancel_backlog_member (partition_key, flow_id, execution_id)
  VALUES (?, ?, ?)
  ON CONFLICT (partition_key, flow_id, execution_id) DO UPDATE
  SET partition_key = excluded.partition_key, flow_id = excluded.flow_id, execution_id = excluded.execution_id;

-- erase_ff_cancel_backlog_member
DELETE
  FROM ff_cancel_backlog_member
  WHERE partition_key = ? AND flow_id = ? AND execution_id = ?;

-- find_in_flow_ff_cancel_backlog_member
SELECT partition_key, flow_id, execution_id
  FROM ff_cancel_backlog_member
  WHERE partition_key = ? AND flow_id = ?;

-- find_ff_flow_summary
SELECT partition_key, flow_id, total_members, sampled_members, members_completed, members_failed, members_cancelled,
    members_expired, members_skipped, members_active, members_suspended, members_waiting, members_delayed,
    members_rate_limited, members_waiting_children, public_flow_state, last_summary_update_at_ms
  FROM ff_flow_summary
  WHERE partition_key = ? AND flow_id = ?;

-- list_ff_flow_summary
SELECT partition_key, flow_id, total_members, sampled_members, members_completed, members_failed, members_cancelled,
    members_expired, members_skipped, members_active, members_suspended, members_waiting, members_delayed,
    members_rate_limited, members_waiting_children, public_flow_state, last_summary_update_at_ms
  FROM ff_flow_summary
  ORDER BY partition_key, flow_id;

-- put_ff_flow_summary
INSERT INTO ff_flow_summary (partition_key, flow_id, total_members, sampled_members, members_completed, members_failed,
    members_cancelled, members_expired, members_skipped, members_active, members_suspended, members_waiting,
    members_delayed, members_rate_limited, members_waiting_children, public_flow_state, last_summary_update_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (partition_key, flow_id) DO UPDATE
  SET partition_key = excluded.partition_key, flow_id = excluded.flow_id, total_members = excluded.total_members,
    sampled_members = excluded.sampled_members, members_completed = excluded.members_completed, members_failed =
    excluded.members_failed, members_cancelled = excluded.members_cancelled, members_expired = excluded.members_expired,
    members_skipped = excluded.members_skipped, members_active = excluded.members_active, members_suspended =
    excluded.members_suspended, members_waiting = excluded.members_waiting, members_delayed = excluded.members_delayed,
    members_rate_limited = excluded.members_rate_limited, members_waiting_children = excluded.members_waiting_children,
    public_flow_state = excluded.public_flow_state, last_summary_update_at_ms = excluded.last_summary_update_at_ms;

-- erase_ff_flow_summary
DELETE
  FROM ff_flow_summary
  WHERE partition_key = ? AND flow_id = ?;

-- find_ff_flow_retention_due
SELECT partition_key, flow_id, remove_at_ms
  FROM ff_flow_retention_due
  WHERE partition_key = ? AND flow_id = ?;

-- list_ff_flow_retention_due
SELECT partition_key, flow_id, remove_at_ms
  FROM ff_flow_retention_due
  ORDER BY partition_key, flow_id;

-- put_ff_flow_retention_due
INSERT INTO ff_flow_retention_due (partition_key, flow_id, remove_at_ms)
  VALUES (?, ?, ?)
  ON CONFLICT (partition_key, flow_id) DO UPDATE
  SET partition_key = excluded.partition_key, flow_id = excluded.flow_id, remove_at_ms = excluded.remove_at_ms;

-- erase_ff_flow_retention_due
DELETE
  FROM ff_flow_retention_due
  WHERE partition_key = ? AND flow_id = ?;

-- find_ff_edge_group
SELECT partition_key, flow_id, downstream_eid, policy, k_target, success_count, fail_count, skip_count, running_count,
    cancel_siblings_pending_flag, cancel_siblings_pending_members, sibling_reason, group_state, n, n_fixed, generation
  FROM ff_edge_group
  WHERE partition_key = ? AND flow_id = ? AND downstream_eid = ?;

-- list_ff_edge_group
SELECT partition_key, flow_id, downstream_eid, policy, k_target, success_count, fail_count, skip_count, running_count,
    cancel_siblings_pending_flag, cancel_siblings_pending_members, sibling_reason, group_state, n, n_fixed, generation
  FROM ff_edge_group
  ORDER BY partition_key, flow_id, downstream_eid;

-- put_ff_edge_group
INSERT INTO ff_edge_group (partition_key, flow_id, downstream_eid, policy, k_target, success_count, fail_count,
    skip_count, running_count, cancel_siblings_pending_flag, cancel_siblings_pending_members, sibling_reason,
    group_state, n, n_fixed, generation)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (partition_key, flow_id, downstream_eid) DO UPDATE
  SET partition_key = excluded.partition_key, flow_id = excluded.flow_id, downstream_eid = excluded.downstream_eid,
    policy = excluded.policy, k_target = excluded.k_target, success_count = excluded.success_count, fail_count =
    excluded.fail_count, skip_count = excluded.skip_count, running_count = excluded.running_count,
    cancel_siblings_pending_flag = excluded.cancel_siblings_pending_flag, cancel_siblings_pending_members =
    excluded.cancel_siblings_pending_members, sibling_reason = excluded.sibling_reason, group_state =
    excluded.group_state, n = excluded.n, n_fixed = excluded.n_fixed, generation = excluded.generation;

-- erase_ff_edge_group
DELETE
  FROM ff_edge_group
  WHERE partition_key = ? AND flow_id = ? AND downstream_eid = ?;

-- find_in_flow_ff_edge_group
SELECT partition_key, flow_id, downstream_eid, policy, k_target, success_count, fail_count, skip_count, running_count,
    cancel_siblings_pending_flag, cancel_siblings_pending_members, sibling_reason, group_state, n, n_fixed, generation
  FROM ff_edge_group
  WHERE partition_key = ? AND flow_id = ?;

-- find_ff_edge
SELECT partition_key, flow_id, edge_id, upstream_eid, downstream_eid, policy, policy_version, dependency_state,
    generation
  FROM ff_edge
  WHERE partition_key = ? AND flow_id = ? AND edge_id = ?;

-- list_ff_edge
SELECT partition_key, flow_id, edge_id, upstream_eid, downstream_eid, policy, policy_version, dependency_state,
    generation
  FROM ff_edge
  ORDER BY partition_key, flow_id, edge_id;

-- put_ff_edge
INSERT INTO ff_edge (partition_key, flow_id, edge_id, upstream_eid, downstream_eid, policy, policy_version,
    dependency_state, generation)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (partition_key, flow_id, edge_id) DO UPDATE
  SET partition_key = excluded.partition_key, flow_id = excluded.flow_id, edge_id = excluded.edge_id, upstream_eid =
    excluded.upstream_eid, downstream_eid = excluded.downstream_eid, policy = excluded.policy, policy_version =
    excluded.policy_version, dependency_state = excluded.dependency_state, generation = excluded.generation;

-- erase_ff_edge
DELETE
  FROM ff_edge
  WHERE partition_key = ? AND flow_id = ? AND edge_id = ?;

-- find_in_flow_ff_edge
SELECT partition_key, flow_id, edge_id, upstream_eid, downstream_eid, policy, policy_version, dependency_state,
    generation
  FROM ff_edge
  WHERE partition_key = ? AND flow_id = ?;

-- find_in_group_ff_edge
SELECT partition_key, flow_id, edge_id, upstream_eid, downstream_eid, policy, policy_version, dependency_state,
    generation
  FROM ff_edge
  WHERE partition_key = ? AND flow_id = ? AND downstream_eid = ?;

-- find_from_ff_edge
SELECT partition_key, flow_id, edge_id, upstream_eid, downstream_eid, policy, policy_version, dependency_state,
    generation
  FROM ff_edge
  WHERE partition_key = ? AND upstream_eid = ?;

-- find_ff_pending_cancel_groups
SELECT partition_key, flow_id, downstream_eid, enqueued_at_ms
  FROM ff_pending_cancel_groups
  WHERE partition_key = ? AND flow_id = ? AND downstream_eid = ?;

-- list_ff_pending_cancel_groups
SELECT partition_key, flow_id, downstream_eid, enqueued_at_ms
  FROM ff_pending_cancel_groups
  ORDER BY partition_key, flow_id, downstream_eid;

-- put_ff_pending_cancel_groups
INSERT INTO ff_pending_cancel_groups (partition_key, flow_id, downstream_eid, enqueued_at_ms)
  VALUES (?, ?, ?, ?)
  ON CONFLICT (partition_key, flow_id, downstream_eid) DO UPDATE
  SET partition_key = excluded.partition_key, flow_id = excluded.flow_id, downstream_eid = excluded.downstream_eid,
    enqueued_at_ms = excluded.enqueued_at_ms;

-- erase_ff_pending_cancel_groups
DELETE
  FROM ff_pending_cancel_groups
  WHERE partition_key = ? AND flow_id = ? AND downstream_eid = ?;

-- first_ff_pending_cancel_groups
SELECT partition_key, flow_id, downstream_eid, enqueued_at_ms
  FROM ff_pending_cancel_groups
  ORDER BY enqueued_at_ms, partition_key, flow_id, downstream_eid
  LIMIT ?;

-- find_ff_suspension_current
SELECT partition_key, execution_id, suspension_id, attempt_index, suspended_at_ms, timeout_at_ms, reason_code,
    condition, satisfied_set, timeout_behavior, resume_policy, requested_by, continuation_pointer, satisfied_at_ms,
    closer_signal_id, closed_at_ms, close_reason
  FROM ff_suspension_current
  WHERE partition_key = ? AND execution_id = ?;

-- list_ff_suspension_current
SELECT partition_key, execution_id, suspension_id, attempt_index, suspended_at_ms, timeout_at_ms, reason_code,
    condition, satisfied_set, timeout_behavior, resume_policy, requested_by, continuation_pointer, satisfied_at_ms,
    closer_signal_id, closed_at_ms, close_reason
  FROM ff_suspension_current
  ORDER BY partition_key, execution_id;

-- put_ff_suspension_current
INSERT INTO ff_suspension_current (partition_key, execution_id, suspension_id, attempt_index, suspended_at_ms,
    timeout_at_ms, reason_code, condition, satisfied_set, timeout_behavior, resume_policy, requested_by,
    continuation_pointer, satisfied_at_ms, closer_signal_id, closed_at_ms, close_reason)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (partition_key, execution_id) DO UPDATE
  SET partition_key = excluded.partition_key, execution_id = excluded.execution_id, suspension_id =
    excluded.suspension_id, attempt_index = excluded.attempt_index, suspended_at_ms = excluded.suspended_at_ms,
    timeout_at_ms = excluded.timeout_at_ms, reason_code = excluded.reason_code, condition = excluded.condition,
    satisfied_set = excluded.satisfied_set, timeout_behavior = excluded.timeout_behavior, resume_policy =
    excluded.resume_policy, requested_by = excluded.requested_by, continuation_pointer = excluded.continuation_pointer,
    satisfied_at_ms = excluded.satisfied_at_ms, closer_signal_id = excluded.closer_signal_id, closed_at_ms =
    excluded.closed_at_ms, close_reason = excluded.close_reason;

-- erase_ff_suspension_current
DELETE
  FROM ff_suspension_current
  WHERE partition_key = ? AND execution_id = ?;

-- find_owned_ff_suspension_current
SELECT partition_key, execution_id, suspension_id, attempt_index, suspended_at_ms, timeout_at_ms, reason_code,
    condition, satisfied_set, timeout_behavior, resume_policy, requested_by, continuation_pointer, satisfied_at_ms,
    closer_signal_id, closed_at_ms, close_reason
  FROM ff_suspension_current
  WHERE partition_key = ? AND execution_id = ?;

-- read_owned_ff_suspension_current
SELECT partition_key, execution_id, suspension_id, attempt_index, suspended_at_ms, timeout_at_ms, reason_code,
    condition, satisfied_set, timeout_behavior, resume_policy, requested_by, continuation_pointer, satisfied_at_ms,
    closer_signal_id, closed_at_ms, close_reason
  FROM ff_suspension_current
  WHERE partition_key = ? AND execution_id = ?;

-- erase_owned_ff_suspension_current
DELETE
  FROM ff_suspension_current
  WHERE partition_key = ? AND execution_id = ?;

-- find_ff_suspend_dedup
SELECT partition_key, execution_id, idempotency_key, outcome_json, created_at_ms, expires_at_ms, satisfied_at_ms,
    replay_count
  FROM ff_suspend_dedup
  WHERE partition_key = ? AND execution_id = ? AND idempotency_key = ?;

-- list_ff_suspend_dedup
SELECT partition_key, execution_id, idempotency_key, outcome_json, created_at_ms, expires_at_ms, satisfied_at_ms,
    replay_count
  FROM ff_suspend_dedup
  ORDER BY partition_key, execution_id, idempotency_key;

-- put_ff_suspend_dedup
INSERT INTO ff_suspend_dedup (partition_key, execution_id, idempotency_key, outcome_json, created_at_ms, expires_at_ms,
    satisfied_at_ms, replay_count)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (partition_key, execution_id, idempotency_key) DO UPDATE
  SET partition_key = excluded.partition_key, execution_id = excluded.execution_id, idempotency_key =
    excluded.idempotency_key, outcome_json = excluded.outcome_json, created_at_ms = excluded.created_at_ms,
    expires_at_ms = excluded.expires_at_ms, satisfied_at_ms = excluded.satisfied_at_ms, replay_count =
    excluded.replay_count;

-- erase_ff_suspend_dedup
DELETE
  FROM ff_suspend_dedup
  WHERE partition_key = ? AND execution_id = ? AND idempotency_key = ?;

-- find_owned_ff_suspend_dedup
SELECT partition_key, execution_id, idempotency_key, outcome_json, created_at_ms, expires_at_ms, satisfied_at_ms,
    replay_count
  FROM ff_suspend_dedup
  WHERE partition_key = ? AND execution_id = ? AND satisfied_at_ms IS NULL;

-- read_owned_ff_suspend_dedup
SELECT partition_key, execution_id, idempotency_key, outcome_json, created_at_ms, expires_at_ms, satisfied_at_ms,
    replay_count
  FROM ff_suspend_dedup
  WHERE partition_key = ? AND execution_id = ?;

-- erase_owned_ff_suspend_dedup
DELETE
  FROM ff_suspend_dedup
  WHERE partition_key = ? AND execution_id = ?;

-- find_ff_waitpoint_pending
SELECT partition_key, waitpoint_id, execution_id, suspension_id, attempt_index, waitpoint_key, state, token_kid,
    token_fingerprint, required_signal_names, created_at_ms, activated_at_ms, expires_at_ms, closed_at_ms, close_reason,
    signal_count, matched_signal_count, last_signal_at_ms
  FROM ff_waitpoint_pending
  WHERE partition_key = ? AND waitpoint_id = ?;

-- list_ff_waitpoint_pending
SELECT partition_key, waitpoint_id, execution_id, suspension_id, attempt_index, waitpoint_key, state, token_kid,
    token_fingerprint, required_signal_names, created_at_ms, activated_at_ms, expires_at_ms, closed_at_ms, close_reason,
    signal_count, matched_signal_count, last_signal_at_ms
  FROM ff_waitpoint_pending
  ORDER BY partition_key, waitpoint_id;

-- put_ff_waitpoint_pending
INSERT INTO ff_waitpoint_pending (partition_key, waitpoint_id, execution_id, suspension_id, attempt_index,
    waitpoint_key, state, token_kid, token_fingerprint, required_signal_names, created_at_ms, activated_at_ms,
    expires_at_ms, closed_at_ms, close_reason, signal_count, matched_signal_count, last_signal_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (partition_key, waitpoint_id) DO UPDATE
  SET partition_key = excluded.partition_key, waitpoint_id = excluded.waitpoint_id, execution_id =
    excluded.execution_id, suspension_id = excluded.suspension_id, attempt_index = excluded.attempt_index, waitpoint_key
    = excluded.waitpoint_key, state = excluded.state, token_kid = excluded.token_kid, token_fingerprint =
    excluded.token_fingerprint, required_signal_names = excluded.required_signal_names, created_at_ms =
    excluded.created_at_ms, activated_at_ms = excluded.activated_at_ms, expires_at_ms = excluded.expires_at_ms,
    closed_at_ms = excluded.closed_at_ms, close_reason = excluded.close_reason, signal_count = excluded.signal_count,
    matched_signal_count = excluded.matched_signal_count, last_signal_at_ms = excluded.last_signal_at_ms;

-- erase_ff_waitpoint_pending
DELETE
  FROM ff_waitpoint_pending
  WHERE partition_key = ? AND waitpoint_id = ?;

-- find_owned_ff_waitpoint_pending
SELECT partition_key, waitpoint_id, execution_id, suspension_id, attempt_index, waitpoint_key, state, token_kid,
    token_fingerprint, required_signal_names, created_at_ms, activated_at_ms, expires_at_ms, closed_at_ms, close_reason,
    signal_count, matched_signal_count, last_signal_at_ms
  FROM ff_waitpoint_pending
  WHERE partition_key = ? AND execution_id = ? AND state <> 'closed';

-- read_owned_ff_waitpoint_pending
SELECT partition_key, waitpoint_id, execution_id, suspension_id, attempt_index, waitpoint_key, state, token_kid,
    token_fingerprint, required_signal_names, created_at_ms, activated_at_ms, expires_at_ms, closed_at_ms, close_reason,
    signal_count, matched_signal_count, last_signal_at_ms
  FROM ff_waitpoint_pending
  WHERE partition_key = ? AND execution_id = ?;

-- erase_owned_ff_waitpoint_pending
DELETE
  FROM ff_waitpoint_pending
  WHERE partition_key = ? AND execution_id = ?;

-- find_ff_signal
SELECT partition_key, execution_id, seq, signal_id, waitpoint_id, waitpoint_key, signal_name, signal_category,
    source_type, source_identity, correlation_id, idempotency_key, payload_encoding, target_scope, created_at_ms,
    accepted_at_ms, observed_effect, matched, live, suspension_id, satisfied, replay_count
  FROM ff_signal
  WHERE partition_key = ? AND execution_id = ? AND seq = ?;

-- list_ff_signal
SELECT partition_key, execution_id, seq, signal_id, waitpoint_id, waitpoint_key, signal_name, signal_category,
    source_type, source_identity, correlation_id, idempotency_key, payload_encoding, target_scope, created_at_ms,
    accepted_at_ms, observed_effect, matched, live, suspension_id, satisfied, replay_count
  FROM ff_signal
  ORDER BY partition_key, execution_id, seq;

-- put_ff_signal
INSERT INTO ff_signal (partition_key, execution_id, seq, signal_id, waitpoint_id, waitpoint_key, signal_name,
    signal_category, source_type, source_identity, correlation_id, idempotency_key, payload_encoding, target_scope,
    created_at_ms, accepted_at_ms, observed_effect, matched, live, suspension_id, satisfied, replay_count)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (partition_key, execution_id, seq) DO UPDATE
  SET partition_key = excluded.partition_key, execution_id = excluded.execution_id, seq = excluded.seq, signal_id =
    excluded.signal_id, waitpoint_id = excluded.waitpoint_id, waitpoint_key = excluded.waitpoint_key, signal_name =
    excluded.signal_name, signal_category = excluded.signal_category, source_type = excluded.source_type,
    source_identity = excluded.source_identity, correlation_id = excluded.correlation_id, idempotency_key =
    excluded.idempotency_key, payload_encoding = excluded.payload_encoding, target_scope = excluded.target_scope,
    created_at_ms = excluded.created_at_ms, accepted_at_ms = excluded.accepted_at_ms, observed_effect =
    excluded.observed_effect, matched = excluded.matched, live = excluded.live, suspension_id = excluded.suspension_id,
    satisfied = excluded.satisfied, replay_count = excluded.replay_count;

-- erase_ff_signal
DELETE
  FROM ff_signal
  WHERE partition_key = ? AND execution_id = ? AND seq = ?;

-- find_owned_ff_signal
SELECT partition_key, execution_id, seq, signal_id, waitpoint_id, waitpoint_key, signal_name, signal_category,
    source_type, source_identity, correlation_id, idempotency_key, payload_encoding, target_scope, created_at_ms,
    accepted_at_ms, observed_effect, matched, live, suspension_id, satisfied, replay_count
  FROM ff_signal
  WHERE partition_key = ? AND execution_id = ? AND live;

-- read_owned_ff_signal
SELECT partition_key, execution_id, seq, signal_id, waitpoint_id, waitpoint_key, signal_name, signal_category,
    source_type, source_identity, correlation_id, idempotency_key, payload_encoding, target_scope, created_at_ms,
    accepted_at_ms, observed_effect, matched, live, suspension_id, satisfied, replay_count
  FROM ff_signal
  WHERE partition_key = ? AND execution_id = ?;

-- erase_owned_ff_signal
DELETE
  FROM ff_signal
  WHERE partition_key = ? AND execution_id = ?;

-- find_ff_signal_payload
SELECT partition_key, execution_id, seq, payload
  FROM ff_signal_payload
  WHERE partition_key = ? AND execution_id = ? AND seq = ?;

-- list_ff_signal_payload
SELECT partition_key, execution_id, seq, payload
  FROM ff_signal_payload
  ORDER BY partition_key, execution_id, seq;

-- put_ff_signal_payload
INSERT INTO ff_signal_payload (partition_key, execution_id, seq, payload)
  VALUES (?, ?, ?, ?)
  ON CONFLICT (partition_key, execution_id, seq) DO UPDATE
  SET partition_key = excluded.partition_key, execution_id = excluded.execution_id, seq = excluded.seq, payload =
    excluded.payload;

-- erase_ff_signal_payload
DELETE
  FROM ff_signal_payload
  WHERE partition_key = ? AND execution_id = ? AND seq = ?;

-- find_owned_ff_signal_payload
SELECT partition_key, execution_id, seq, payload
  FROM ff_signal_payload
  WHERE partition_key = ? AND execution_id = ?;

-- read_owned_ff_signal_payload
SELECT partition_key, execution_id, seq, payload
  FROM ff_signal_payload
  WHERE partition_key = ? AND execution_id = ?;

-- erase_owned_ff_signal_payload
DELETE
  FROM ff_signal_payload
  WHERE partition_key = ? AND execution_id = ?;

-- find_ff_signal_dedup
SELECT partition_key, waitpoint_id, idempotency_key, execution_id, signal_id, expires_at_ms
  FROM ff_signal_dedup
  WHERE partition_key = ? AND waitpoint_id = ? AND idempotency_key = ?;

-- list_ff_signal_dedup
SELECT partition_key, waitpoint_id, idempotency_key, execution_id, signal_id, expires_at_ms
  FROM ff_signal_dedup
  ORDER BY partition_key, waitpoint_id, idempotency_key;

-- put_ff_signal_dedup
INSERT INTO ff_signal_dedup (partition_key, waitpoint_id, idempotency_key, execution_id, signal_id, expires_at_ms)
  VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (partition_key, waitpoint_id, idempotency_key) DO UPDATE
  SET partition_key = excluded.partition_key, waitpoint_id = excluded.waitpoint_id, idempotency_key =
    excluded.idempotency_key, execution_id = excluded.execution_id, signal_id = excluded.signal_id, expires_at_ms =
    excluded.expires_at_ms;

-- erase_ff_signal_dedup
DELETE
  FROM ff_signal_dedup
  WHERE partition_key = ? AND waitpoint_id = ? AND idempotency_key = ?;

-- find_owned_ff_signal_dedup
SELECT partition_key, waitpoint_id, idempotency_key, execution_id, signal_id, expires_at_ms
  FROM ff_signal_dedup
  WHERE partition_key = ? AND execution_id = ?;

-- read_owned_ff_signal_dedup
SELECT partition_key, waitpoint_id, idempotency_key, execution_id, signal_id, expires_at_ms
  FROM ff_signal_dedup
  WHERE partition_key = ? AND execution_id = ?;

-- erase_owned_ff_signal_dedup
DELETE
  FROM ff_signal_dedup
  WHERE partition_key = ? AND execution_id = ?;

-- find_ff_stream_meta
SELECT partition_key, execution_id, attempt_index, last_ts_ms, last_seq, frame_count, lasting_count, total_bytes,
    cut_through, removed_through, retention_maxlen, maxlen_applied_last, ema_rate_uhz, last_best_effort_ms,
    expires_at_ms, expiry_check_at_ms, closed_at_ms, closed_reason, live
  FROM ff_stream_meta
  WHERE partition_key = ? AND execution_id = ? AND attempt_index = ?;

-- list_ff_stream_meta
SELECT partition_key, execution_id, attempt_index, last_ts_ms, last_seq, frame_count, lasting_count, total_bytes,
    cut_through, removed_through, retention_maxlen, maxlen_applied_last, ema_rate_uhz, last_best_effort_ms,
    expires_at_ms, expiry_check_at_ms, closed_at_ms, closed_reason, live
  FROM ff_stream_meta
  ORDER BY partition_key, execution_id, attempt_index;

-- put_ff_stream_meta
INSERT INTO ff_stream_meta (partition_key, execution_id, attempt_index, last_ts_ms, last_seq, frame_count,
    lasting_count, total_bytes, cut_through, removed_through, retention_maxlen, maxlen_applied_last, ema_rate_uhz,
    last_best_effort_ms, expires_at_ms, expiry_check_at_ms, closed_at_ms, closed_reason, live)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (partition_key, execution_id, attempt_index) DO UPDATE
  SET partition_key = excluded.partition_key, execution_id = excluded.execution_id, attempt_index =
    excluded.attempt_index, last_ts_ms = excluded.last_ts_ms, last_seq = excluded.last_seq, frame_count =
    excluded.frame_count, lasting_count = excluded.lasting_count, total_bytes = excluded.total_bytes, cut_through =
    excluded.cut_through, removed_through = excluded.removed_through, retention_maxlen = excluded.retention_maxlen,
    maxlen_applied_last = excluded.maxlen_applied_last, ema_rate_uhz = excluded.ema_rate_uhz, last_best_effort_ms =
    excluded.last_best_effort_ms, expires_at_ms = excluded.expires_at_ms, expiry_check_at_ms =
    excluded.expiry_check_at_ms, closed_at_ms = excluded.closed_at_ms, closed_reason = excluded.closed_reason, live =
    excluded.live;

-- erase_ff_stream_meta
DELETE
  FROM ff_stream_meta
  WHERE partition_key = ? AND execution_id = ? AND attempt_index = ?;

-- find_owned_ff_stream_meta
SELECT partition_key, execution_id, attempt_index, last_ts_ms, last_seq, frame_count, lasting_count, total_bytes,
    cut_through, removed_through, retention_maxlen, maxlen_applied_last, ema_rate_uhz, last_best_effort_ms,
    expires_at_ms, expiry_check_at_ms, closed_at_ms, closed_reason, live
  FROM ff_stream_meta
  WHERE partition_key = ? AND execution_id = ? AND live;

-- read_owned_ff_stream_meta
SELECT partition_key, execution_id, attempt_index, last_ts_ms, last_seq, frame_count, lasting_count, total_bytes,
    cut_through, removed_through, retention_maxlen, maxlen_applied_last, ema_rate_uhz, last_best_effort_ms,
    expires_at_ms, expiry_check_at_ms, closed_at_ms, closed_reason, live
  FROM ff_stream_meta
  WHERE partition_key = ? AND execution_id = ?;

-- erase_owned_ff_stream_meta
DELETE
  FROM ff_stream_meta
  WHERE partition_key = ? AND execution_id = ?;

-- find_ff_stream_summary
SELECT partition_key, execution_id, attempt_index, document, version, patch_kind, first_applied_ms, last_updated_ms
  FROM ff_stream_summary
  WHERE partition_key = ? AND execution_id = ? AND attempt_index = ?;

-- list_ff_stream_summary
SELECT partition_key, execution_id, attempt_index, document, version, patch_kind, first_applied_ms, last_updated_ms
  FROM ff_stream_summary
  ORDER BY partition_key, execution_id, attempt_index;

-- put_ff_stream_summary
INSERT INTO ff_stream_summary (partition_key, execution_id, attempt_index, document, version, patch_kind,
    first_applied_ms, last_updated_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (partition_key, execution_id, attempt_index) DO UPDATE
  SET partition_key = excluded.partition_key, execution_id = excluded.execution_id, attempt_index =
    excluded.attempt_index, document = excluded.document, version = excluded.version, patch_kind = excluded.patch_kind,
    first_applied_ms = excluded.first_applied_ms, last_updated_ms = excluded.last_updated_ms;

-- erase_ff_stream_summary
DELETE
  FROM ff_stream_summary
  WHERE partition_key = ? AND execution_id = ? AND attempt_index = ?;

-- find_owned_ff_stream_summary
SELECT partition_key, execution_id, attempt_index, document, version, patch_kind, first_applied_ms, last_updated_ms
  FROM ff_stream_summary
  WHERE partition_key = ? AND execution_id = ?;

-- read_owned_ff_stream_summary
SELECT partition_key, execution_id, attempt_index, document, version, patch_kind, first_applied_ms, last_updated_ms
  FROM ff_stream_summary
  WHERE partition_key = ? AND execution_id = ?;

-- erase_owned_ff_stream_summary
DELETE
  FROM ff_stream_summary
  WHERE partition_key = ? AND execution_id = ?;

-- find_ff_stream_frame
SELECT partition_key, execution_id, attempt_index, ts_ms, seq, frame_no, created_at_ms, mode, frame_type,
    correlation_id, summary_version, ttl_ms, payload_encoding, payload
  FROM ff_stream_frame
  WHERE partition_key = ? AND execution_id = ? AND attempt_index = ? AND ts_ms = ? AND seq = ?;

-- list_ff_stream_frame
SELECT partition_key, execution_id, attempt_index, ts_ms, seq, frame_no, created_at_ms, mode, frame_type,
    correlation_id, summary_version, ttl_ms, payload_encoding, payload
  FROM ff_stream_frame
  ORDER BY partition_key, execution_id, attempt_index, ts_ms, seq;

-- put_ff_stream_frame
INSERT INTO ff_stream_frame (partition_key, execution_id, attempt_index, ts_ms, seq, frame_no, created_at_ms, mode,
    frame_type, correlation_id, summary_version, ttl_ms, payload_encoding, payload)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (partition_key, execution_id, attempt_index, ts_ms, seq) DO UPDATE
  SET partition_key = excluded.partition_key, execution_id = excluded.execution_id, attempt_index =
    excluded.attempt_index, ts_ms = excluded.ts_ms, seq = excluded.seq, frame_no = excluded.frame_no, created_at_ms =
    excluded.created_at_ms, mode = excluded.mode, frame_type = excluded.frame_type, correlation_id =
    excluded.correlation_id, summary_version = excluded.summary_version, ttl_ms = excluded.ttl_ms, payload_encoding =
    excluded.payload_encoding, payload = excluded.payload;

-- erase_ff_stream_frame
DELETE
  FROM ff_stream_frame
  WHERE partition_key = ? AND execution_id = ? AND attempt_index = ? AND ts_ms = ? AND seq = ?;

-- find_owned_ff_stream_frame
SELECT partition_key, execution_id, attempt_index, ts_ms, seq, frame_no, created_at_ms, mode, frame_type,
    correlation_id, summary_version, ttl_ms, payload_encoding, payload
  FROM ff_stream_frame
  WHERE partition_key = ? AND execution_id = ?;

-- read_owned_ff_stream_frame
SELECT partition_key, execution_id, attempt_index, ts_ms, seq, frame_no, created_at_ms, mode, frame_type,
    correlation_id, summary_version, ttl_ms, payload_encoding, payload
  FROM ff_stream_frame
  WHERE partition_key = ? AND execution_id = ?;

-- erase_owned_ff_stream_frame
DELETE
  FROM ff_stream_frame
  WHERE partition_key = ? AND execution_id = ?;

-- cut_ff_stream_frame
DELETE
  FROM ff_stream_frame
  WHERE partition_key = ? AND execution_id = ? AND attempt_index = ? AND frame_no <= ?;

-- find_ff_claim_grant
SELECT partition_key, grant_id, execution_id, kind, worker_id, worker_instance_id, lane_id, capability_hash,
    worker_capabilities, route_snapshot_json, admission_summary, grant_ttl_ms, issued_at_ms, expires_at_ms
  FROM ff_claim_grant
  WHERE partition_key = ? AND grant_id = ?;

-- list_ff_claim_grant
SELECT partition_key, grant_id, execution_id, kind, worker_id, worker_instance_id, lane_id, capability_hash,
    worker_capabilities, route_snapshot_json, admission_summary, grant_ttl_ms, issued_at_ms, expires_at_ms
  FROM ff_claim_grant
  ORDER BY partition_key, grant_id;

-- put_ff_claim_grant
INSERT INTO ff_claim_grant (partition_key, grant_id, execution_id, kind, worker_id, worker_instance_id, lane_id,
    capability_hash, worker_capabilities, route_snapshot_json, admission_summary, grant_ttl_ms, issued_at_ms,
    expires_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (partition_key, grant_id) DO UPDATE
  SET partition_key = excluded.partition_key, grant_id = excluded.grant_id, execution_id = excluded.execution_id, kind =
    excluded.kind, worker_id = excluded.worker_id, worker_instance_id = excluded.worker_instance_id, lane_id =
    excluded.lane_id, capability_hash = excluded.capability_hash, worker_capabilities = excluded.worker_capabilities,
    route_snapshot_json = excluded.route_snapshot_json, admission_summary = excluded.admission_summary, grant_ttl_ms =
    excluded.grant_ttl_ms, issued_at_ms = excluded.issued_at_ms, expires_at_ms = excluded.expires_at_ms;

-- erase_ff_claim_grant
DELETE
  FROM ff_claim_grant
  WHERE partition_key = ? AND grant_id = ?;

-- find_owned_ff_claim_grant
SELECT partition_key, grant_id, execution_id, kind, worker_id, worker_instance_id, lane_id, capability_hash,
    worker_capabilities, route_snapshot_json, admission_summary, grant_ttl_ms, issued_at_ms, expires_at_ms
  FROM ff_claim_grant
  WHERE partition_key = ? AND execution_id = ?;

-- read_owned_ff_claim_grant
SELECT partition_key, grant_id, execution_id, kind, worker_id, worker_instance_id, lane_id, capability_hash,
    worker_capabilities, route_snapshot_json, admission_summary, grant_ttl_ms, issued_at_ms, expires_at_ms
  FROM ff_claim_grant
  WHERE partition_key = ? AND execution_id = ?;

-- erase_owned_ff_claim_grant
DELETE
  FROM ff_claim_grant
  WHERE partition_key = ? AND execution_id = ?;

-- find_ff_budget_policy
SELECT partition_key, budget_id, incarnation, policy_json, scope_type, scope_id, enforcement_mode, ancestors,
    child_count, dimension_count, created_at_ms, updated_at_ms, breach_count, soft_breach_count, last_breach_at_ms,
    last_breach_dim, hard_told, soft_told, reset_count, last_reset_at_ms, next_reset_at_ms
  FROM ff_budget_policy
  WHERE partition_key = ? AND budget_id = ?;

-- list_ff_budget_policy
SELECT partition_key, budget_id, incarnation, policy_json, scope_type, scope_id, enforcement_mode, ancestors,
    child_count, dimension_count, created_at_ms, updated_at_ms, breach_count, soft_breach_count, last_breach_at_ms,
    last_breach_dim, hard_told, soft_told, reset_count, last_reset_at_ms, next_reset_at_ms
  FROM ff_budget_policy
  ORDER BY partition_key, budget_id;

-- put_ff_budget_policy
INSERT INTO ff_budget_policy (partition_key, budget_id, incarnation, policy_json, scope_type, scope_id,
    enforcement_mode, ancestors, child_count, dimension_count, created_at_ms, updated_at_ms, breach_count,
    soft_breach_count, last_breach_at_ms, last_breach_dim, hard_told, soft_told, reset_count, last_reset_at_ms,
    next_reset_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (partition_key, budget_id) DO UPDATE
  SET partition_key = excluded.partition_key, budget_id = excluded.budget_id, incarnation = excluded.incarnation,
    policy_json = excluded.policy_json, scope_type = excluded.scope_type, scope_id = excluded.scope_id, enforcement_mode
    = excluded.enforcement_mode, ancestors = excluded.ancestors, child_count = excluded.child_count, dimension_count =
    excluded.dimension_count, created_at_ms = excluded.created_at_ms, updated_at_ms = excluded.updated_at_ms,
    breach_count = excluded.breach_count, soft_breach_count = excluded.soft_breach_count, last_breach_at_ms =
    excluded.last_breach_at_ms, last_breach_dim = excluded.last_breach_dim, hard_told = excluded.hard_told, soft_told =
    excluded.soft_told, reset_count = excluded.reset_count, last_reset_at_ms = excluded.last_reset_at_ms,
    next_reset_at_ms = excluded.next_reset_at_ms;

-- erase_ff_budget_policy
DELETE
  FROM ff_budget_policy
  WHERE partition_key = ? AND budget_id = ?;

-- behind_ff_budget_policy
SELECT partition_key, budget_id, incarnation, policy_json, scope_type, scope_id, enforcement_mode, ancestors,
    child_count, dimension_count, created_at_ms, updated_at_ms, breach_count, soft_breach_count, last_breach_at_ms,
    last_breach_dim, hard_told, soft_told, reset_count, last_reset_at_ms, next_reset_at_ms
  FROM ff_budget_policy
  WHERE partition_key = ? AND budget_id > ?
  ORDER BY budget_id
  LIMIT ?;

-- find_ff_budget_usage
SELECT partition_key, budget_id, dimensions_key, current_value, last_reset_at_ms, updated_at_ms
  FROM ff_budget_usage
  WHERE partition_key = ? AND budget_id = ? AND dimensions_key = ?;

-- list_ff_budget_usage
SELECT partition_key, budget_id, dimensions_key, current_value, last_reset_at_ms, updated_at_ms
  FROM ff_budget_usage
  ORDER BY partition_key, budget_id, dimensions_key;

-- put_ff_budget_usage
INSERT INTO ff_budget_usage (partition_key, budget_id, dimensions_key, current_value, last_reset_at_ms, updated_at_ms)
  VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (partition_key, budget_id, dimensions_key) DO UPDATE
  SET partition_key = excluded.partition_key, budget_id = excluded.budget_id, dimensions_key = excluded.dimensions_key,
    current_value = excluded.current_value, last_reset_at_ms = excluded.last_reset_at_ms, updated_at_ms =
    excluded.updated_at_ms;

-- erase_ff_budget_usage
DELETE
  FROM ff_budget_usage
  WHERE partition_key = ? AND budget_id = ? AND dimensions_key = ?;

-- behind_ff_budget_usage
SELECT partition_key, budget_id, dimensions_key, current_value, last_reset_at_ms, updated_at_ms
  FROM ff_budget_usage
  WHERE partition_key = ? AND budget_id = ? AND dimensions_key > ?
  ORDER BY dimensions_key
  LIMIT ?;

-- find_ff_budget_usage_by_exec
SELECT partition_key, execution_id, spent_on, budget_id, dimensions_key, delta_total, incarnation, reset_count,
    updated_at_ms
  FROM ff_budget_usage_by_exec
  WHERE partition_key = ? AND execution_id = ? AND spent_on = ? AND budget_id = ? AND dimensions_key = ?;

-- list_ff_budget_usage_by_exec
SELECT partition_key, execution_id, spent_on, budget_id, dimensions_key, delta_total, incarnation, reset_count,
    updated_at_ms
  FROM ff_budget_usage_by_exec
  ORDER BY partition_key, execution_id, spent_on, budget_id, dimensions_key;

-- put_ff_budget_usage_by_exec
INSERT INTO ff_budget_usage_by_exec (partition_key, execution_id, spent_on, budget_id, dimensions_key, delta_total,
    incarnation, reset_count, updated_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (partition_key, execution_id, spent_on, budget_id, dimensions_key) DO UPDATE
  SET partition_key = excluded.partition_key, execution_id = excluded.execution_id, spent_on = excluded.spent_on,
    budget_id = excluded.budget_id, dimensions_key = excluded.dimensions_key, delta_total = excluded.delta_total,
    incarnation = excluded.incarnation, reset_count = excluded.reset_count, updated_at_ms = excluded.updated_at_ms;

-- erase_ff_budget_usage_by_exec
DELETE
  FROM ff_budget_usage_by_exec
  WHERE partition_key = ? AND execution_id = ? AND spent_on = ? AND budget_id = ? AND dimensions_key = ?;

-- find_owned_ff_budget_usage_by_exec
SELECT partition_key, execution_id, spent_on, budget_id, dimensions_key, delta_total, incarnation, reset_count,
    updated_at_ms
  FROM ff_budget_usage_by_exec
  WHERE partition_key = ? AND execution_id = ?;

-- read_owned_ff_budget_usage_by_exec
SELECT partition_key, execution_id, spent_on, budget_id, dimensions_key, delta_total, incarnation, reset_count,
    updated_at_ms
  FROM ff_budget_usage_by_exec
  WHERE partition_key = ? AND execution_id = ?;

-- erase_owned_ff_budget_usage_by_exec
DELETE
  FROM ff_budget_usage_by_exec
  WHERE partition_key = ? AND execution_id = ?;

-- find_ff_budget_usage_dedup
SELECT partition_key, budget_id, operation_family, dedup_key, incarnation, applied_at_ms, expires_at_ms
  FROM ff_budget_usage_dedup
  WHERE partition_key = ? AND budget_id = ? AND operation_family = ? AND dedup_key = ?;

-- list_ff_budget_usage_dedup
SELECT partition_key, budget_id, operation_family, dedup_key, incarnation, applied_at_ms, expires_at_ms
  FROM ff_budget_usage_dedup
  ORDER BY partition_key, budget_id, operation_family, dedup_key;

-- put_ff_budget_usage_dedup
INSERT INTO ff_budget_usage_dedup (partition_key, budget_id, operation_family, dedup_key, incarnation, applied_at_ms,
    expires_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (partition_key, budget_id, operation_family, dedup_key) DO UPDATE
  SET partition_key = excluded.partition_key, budget_id = excluded.budget_id, operation_family =
    excluded.operation_family, dedup_key = excluded.dedup_key, incarnation = excluded.incarnation, applied_at_ms =
    excluded.applied_at_ms, expires_at_ms = excluded.expires_at_ms;

-- erase_ff_budget_usage_dedup
DELETE
  FROM ff_budget_usage_dedup
  WHERE partition_key = ? AND budget_id = ? AND operation_family = ? AND dedup_key = ?;

-- find_ff_retention_due
SELECT partition_key, execution_id, remove_at_ms
  FROM ff_retention_due
  WHERE partition_key = ? AND execution_id = ?;

-- list_ff_retention_due
SELECT partition_key, execution_id, remove_at_ms
  FROM ff_retention_due
  ORDER BY partition_key, execution_id;

-- put_ff_retention_due
INSERT INTO ff_retention_due (partition_key, execution_id, remove_at_ms)
  VALUES (?, ?, ?)
  ON CONFLICT (partition_key, execution_id) DO UPDATE
  SET partition_key = excluded.partition_key, execution_id = excluded.execution_id, remove_at_ms = excluded.remove_at_ms;

-- erase_ff_retention_due
DELETE
  FROM ff_retention_due
  WHERE partition_key = ? AND execution_id = ?;

-- find_owned_ff_retention_due
SELECT partition_key, execution_id, remove_at_ms
  FROM ff_retention_due
  WHERE partition_key = ? AND execution_id = ?;

-- read_owned_ff_retention_due
SELECT partition_key, execution_id, remove_at_ms
  FROM ff_retention_due
  WHERE partition_key = ? AND execution_id = ?;

-- erase_owned_ff_retention_due
DELETE
  FROM ff_retention_due
  WHERE partition_key = ? AND execution_id = ?;

-- find_ff_search_term
SELECT partition_key, execution_id, term, created_at_ms
  FROM ff_search_term
  WHERE partition_key = ? AND execution_id = ? AND term = ?;

-- list_ff_search_term
SELECT partition_key, execution_id, term, created_at_ms
  FROM ff_search_term
  ORDER BY partition_key, execution_id, term;

-- put_ff_search_term
INSERT INTO ff_search_term (partition_key, execution_id, term, created_at_ms)
  VALUES (?, ?, ?, ?)
  ON CONFLICT (partition_key, execution_id, term) DO UPDATE
  SET partition_key = excluded.partition_key, execution_id = excluded.execution_id, term = excluded.term, created_at_ms
    = excluded.created_at_ms;

-- erase_ff_search_term
DELETE
  FROM ff_search_term
  WHERE partition_key = ? AND execution_id = ? AND term = ?;

-- find_owned_ff_search_term
SELECT partition_key, execution_id, term, created_at_ms
  FROM ff_search_term
  WHERE partition_key = ? AND execution_id = ?;

-- read_owned_ff_search_term
SELECT partition_key, execution_id, term, created_at_ms
  FROM ff_search_term
  WHERE partition_key = ? AND execution_id = ?;

-- erase_owned_ff_search_term
DELETE
  FROM ff_search_term
  WHERE partition_key = ? AND execution_id = ?;

-- find_ff_waitpoint_hmac
SELECT kid, secret, rotated_at_ms, active, expires_at_ms
  FROM ff_waitpoint_hmac
  WHERE kid = ?;

-- list_ff_waitpoint_hmac
SELECT kid, secret, rotated_at_ms, active, expires_at_ms
  FROM ff_waitpoint_hmac
  ORDER BY kid;

-- put_ff_waitpoint_hmac
INSERT INTO ff_waitpoint_hmac (kid, secret, rotated_at_ms, active, expires_at_ms)
  VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (kid) DO UPDATE
  SET kid = excluded.kid, secret = excluded.secret, rotated_at_ms = excluded.rotated_at_ms, active = excluded.active,
    expires_at_ms = excluded.expires_at_ms;

-- erase_ff_waitpoint_hmac
DELETE
  FROM ff_waitpoint_hmac
  WHERE kid = ?;

-- find_ff_setting
SELECT name, value, revision, updated_at_ms
  FROM ff_setting
  WHERE name = ?;

-- list_ff_setting
SELECT name, value, revision, updated_at_ms
  FROM ff_setting
  ORDER BY name;

-- put_ff_setting
INSERT INTO ff_setting (name, value, revision, updated_at_ms)
  VALUES (?, ?, ?, ?)
  ON CONFLICT (name) DO UPDATE
  SET name = excluded.name, value = excluded.value, revision = excluded.revision, updated_at_ms = excluded.updated_at_ms;

-- erase_ff_setting
DELETE
  FROM ff_setting
  WHERE name = ?;

-- find_ff_api_token
SELECT name, secret_hash, previous_hash, previous_expires_at_ms, scopes, namespaces, rate_limit_per_s, created_at_ms,
    expires_at_ms, revoked_at_ms
  FROM ff_api_token
  WHERE name = ?;

-- list_ff_api_token
SELECT name, secret_hash, previous_hash, previous_expires_at_ms, scopes, namespaces, rate_limit_per_s, created_at_ms,
    expires_at_ms, revoked_at_ms
  FROM ff_api_token
  ORDER BY name;

-- put_ff_api_token
INSERT INTO ff_api_token (name, secret_hash, previous_hash, previous_expires_at_ms, scopes, namespaces,
    rate_limit_per_s, created_at_ms, expires_at_ms, revoked_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (name) DO UPDATE
  SET name = excluded.name, secret_hash = excluded.secret_hash, previous_hash = excluded.previous_hash,
    previous_expires_at_ms = excluded.previous_expires_at_ms, scopes = excluded.scopes, namespaces =
    excluded.namespaces, rate_limit_per_s = excluded.rate_limit_per_s, created_at_ms = excluded.created_at_ms,
    expires_at_ms = excluded.expires_at_ms, revoked_at_ms = excluded.revoked_at_ms;

-- erase_ff_api_token
DELETE
  FROM ff_api_token
  WHERE name = ?;

-- find_ff_worker_registry
SELECT partition_key, namespace, worker_instance_id, worker_id, lanes, capabilities_csv, last_heartbeat_ms,
    liveness_ttl_ms, registered_at_ms
  FROM ff_worker_registry
  WHERE partition_key = ? AND namespace = ? AND worker_instance_id = ?;

-- list_ff_worker_registry
SELECT partition_key, namespace, worker_instance_id, worker_id, lanes, capabilities_csv, last_heartbeat_ms,
    liveness_ttl_ms, registered_at_ms
  FROM ff_worker_registry
  ORDER BY partition_key, namespace, worker_instance_id;

-- put_ff_worker_registry
INSERT INTO ff_worker_registry (partition_key, namespace, worker_instance_id, worker_id, lanes, capabilities_csv,
    last_heartbeat_ms, liveness_ttl_ms, registered_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (partition_key, namespace, worker_instance_id) DO UPDATE
  SET partition_key = excluded.partition_key, namespace = excluded.namespace, worker_instance_id =
    excluded.worker_instance_id, worker_id = excluded.worker_id, lanes = excluded.lanes, capabilities_csv =
    excluded.capabilities_csv, last_heartbeat_ms = excluded.last_heartbeat_ms, liveness_ttl_ms =
    excluded.liveness_ttl_ms, registered_at_ms = excluded.registered_at_ms;

-- erase_ff_worker_registry
DELETE
  FROM ff_worker_registry
  WHERE partition_key = ? AND namespace = ? AND worker_instance_id = ?;

-- find_ff_worker_registry_event
SELECT partition_key, namespace, worker_instance_id, event_at_ms, event_kind, reason
  FROM ff_worker_registry_event
  WHERE partition_key = ? AND namespace = ? AND worker_instance_id = ? AND event_at_ms = ? AND event_kind = ?;

-- list_ff_worker_registry_event
SELECT partition_key, namespace, worker_instance_id, event_at_ms, event_kind, reason
  FROM ff_worker_registry_event
  ORDER BY partition_key, namespace, worker_instance_id, event_at_ms, event_kind;

-- put_ff_worker_registry_event
INSERT INTO ff_worker_registry_event (partition_key, namespace, worker_instance_id, event_at_ms, event_kind, reason)
  VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (partition_key, namespace, worker_instance_id, event_at_ms, event_kind) DO UPDATE
  SET partition_key = excluded.partition_key, namespace = excluded.namespace, worker_instance_id =
    excluded.worker_instance_id, event_at_ms = excluded.event_at_ms, event_kind = excluded.event_kind, reason =
    excluded.reason;

-- erase_ff_worker_registry_event
DELETE
  FROM ff_worker_registry_event
  WHERE partition_key = ? AND namespace = ? AND worker_instance_id = ? AND event_at_ms = ? AND event_kind = ?;

-- find_ff_worker_mode
SELECT partition_key, namespace, scope, name, mode
  FROM ff_worker_mode
  WHERE partition_key = ? AND namespace = ? AND scope = ? AND name = ?;

-- list_ff_worker_mode
SELECT partition_key, namespace, scope, name, mode
  FROM ff_worker_mode
  ORDER BY partition_key, namespace, scope, name;

-- put_ff_worker_mode
INSERT INTO ff_worker_mode (partition_key, namespace, scope, name, mode)
  VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (partition_key, namespace, scope, name) DO UPDATE
  SET partition_key = excluded.partition_key, namespace = excluded.namespace, scope = excluded.scope, name =
    excluded.name, mode = excluded.mode;

-- erase_ff_worker_mode
DELETE
  FROM ff_worker_mode
  WHERE partition_key = ? AND namespace = ? AND scope = ? AND name = ?;

-- find_ff_claim_request
SELECT partition_key, worker_instance_id, request_id, leases, expires_at_ms
  FROM ff_claim_request
  WHERE partition_key = ? AND worker_instance_id = ? AND request_id = ?;

-- list_ff_claim_request
SELECT partition_key, worker_instance_id, request_id, leases, expires_at_ms
  FROM ff_claim_request
  ORDER BY partition_key, worker_instance_id, request_id;

-- put_ff_claim_request
INSERT INTO ff_claim_request (partition_key, worker_instance_id, request_id, leases, expires_at_ms)
  VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (partition_key, worker_instance_id, request_id) DO UPDATE
  SET partition_key = excluded.partition_key, worker_instance_id = excluded.worker_instance_id, request_id =
    excluded.request_id, leases = excluded.leases, expires_at_ms = excluded.expires_at_ms;

-- erase_ff_claim_request
DELETE
  FROM ff_claim_request
  WHERE partition_key = ? AND worker_instance_id = ? AND request_id = ?;

-- find_ff_bulk_operation
SELECT operation_id, due_at_ms, action, reason, requester, state, created_at_ms, ended_at_ms, lane_id, states,
    execution_kind, tag_key, tag_value, created_after_ms, created_before_ms, namespace, flow_id, searched_to_ms,
    searched_to_partition, searched_to_id, searched, open_count, done_count, skipped_count, failed_count
  FROM ff_bulk_operation
  WHERE operation_id = ?;

-- list_ff_bulk_operation
SELECT operation_id, due_at_ms, action, reason, requester, state, created_at_ms, ended_at_ms, lane_id, states,
    execution_kind, tag_key, tag_value, created_after_ms, created_before_ms, namespace, flow_id, searched_to_ms,
    searched_to_partition, searched_to_id, searched, open_count, done_count, skipped_count, failed_count
  FROM ff_bulk_operation
  ORDER BY operation_id;

-- put_ff_bulk_operation
INSERT INTO ff_bulk_operation (operation_id, due_at_ms, action, reason, requester, state, created_at_ms, ended_at_ms,
    lane_id, states, execution_kind, tag_key, tag_value, created_after_ms, created_before_ms, namespace, flow_id,
    searched_to_ms, searched_to_partition, searched_to_id, searched, open_count, done_count, skipped_count,
    failed_count)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (operation_id) DO UPDATE
  SET operation_id = excluded.operation_id, due_at_ms = excluded.due_at_ms, action = excluded.action, reason =
    excluded.reason, requester = excluded.requester, state = excluded.state, created_at_ms = excluded.created_at_ms,
    ended_at_ms = excluded.ended_at_ms, lane_id = excluded.lane_id, states = excluded.states, execution_kind =
    excluded.execution_kind, tag_key = excluded.tag_key, tag_value = excluded.tag_value, created_after_ms =
    excluded.created_after_ms, created_before_ms = excluded.created_before_ms, namespace = excluded.namespace, flow_id =
    excluded.flow_id, searched_to_ms = excluded.searched_to_ms, searched_to_partition = excluded.searched_to_partition,
    searched_to_id = excluded.searched_to_id, searched = excluded.searched, open_count = excluded.open_count, done_count
    = excluded.done_count, skipped_count = excluded.skipped_count, failed_count = excluded.failed_count;

-- erase_ff_bulk_operation
DELETE
  FROM ff_bulk_operation
  WHERE operation_id = ?;

-- first_ff_bulk_operation
SELECT operation_id, due_at_ms, action, reason, requester, state, created_at_ms, ended_at_ms, lane_id, states,
    execution_kind, tag_key, tag_value, created_after_ms, created_before_ms, namespace, flow_id, searched_to_ms,
    searched_to_partition, searched_to_id, searched, open_count, done_count, skipped_count, failed_count
  FROM ff_bulk_operation
  ORDER BY due_at_ms, operation_id
  LIMIT ?;

-- find_ff_bulk_item
SELECT operation_id, partition_key, execution_id, found_at_ms
  FROM ff_bulk_item
  WHERE operation_id = ? AND partition_key = ? AND execution_id = ?;

-- list_ff_bulk_item
SELECT operation_id, partition_key, execution_id, found_at_ms
  FROM ff_bulk_item
  ORDER BY operation_id, partition_key, execution_id;

-- put_ff_bulk_item
INSERT INTO ff_bulk_item (operation_id, partition_key, execution_id, found_at_ms)
  VALUES (?, ?, ?, ?)
  ON CONFLICT (operation_id, partition_key, execution_id) DO UPDATE
  SET operation_id = excluded.operation_id, partition_key = excluded.partition_key, execution_id =
    excluded.execution_id, found_at_ms = excluded.found_at_ms;

-- erase_ff_bulk_item
DELETE
  FROM ff_bulk_item
  WHERE operation_id = ? AND partition_key = ? AND execution_id = ?;

-- first_ff_bulk_item
SELECT operation_id, partition_key, execution_id, found_at_ms
  FROM ff_bulk_item
  ORDER BY found_at_ms, operation_id, partition_key, execution_id
  LIMIT ?;

-- find_ff_webhook
SELECT name, url, channel, namespace, types, max_batch, source, secret, previous_secret, previous_expires_at_ms,
    created_at_ms, state, stopped_at_event_id, owner, owned_until_ms, attempts, refused_in_turn, failing_since_ms,
    next_attempt_at_ms, last_error, last_delivered_at_ms, delivered_count, failed_count, set_aside_count,
    redelivering_count
  FROM ff_webhook
  WHERE name = ?;

-- list_ff_webhook
SELECT name, url, channel, namespace, types, max_batch, source, secret, previous_secret, previous_expires_at_ms,
    created_at_ms, state, stopped_at_event_id, owner, owned_until_ms, attempts, refused_in_turn, failing_since_ms,
    next_attempt_at_ms, last_error, last_delivered_at_ms, delivered_count, failed_count, set_aside_count,
    redelivering_count
  FROM ff_webhook
  ORDER BY name;

-- put_ff_webhook
INSERT INTO ff_webhook (name, url, channel, namespace, types, max_batch, source, secret, previous_secret,
    previous_expires_at_ms, created_at_ms, state, stopped_at_event_id, owner, owned_until_ms, attempts, refused_in_turn,
    failing_since_ms, next_attempt_at_ms, last_error, last_delivered_at_ms, delivered_count, failed_count,
    set_aside_count, redelivering_count)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (name) DO UPDATE
  SET name = excluded.name, url = excluded.url, channel = excluded.channel, namespace = excluded.namespace, types =
    excluded.types, max_batch = excluded.max_batch, source = excluded.source, secret = excluded.secret, previous_secret
    = excluded.previous_secret, previous_expires_at_ms = excluded.previous_expires_at_ms, created_at_ms =
    excluded.created_at_ms, state = excluded.state, stopped_at_event_id = excluded.stopped_at_event_id, owner =
    excluded.owner, owned_until_ms = excluded.owned_until_ms, attempts = excluded.attempts, refused_in_turn =
    excluded.refused_in_turn, failing_since_ms = excluded.failing_since_ms, next_attempt_at_ms =
    excluded.next_attempt_at_ms, last_error = excluded.last_error, last_delivered_at_ms = excluded.last_delivered_at_ms,
    delivered_count = excluded.delivered_count, failed_count = excluded.failed_count, set_aside_count =
    excluded.set_aside_count, redelivering_count = excluded.redelivering_count;

-- erase_ff_webhook
DELETE
  FROM ff_webhook
  WHERE name = ?;

-- find_ff_webhook_failure
SELECT webhook, event_id, due_at_ms, event, error, failed_at_ms, redelivering
  FROM ff_webhook_failure
  WHERE webhook = ? AND event_id = ?;

-- list_ff_webhook_failure
SELECT webhook, event_id, due_at_ms, event, error, failed_at_ms, redelivering
  FROM ff_webhook_failure
  ORDER BY webhook, event_id;

-- put_ff_webhook_failure
INSERT INTO ff_webhook_failure (webhook, event_id, due_at_ms, event, error, failed_at_ms, redelivering)
  VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (webhook, event_id) DO UPDATE
  SET webhook = excluded.webhook, event_id = excluded.event_id, due_at_ms = excluded.due_at_ms, event = excluded.event,
    error = excluded.error, failed_at_ms = excluded.failed_at_ms, redelivering = excluded.redelivering;

-- erase_ff_webhook_failure
DELETE
  FROM ff_webhook_failure
  WHERE webhook = ? AND event_id = ?;

-- first_ff_webhook_failure
SELECT webhook, event_id, due_at_ms, event, error, failed_at_ms, redelivering
  FROM ff_webhook_failure
  ORDER BY due_at_ms, webhook, event_id
  LIMIT ?;

-- behind_ff_webhook_failure
SELECT webhook, event_id, due_at_ms, event, error, failed_at_ms, redelivering
  FROM ff_webhook_failure
  WHERE webhook = ? AND event_id > ?
  ORDER BY event_id
  LIMIT ?;

-- find_ff_event_consumer
SELECT channel, consumer, event_id, registered_at_ms, acknowledged_at_ms
  FROM ff_event_consumer
  WHERE channel = ? AND consumer = ?;

-- list_ff_event_consumer
SELECT channel, consumer, event_id, registered_at_ms, acknowledged_at_ms
  FROM ff_event_consumer
  ORDER BY channel, consumer;

-- put_ff_event_consumer
INSERT INTO ff_event_consumer (channel, consumer, event_id, registered_at_ms, acknowledged_at_ms)
  VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (channel, consumer) DO UPDATE
  SET channel = excluded.channel, consumer = excluded.consumer, event_id = excluded.event_id, registered_at_ms =
    excluded.registered_at_ms, acknowledged_at_ms = excluded.acknowledged_at_ms;

-- erase_ff_event_consumer
DELETE
  FROM ff_event_consumer
  WHERE channel = ? AND consumer = ?;

