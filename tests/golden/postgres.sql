-- writer_session
SELECT pg_backend_pid(), current_schema(), set_config('search_path', quote_ident(current_schema()) || ', pg_temp',
    false), set_config('default_transaction_isolation', 'read committed', false), set_config('jit', 'off', false),
    set_config('application_name', 'flowfabric writer', false), set_config('plan_cache_mode', 'force_generic_plan',
    false), set_config('enable_hashjoin', 'off', false), set_config('enable_mergejoin', 'off', false),
    set_config('enable_seqscan', 'off', false), set_config('enable_bitmapscan', 'off', false),
    set_config('random_page_cost', '0.01', false), set_config('seq_page_cost', '0.01', false),
    set_config('synchronous_commit', 'on', false), set_config('lock_timeout', '2s', false),
    set_config('statement_timeout', '30s', false), set_config('idle_in_transaction_session_timeout', '10s', false);

-- reader_session
SELECT pg_backend_pid(), current_schema(), set_config('search_path', quote_ident(current_schema()) || ', pg_temp',
    false), set_config('default_transaction_isolation', 'read committed', false), set_config('jit', 'off', false),
    set_config('application_name', 'flowfabric reader', false), set_config('plan_cache_mode', 'force_custom_plan',
    false), set_config('max_parallel_workers_per_gather', '0', false), set_config('default_transaction_read_only', 'on',
    false), set_config('statement_timeout', '30s', false), set_config('idle_in_transaction_session_timeout', '10s',
    false);

-- following
SELECT set_config('plan_cache_mode', 'force_generic_plan', false), set_config('enable_seqscan', 'off', false),
    set_config('enable_bitmapscan', 'off', false), set_config('enable_hashjoin', 'off', false),
    set_config('enable_mergejoin', 'off', false);

-- limit
SELECT set_config('statement_timeout', $1::text, false);

-- listener_session
SELECT pg_backend_pid(), current_schema(), set_config('search_path', quote_ident(current_schema()) || ', pg_temp',
    false), set_config('default_transaction_isolation', 'read committed', false), set_config('jit', 'off', false),
    set_config('application_name', 'flowfabric listener', false), set_config('statement_timeout', '30s', false);

-- migrator_session
SELECT pg_backend_pid(), current_schema(), set_config('search_path', quote_ident(current_schema()) || ', pg_temp',
    false), set_config('default_transaction_isolation', 'read committed', false), set_config('jit', 'off', false),
    set_config('application_name', 'flowfabric migrator', false);

-- lock_schema
SELECT pg_advisory_lock(5063511405218290);

-- create_annotations
CREATE TABLE IF NOT EXISTS ff_migration_annotation (version integer PRIMARY KEY, name text NOT NULL, applied_at_ms
    bigint NOT NULL, backward_compatible boolean NOT NULL);

-- has_annotations
SELECT to_regclass('ff_migration_annotation') IS NOT NULL;

-- annotations
SELECT version, name, backward_compatible
  FROM ff_migration_annotation
  ORDER BY version;

-- annotate
INSERT INTO ff_migration_annotation (version, name, applied_at_ms, backward_compatible)
  VALUES ($1::integer, $2::text, floor(extract(epoch
  FROM clock_timestamp()) * 1000)::bigint, $3::boolean);

-- put_config
INSERT INTO ff_partition_config (num_flow_partitions, num_budget_partitions, num_quota_partitions, ff_version)
  VALUES ($1::integer, $2::integer, $3::integer, $4::text)
  ON CONFLICT (singleton) DO UPDATE
  SET ff_version = excluded.ff_version;

-- config
SELECT num_flow_partitions, num_budget_partitions, num_quota_partitions
  FROM ff_partition_config;

-- create_roles
SELECT ff_create_roles();

-- renew_roles
SELECT ff_grant_roles(true);

-- listen_to_work
LISTEN ff_work;

-- listen_to_ff_lease_event
LISTEN ff_lease_event;

-- listen_to_ff_completion
LISTEN ff_completion;

-- listen_to_ff_signal_event
LISTEN ff_signal_event;

-- listen_to_ff_operator_event
LISTEN ff_operator_event;

-- listen_to_ff_audit_event
LISTEN ff_audit_event;

-- listen_to_streams
LISTEN ff_stream;

-- begin
BEGIN ISOLATION LEVEL READ COMMITTED;

-- share_lanes
SELECT pg_advisory_xact_lock_shared(5063511405218292);

-- own_lanes
SELECT pg_advisory_xact_lock(5063511405218292);

-- lock_submissions
SELECT submission_id
  FROM ff_submission
  WHERE submission_id = ANY($1::bigint[])
  ORDER BY submission_id
  FOR UPDATE SKIP LOCKED;

-- lock_submissions_patiently
SELECT submission_id
  FROM ff_submission
  WHERE submission_id = ANY($1::bigint[])
  ORDER BY submission_id
  FOR UPDATE;

-- lock_outboxes
SELECT o.channel, o.trimmed, CASE o.channel WHEN 'lease' THEN (SELECT CASE WHEN is_called THEN last_value ELSE
    last_value - 1 END
  FROM ff_lease_event_event_id_seq) WHEN 'completion' THEN (SELECT CASE WHEN is_called THEN last_value ELSE last_value -
    1 END
  FROM ff_completion_event_event_id_seq) WHEN 'signal' THEN (SELECT CASE WHEN is_called THEN last_value ELSE last_value
    - 1 END
  FROM ff_signal_event_event_id_seq) WHEN 'operator' THEN (SELECT CASE WHEN is_called THEN last_value ELSE last_value -
    1 END
  FROM ff_operator_event_event_id_seq) WHEN 'audit' THEN (SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1
    END
  FROM ff_audit_event_event_id_seq) END
  FROM ff_outbox AS o
  WHERE o.channel = ANY($1::text[])
  ORDER BY o.channel
  FOR UPDATE OF o;

-- lock_keys
SELECT f.*
  FROM unnest($1::smallint[], $2::text[], $3::text[]) AS u(partition_key, namespace, idempotency_key)
  CROSS
  JOIN LATERAL (SELECT e.namespace, e.idempotency_key, e.execution_partition, e.execution_id, e.expires_at_ms,
    e.request_digest, e.first_state
  FROM ff_idempotency_key AS e
  WHERE e.partition_key = u.partition_key AND e.namespace = u.namespace AND e.idempotency_key = u.idempotency_key
  FOR UPDATE OF e SKIP LOCKED OFFSET 0) AS f;

-- lock_keys_single
SELECT e.namespace, e.idempotency_key, e.execution_partition, e.execution_id, e.expires_at_ms, e.request_digest,
    e.first_state
  FROM (SELECT $1::smallint AS partition_key, $2::text AS namespace, $3::text AS idempotency_key) AS u,
    ff_idempotency_key AS e
  WHERE e.partition_key = u.partition_key AND e.namespace = u.namespace AND e.idempotency_key = u.idempotency_key
  FOR UPDATE OF e SKIP LOCKED;

-- lock_keys_patiently
SELECT f.*
  FROM unnest($1::smallint[], $2::text[], $3::text[]) AS u(partition_key, namespace, idempotency_key)
  CROSS
  JOIN LATERAL (SELECT e.namespace, e.idempotency_key, e.execution_partition, e.execution_id, e.expires_at_ms,
    e.request_digest, e.first_state
  FROM ff_idempotency_key AS e
  WHERE e.partition_key = u.partition_key AND e.namespace = u.namespace AND e.idempotency_key = u.idempotency_key
  FOR UPDATE OF e OFFSET 0) AS f;

-- lock_keys_patiently_single
SELECT e.namespace, e.idempotency_key, e.execution_partition, e.execution_id, e.expires_at_ms, e.request_digest,
    e.first_state
  FROM (SELECT $1::smallint AS partition_key, $2::text AS namespace, $3::text AS idempotency_key) AS u,
    ff_idempotency_key AS e
  WHERE e.partition_key = u.partition_key AND e.namespace = u.namespace AND e.idempotency_key = u.idempotency_key
  FOR UPDATE OF e;

-- find_keys
SELECT f.*
  FROM unnest($1::smallint[], $2::text[], $3::text[]) AS u(partition_key, namespace, idempotency_key)
  CROSS
  JOIN LATERAL (SELECT e.namespace, e.idempotency_key
  FROM ff_idempotency_key AS e
  WHERE e.partition_key = u.partition_key AND e.namespace = u.namespace AND e.idempotency_key = u.idempotency_key OFFSET
    0) AS f;

-- lock_executions
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT ROW(e.partition_key, e.execution_id, e.created_at_ms, e.class_id, e.lane_id, e.namespace,
    e.execution_kind, e.creator_identity, e.idempotency_key, e.payload_encoding, e.required_capabilities, e.policy,
    e.own_retention_ms, e.node_name, e.traceparent, e.tracestate, e.flow_id, e.priority, e.tags, e.instance_tag,
    e.deadline_at_ms, e.deadline_check_at_ms, e.retry_count, e.replay_count, e.lease_reclaim_count, e.deps_blocked,
    e.blocking_detail, e.failure_reason, e.failure_category, e.result_encoding, e.cancellation_reason, e.cancelled_by,
    e.cancellation_cause, e.progress_pct, e.progress_message, e.progress_updated_at_ms, e.activity_epoch,
    e.attempt_time_left_ms, e.last_release, e.grant_until_ms, e.has_waitpoints, e.signal_count, e.has_stream,
    e.current_suspension_id, e.current_waitpoint_id, e.lifecycle_phase, e.ownership_state, e.eligibility_state,
    e.public_state, e.attempt_state, e.blocking_reason, e.terminal_outcome, e.attempt_index, e.total_attempt_count,
    e.lease_epoch, e.attempt_id, e.attempt_type, e.attempt_started_at_ms, e.previous_attempt_index, e.interrupt_cause,
    e.lease_id, e.worker_id, e.worker_instance_id, e.lease_acquired_at_ms, e.lease_expires_at_ms,
    e.lease_last_renewed_at_ms, e.lease_check_at_ms, e.reclaimable_since_ms, e.delay_until_ms, e.attempt_deadline_at_ms,
    e.started_at_ms, e.terminal_at_ms, e.last_transition_at_ms, e.last_mutation_at_ms, e.claim_class)
  FROM ff_exec_core AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id
  FOR UPDATE OF e SKIP LOCKED OFFSET 0) AS f;

-- lock_executions_single
SELECT ROW(e.partition_key, e.execution_id, e.created_at_ms, e.class_id, e.lane_id, e.namespace, e.execution_kind,
    e.creator_identity, e.idempotency_key, e.payload_encoding, e.required_capabilities, e.policy, e.own_retention_ms,
    e.node_name, e.traceparent, e.tracestate, e.flow_id, e.priority, e.tags, e.instance_tag, e.deadline_at_ms,
    e.deadline_check_at_ms, e.retry_count, e.replay_count, e.lease_reclaim_count, e.deps_blocked, e.blocking_detail,
    e.failure_reason, e.failure_category, e.result_encoding, e.cancellation_reason, e.cancelled_by,
    e.cancellation_cause, e.progress_pct, e.progress_message, e.progress_updated_at_ms, e.activity_epoch,
    e.attempt_time_left_ms, e.last_release, e.grant_until_ms, e.has_waitpoints, e.signal_count, e.has_stream,
    e.current_suspension_id, e.current_waitpoint_id, e.lifecycle_phase, e.ownership_state, e.eligibility_state,
    e.public_state, e.attempt_state, e.blocking_reason, e.terminal_outcome, e.attempt_index, e.total_attempt_count,
    e.lease_epoch, e.attempt_id, e.attempt_type, e.attempt_started_at_ms, e.previous_attempt_index, e.interrupt_cause,
    e.lease_id, e.worker_id, e.worker_instance_id, e.lease_acquired_at_ms, e.lease_expires_at_ms,
    e.lease_last_renewed_at_ms, e.lease_check_at_ms, e.reclaimable_since_ms, e.delay_until_ms, e.attempt_deadline_at_ms,
    e.started_at_ms, e.terminal_at_ms, e.last_transition_at_ms, e.last_mutation_at_ms, e.claim_class)
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_exec_core AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id
  FOR UPDATE OF e SKIP LOCKED;

-- lock_executions_patiently
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT ROW(e.partition_key, e.execution_id, e.created_at_ms, e.class_id, e.lane_id, e.namespace,
    e.execution_kind, e.creator_identity, e.idempotency_key, e.payload_encoding, e.required_capabilities, e.policy,
    e.own_retention_ms, e.node_name, e.traceparent, e.tracestate, e.flow_id, e.priority, e.tags, e.instance_tag,
    e.deadline_at_ms, e.deadline_check_at_ms, e.retry_count, e.replay_count, e.lease_reclaim_count, e.deps_blocked,
    e.blocking_detail, e.failure_reason, e.failure_category, e.result_encoding, e.cancellation_reason, e.cancelled_by,
    e.cancellation_cause, e.progress_pct, e.progress_message, e.progress_updated_at_ms, e.activity_epoch,
    e.attempt_time_left_ms, e.last_release, e.grant_until_ms, e.has_waitpoints, e.signal_count, e.has_stream,
    e.current_suspension_id, e.current_waitpoint_id, e.lifecycle_phase, e.ownership_state, e.eligibility_state,
    e.public_state, e.attempt_state, e.blocking_reason, e.terminal_outcome, e.attempt_index, e.total_attempt_count,
    e.lease_epoch, e.attempt_id, e.attempt_type, e.attempt_started_at_ms, e.previous_attempt_index, e.interrupt_cause,
    e.lease_id, e.worker_id, e.worker_instance_id, e.lease_acquired_at_ms, e.lease_expires_at_ms,
    e.lease_last_renewed_at_ms, e.lease_check_at_ms, e.reclaimable_since_ms, e.delay_until_ms, e.attempt_deadline_at_ms,
    e.started_at_ms, e.terminal_at_ms, e.last_transition_at_ms, e.last_mutation_at_ms, e.claim_class)
  FROM ff_exec_core AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id
  FOR UPDATE OF e OFFSET 0) AS f;

-- lock_executions_patiently_single
SELECT ROW(e.partition_key, e.execution_id, e.created_at_ms, e.class_id, e.lane_id, e.namespace, e.execution_kind,
    e.creator_identity, e.idempotency_key, e.payload_encoding, e.required_capabilities, e.policy, e.own_retention_ms,
    e.node_name, e.traceparent, e.tracestate, e.flow_id, e.priority, e.tags, e.instance_tag, e.deadline_at_ms,
    e.deadline_check_at_ms, e.retry_count, e.replay_count, e.lease_reclaim_count, e.deps_blocked, e.blocking_detail,
    e.failure_reason, e.failure_category, e.result_encoding, e.cancellation_reason, e.cancelled_by,
    e.cancellation_cause, e.progress_pct, e.progress_message, e.progress_updated_at_ms, e.activity_epoch,
    e.attempt_time_left_ms, e.last_release, e.grant_until_ms, e.has_waitpoints, e.signal_count, e.has_stream,
    e.current_suspension_id, e.current_waitpoint_id, e.lifecycle_phase, e.ownership_state, e.eligibility_state,
    e.public_state, e.attempt_state, e.blocking_reason, e.terminal_outcome, e.attempt_index, e.total_attempt_count,
    e.lease_epoch, e.attempt_id, e.attempt_type, e.attempt_started_at_ms, e.previous_attempt_index, e.interrupt_cause,
    e.lease_id, e.worker_id, e.worker_instance_id, e.lease_acquired_at_ms, e.lease_expires_at_ms,
    e.lease_last_renewed_at_ms, e.lease_check_at_ms, e.reclaimable_since_ms, e.delay_until_ms, e.attempt_deadline_at_ms,
    e.started_at_ms, e.terminal_at_ms, e.last_transition_at_ms, e.last_mutation_at_ms, e.claim_class)
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_exec_core AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id
  FOR UPDATE OF e;

-- find_executions
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id
  FROM ff_exec_core AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- find_inputs
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.payload
  FROM ff_exec_core AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- find_inputs_single
SELECT e.partition_key, e.execution_id, e.payload
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_exec_core AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- find_signals
SELECT s.*
  FROM unnest($1::smallint[], $2::uuid[], $3::integer[]) AS u(partition_key, execution_id, replay_count)
  CROSS
  JOIN LATERAL (SELECT m.partition_key, m.execution_id, m.seq, m.signal_id, m.waitpoint_id, m.waitpoint_key,
    m.signal_name, m.signal_category, m.source_type, m.source_identity, m.correlation_id, m.idempotency_key,
    m.payload_encoding, m.target_scope, m.created_at_ms, m.accepted_at_ms, m.observed_effect, m.matched, m.live,
    m.suspension_id, m.satisfied, m.replay_count, m.payload
  FROM (SELECT e.*, p.payload, sum(octet_length(p.payload)) OVER (ORDER BY e.satisfied DESC, e.seq ROWS BETWEEN
    UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
  FROM (SELECT e.*
  FROM ff_signal AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.replay_count = u.replay_count
  ORDER BY e.satisfied DESC, e.seq
  LIMIT 101) AS e
  LEFT
  JOIN LATERAL (SELECT p.payload
  FROM ff_signal_payload AS p
  WHERE p.partition_key = e.partition_key AND p.execution_id = e.execution_id AND p.seq = e.seq OFFSET 0) AS p
  ON true) AS m
  WHERE coalesce(m.before, 0) <= 65536) AS s;

-- find_signals_single
SELECT s.*
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id, $3::integer AS replay_count) AS u
  CROSS
  JOIN LATERAL (SELECT m.partition_key, m.execution_id, m.seq, m.signal_id, m.waitpoint_id, m.waitpoint_key,
    m.signal_name, m.signal_category, m.source_type, m.source_identity, m.correlation_id, m.idempotency_key,
    m.payload_encoding, m.target_scope, m.created_at_ms, m.accepted_at_ms, m.observed_effect, m.matched, m.live,
    m.suspension_id, m.satisfied, m.replay_count, m.payload
  FROM (SELECT e.*, p.payload, sum(octet_length(p.payload)) OVER (ORDER BY e.satisfied DESC, e.seq ROWS BETWEEN
    UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
  FROM (SELECT e.*
  FROM ff_signal AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.replay_count = u.replay_count
  ORDER BY e.satisfied DESC, e.seq
  LIMIT 101) AS e
  LEFT
  JOIN LATERAL (SELECT p.payload
  FROM ff_signal_payload AS p
  WHERE p.partition_key = e.partition_key AND p.execution_id = e.execution_id AND p.seq = e.seq OFFSET 0) AS p
  ON true) AS m
  WHERE coalesce(m.before, 0) <= 65536) AS s;

-- lock_children
SELECT c.*
  FROM (SELECT e.partition_key, e.downstream_eid
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, flow_id)
  CROSS
  JOIN LATERAL (SELECT e.*
  FROM ff_edge_group AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id AND e.group_state = 'pending' OFFSET 0) AS e) AS g
  CROSS
  JOIN LATERAL (SELECT ROW(e.partition_key, e.execution_id, e.created_at_ms, e.class_id, e.lane_id, e.namespace,
    e.execution_kind, e.creator_identity, e.idempotency_key, e.payload_encoding, e.required_capabilities, e.policy,
    e.own_retention_ms, e.node_name, e.traceparent, e.tracestate, e.flow_id, e.priority, e.tags, e.instance_tag,
    e.deadline_at_ms, e.deadline_check_at_ms, e.retry_count, e.replay_count, e.lease_reclaim_count, e.deps_blocked,
    e.blocking_detail, e.failure_reason, e.failure_category, e.result_encoding, e.cancellation_reason, e.cancelled_by,
    e.cancellation_cause, e.progress_pct, e.progress_message, e.progress_updated_at_ms, e.activity_epoch,
    e.attempt_time_left_ms, e.last_release, e.grant_until_ms, e.has_waitpoints, e.signal_count, e.has_stream,
    e.current_suspension_id, e.current_waitpoint_id, e.lifecycle_phase, e.ownership_state, e.eligibility_state,
    e.public_state, e.attempt_state, e.blocking_reason, e.terminal_outcome, e.attempt_index, e.total_attempt_count,
    e.lease_epoch, e.attempt_id, e.attempt_type, e.attempt_started_at_ms, e.previous_attempt_index, e.interrupt_cause,
    e.lease_id, e.worker_id, e.worker_instance_id, e.lease_acquired_at_ms, e.lease_expires_at_ms,
    e.lease_last_renewed_at_ms, e.lease_check_at_ms, e.reclaimable_since_ms, e.delay_until_ms, e.attempt_deadline_at_ms,
    e.started_at_ms, e.terminal_at_ms, e.last_transition_at_ms, e.last_mutation_at_ms, e.claim_class)
  FROM ff_exec_core AS e
  WHERE e.partition_key = g.partition_key AND e.execution_id = g.downstream_eid
  FOR UPDATE SKIP LOCKED) AS c;

-- lock_children_patiently
SELECT c.*
  FROM (SELECT e.partition_key, e.downstream_eid
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, flow_id)
  CROSS
  JOIN LATERAL (SELECT e.*
  FROM ff_edge_group AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id AND e.group_state = 'pending' OFFSET 0) AS e) AS g
  CROSS
  JOIN LATERAL (SELECT ROW(e.partition_key, e.execution_id, e.created_at_ms, e.class_id, e.lane_id, e.namespace,
    e.execution_kind, e.creator_identity, e.idempotency_key, e.payload_encoding, e.required_capabilities, e.policy,
    e.own_retention_ms, e.node_name, e.traceparent, e.tracestate, e.flow_id, e.priority, e.tags, e.instance_tag,
    e.deadline_at_ms, e.deadline_check_at_ms, e.retry_count, e.replay_count, e.lease_reclaim_count, e.deps_blocked,
    e.blocking_detail, e.failure_reason, e.failure_category, e.result_encoding, e.cancellation_reason, e.cancelled_by,
    e.cancellation_cause, e.progress_pct, e.progress_message, e.progress_updated_at_ms, e.activity_epoch,
    e.attempt_time_left_ms, e.last_release, e.grant_until_ms, e.has_waitpoints, e.signal_count, e.has_stream,
    e.current_suspension_id, e.current_waitpoint_id, e.lifecycle_phase, e.ownership_state, e.eligibility_state,
    e.public_state, e.attempt_state, e.blocking_reason, e.terminal_outcome, e.attempt_index, e.total_attempt_count,
    e.lease_epoch, e.attempt_id, e.attempt_type, e.attempt_started_at_ms, e.previous_attempt_index, e.interrupt_cause,
    e.lease_id, e.worker_id, e.worker_instance_id, e.lease_acquired_at_ms, e.lease_expires_at_ms,
    e.lease_last_renewed_at_ms, e.lease_check_at_ms, e.reclaimable_since_ms, e.delay_until_ms, e.attempt_deadline_at_ms,
    e.started_at_ms, e.terminal_at_ms, e.last_transition_at_ms, e.last_mutation_at_ms, e.claim_class)
  FROM ff_exec_core AS e
  WHERE e.partition_key = g.partition_key AND e.execution_id = g.downstream_eid
  FOR UPDATE) AS c;

-- find_children
SELECT c.*
  FROM (SELECT e.partition_key, e.downstream_eid
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, flow_id)
  CROSS
  JOIN LATERAL (SELECT e.*
  FROM ff_edge_group AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id AND e.group_state = 'pending' OFFSET 0) AS e) AS g
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id
  FROM ff_exec_core AS e
  WHERE e.partition_key = g.partition_key AND e.execution_id = g.downstream_eid
  LIMIT 1) AS c;

-- lock_live_members
SELECT l.*
  FROM (SELECT e.partition_key, e.execution_id, e.lifecycle_phase, ROW(e.partition_key, e.execution_id, e.created_at_ms,
    e.class_id, e.lane_id, e.namespace, e.execution_kind, e.creator_identity, e.idempotency_key, e.payload_encoding,
    e.required_capabilities, e.policy, e.own_retention_ms, e.node_name, e.traceparent, e.tracestate, e.flow_id,
    e.priority, e.tags, e.instance_tag, e.deadline_at_ms, e.deadline_check_at_ms, e.retry_count, e.replay_count,
    e.lease_reclaim_count, e.deps_blocked, e.blocking_detail, e.failure_reason, e.failure_category, e.result_encoding,
    e.cancellation_reason, e.cancelled_by, e.cancellation_cause, e.progress_pct, e.progress_message,
    e.progress_updated_at_ms, e.activity_epoch, e.attempt_time_left_ms, e.last_release, e.grant_until_ms,
    e.has_waitpoints, e.signal_count, e.has_stream, e.current_suspension_id, e.current_waitpoint_id, e.lifecycle_phase,
    e.ownership_state, e.eligibility_state, e.public_state, e.attempt_state, e.blocking_reason, e.terminal_outcome,
    e.attempt_index, e.total_attempt_count, e.lease_epoch, e.attempt_id, e.attempt_type, e.attempt_started_at_ms,
    e.previous_attempt_index, e.interrupt_cause, e.lease_id, e.worker_id, e.worker_instance_id, e.lease_acquired_at_ms,
    e.lease_expires_at_ms, e.lease_last_renewed_at_ms, e.lease_check_at_ms, e.reclaimable_since_ms, e.delay_until_ms,
    e.attempt_deadline_at_ms, e.started_at_ms, e.terminal_at_ms, e.last_transition_at_ms, e.last_mutation_at_ms,
    e.claim_class) AS record
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS flow_id) AS u, ff_exec_core AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id AND e.lifecycle_phase <> 'terminal'
  LIMIT $3::bigint
  FOR UPDATE OF e SKIP LOCKED) AS l
  UNION ALL
  SELECT e.partition_key, e.execution_id, e.lifecycle_phase, NULL
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS flow_id) AS u, ff_exec_core AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id AND e.lifecycle_phase <> 'terminal';

-- lock_ends
SELECT e.event_id
  FROM ff_completion_event AS e
  WHERE e.event_id = ANY($1::bigint[]) AND e.dispatched_at_ms IS NULL
  ORDER BY e.event_id
  FOR UPDATE;

-- lock_claimable
(SELECT c.record
  FROM unnest($4::integer[]) AS k(class_id)
  CROSS
  JOIN LATERAL (SELECT e.priority, e.created_at_ms, e.execution_id, ROW(e.partition_key, e.execution_id,
    e.created_at_ms, e.class_id, e.lane_id, e.namespace, e.execution_kind, e.creator_identity, e.idempotency_key,
    e.payload_encoding, e.required_capabilities, e.policy, e.own_retention_ms, e.node_name, e.traceparent, e.tracestate,
    e.flow_id, e.priority, e.tags, e.instance_tag, e.deadline_at_ms, e.deadline_check_at_ms, e.retry_count,
    e.replay_count, e.lease_reclaim_count, e.deps_blocked, e.blocking_detail, e.failure_reason, e.failure_category,
    e.result_encoding, e.cancellation_reason, e.cancelled_by, e.cancellation_cause, e.progress_pct, e.progress_message,
    e.progress_updated_at_ms, e.activity_epoch, e.attempt_time_left_ms, e.last_release, e.grant_until_ms,
    e.has_waitpoints, e.signal_count, e.has_stream, e.current_suspension_id, e.current_waitpoint_id, e.lifecycle_phase,
    e.ownership_state, e.eligibility_state, e.public_state, e.attempt_state, e.blocking_reason, e.terminal_outcome,
    e.attempt_index, e.total_attempt_count, e.lease_epoch, e.attempt_id, e.attempt_type, e.attempt_started_at_ms,
    e.previous_attempt_index, e.interrupt_cause, e.lease_id, e.worker_id, e.worker_instance_id, e.lease_acquired_at_ms,
    e.lease_expires_at_ms, e.lease_last_renewed_at_ms, e.lease_check_at_ms, e.reclaimable_since_ms, e.delay_until_ms,
    e.attempt_deadline_at_ms, e.started_at_ms, e.terminal_at_ms, e.last_transition_at_ms, e.last_mutation_at_ms,
    e.claim_class, CASE WHEN octet_length(e.payload) <= 16384 THEN e.payload END, octet_length(e.payload)) AS record
  FROM ff_exec_core AS e
  WHERE e.class_id = k.class_id AND e.reclaimable_since_ms IS NOT NULL AND (e.grant_until_ms IS NULL OR e.grant_until_ms
    <= coalesce($3::bigint, floor(extract(epoch
  FROM clock_timestamp()) * 1000)::bigint))
  ORDER BY e.priority DESC, e.created_at_ms, e.execution_id
  LIMIT $1::bigint
  FOR UPDATE SKIP LOCKED) AS c
  ORDER BY c.priority DESC, c.created_at_ms, c.execution_id
  LIMIT $1::bigint)
  UNION ALL (SELECT c.record
  FROM ((SELECT c.record
  FROM unnest($9::integer[], $10::integer[]) AS p(first, last)
  CROSS
  JOIN LATERAL (SELECT r.*
  FROM generate_series(p.first, p.last) AS l(n)
  CROSS
  JOIN LATERAL (SELECT e.priority, e.created_at_ms, e.execution_id, ROW(e.partition_key, e.execution_id,
    e.created_at_ms, e.class_id, e.lane_id, e.namespace, e.execution_kind, e.creator_identity, e.idempotency_key,
    e.payload_encoding, e.required_capabilities, e.policy, e.own_retention_ms, e.node_name, e.traceparent, e.tracestate,
    e.flow_id, e.priority, e.tags, e.instance_tag, e.deadline_at_ms, e.deadline_check_at_ms, e.retry_count,
    e.replay_count, e.lease_reclaim_count, e.deps_blocked, e.blocking_detail, e.failure_reason, e.failure_category,
    e.result_encoding, e.cancellation_reason, e.cancelled_by, e.cancellation_cause, e.progress_pct, e.progress_message,
    e.progress_updated_at_ms, e.activity_epoch, e.attempt_time_left_ms, e.last_release, e.grant_until_ms,
    e.has_waitpoints, e.signal_count, e.has_stream, e.current_suspension_id, e.current_waitpoint_id, e.lifecycle_phase,
    e.ownership_state, e.eligibility_state, e.public_state, e.attempt_state, e.blocking_reason, e.terminal_outcome,
    e.attempt_index, e.total_attempt_count, e.lease_epoch, e.attempt_id, e.attempt_type, e.attempt_started_at_ms,
    e.previous_attempt_index, e.interrupt_cause, e.lease_id, e.worker_id, e.worker_instance_id, e.lease_acquired_at_ms,
    e.lease_expires_at_ms, e.lease_last_renewed_at_ms, e.lease_check_at_ms, e.reclaimable_since_ms, e.delay_until_ms,
    e.attempt_deadline_at_ms, e.started_at_ms, e.terminal_at_ms, e.last_transition_at_ms, e.last_mutation_at_ms,
    e.claim_class, CASE WHEN octet_length(e.payload) <= 16384 THEN e.payload END, octet_length(e.payload)) AS record
  FROM ff_exec_core AS e
  WHERE e.claim_class = ($5::integer[])[l.n] AND e.priority = ($6::integer[])[l.n] AND (e.grant_until_ms IS NULL OR
    e.grant_until_ms <= coalesce($3::bigint, floor(extract(epoch
  FROM clock_timestamp()) * 1000)::bigint)) AND (e.created_at_ms, e.execution_id) >= (($7::bigint[])[l.n],
    ($8::uuid[])[l.n])
  ORDER BY e.created_at_ms, e.execution_id
  LIMIT $2::bigint
  FOR UPDATE SKIP LOCKED) AS r
  ORDER BY r.created_at_ms, r.execution_id
  LIMIT $1::bigint) AS c)
  UNION ALL (SELECT c.record
  FROM unnest($11::integer[], $12::integer[]) AS t(class_id, below)
  CROSS
  JOIN LATERAL (SELECT e.priority, e.created_at_ms, e.execution_id, ROW(e.partition_key, e.execution_id,
    e.created_at_ms, e.class_id, e.lane_id, e.namespace, e.execution_kind, e.creator_identity, e.idempotency_key,
    e.payload_encoding, e.required_capabilities, e.policy, e.own_retention_ms, e.node_name, e.traceparent, e.tracestate,
    e.flow_id, e.priority, e.tags, e.instance_tag, e.deadline_at_ms, e.deadline_check_at_ms, e.retry_count,
    e.replay_count, e.lease_reclaim_count, e.deps_blocked, e.blocking_detail, e.failure_reason, e.failure_category,
    e.result_encoding, e.cancellation_reason, e.cancelled_by, e.cancellation_cause, e.progress_pct, e.progress_message,
    e.progress_updated_at_ms, e.activity_epoch, e.attempt_time_left_ms, e.last_release, e.grant_until_ms,
    e.has_waitpoints, e.signal_count, e.has_stream, e.current_suspension_id, e.current_waitpoint_id, e.lifecycle_phase,
    e.ownership_state, e.eligibility_state, e.public_state, e.attempt_state, e.blocking_reason, e.terminal_outcome,
    e.attempt_index, e.total_attempt_count, e.lease_epoch, e.attempt_id, e.attempt_type, e.attempt_started_at_ms,
    e.previous_attempt_index, e.interrupt_cause, e.lease_id, e.worker_id, e.worker_instance_id, e.lease_acquired_at_ms,
    e.lease_expires_at_ms, e.lease_last_renewed_at_ms, e.lease_check_at_ms, e.reclaimable_since_ms, e.delay_until_ms,
    e.attempt_deadline_at_ms, e.started_at_ms, e.terminal_at_ms, e.last_transition_at_ms, e.last_mutation_at_ms,
    e.claim_class, CASE WHEN octet_length(e.payload) <= 16384 THEN e.payload END, octet_length(e.payload)) AS record
  FROM ff_exec_core AS e
  WHERE e.claim_class = t.class_id AND e.priority < t.below AND e.priority >= $13::integer AND (e.grant_until_ms IS NULL
    OR e.grant_until_ms <= coalesce($3::bigint, floor(extract(epoch
  FROM clock_timestamp()) * 1000)::bigint))
  ORDER BY e.priority DESC, e.created_at_ms, e.execution_id
  LIMIT $2::bigint
  FOR UPDATE SKIP LOCKED) AS c
  ORDER BY c.priority DESC, c.created_at_ms, c.execution_id
  LIMIT $1::bigint)) AS c
  LIMIT $1::bigint);

-- lock_best_claimable
(SELECT c.record
  FROM unnest($4::integer[]) AS k(class_id)
  CROSS
  JOIN LATERAL (SELECT e.priority, e.created_at_ms, e.execution_id, ROW(e.partition_key, e.execution_id,
    e.created_at_ms, e.class_id, e.lane_id, e.namespace, e.execution_kind, e.creator_identity, e.idempotency_key,
    e.payload_encoding, e.required_capabilities, e.policy, e.own_retention_ms, e.node_name, e.traceparent, e.tracestate,
    e.flow_id, e.priority, e.tags, e.instance_tag, e.deadline_at_ms, e.deadline_check_at_ms, e.retry_count,
    e.replay_count, e.lease_reclaim_count, e.deps_blocked, e.blocking_detail, e.failure_reason, e.failure_category,
    e.result_encoding, e.cancellation_reason, e.cancelled_by, e.cancellation_cause, e.progress_pct, e.progress_message,
    e.progress_updated_at_ms, e.activity_epoch, e.attempt_time_left_ms, e.last_release, e.grant_until_ms,
    e.has_waitpoints, e.signal_count, e.has_stream, e.current_suspension_id, e.current_waitpoint_id, e.lifecycle_phase,
    e.ownership_state, e.eligibility_state, e.public_state, e.attempt_state, e.blocking_reason, e.terminal_outcome,
    e.attempt_index, e.total_attempt_count, e.lease_epoch, e.attempt_id, e.attempt_type, e.attempt_started_at_ms,
    e.previous_attempt_index, e.interrupt_cause, e.lease_id, e.worker_id, e.worker_instance_id, e.lease_acquired_at_ms,
    e.lease_expires_at_ms, e.lease_last_renewed_at_ms, e.lease_check_at_ms, e.reclaimable_since_ms, e.delay_until_ms,
    e.attempt_deadline_at_ms, e.started_at_ms, e.terminal_at_ms, e.last_transition_at_ms, e.last_mutation_at_ms,
    e.claim_class, CASE WHEN octet_length(e.payload) <= 16384 THEN e.payload END, octet_length(e.payload)) AS record
  FROM ff_exec_core AS e
  WHERE e.class_id = k.class_id AND e.reclaimable_since_ms IS NOT NULL AND (e.grant_until_ms IS NULL OR e.grant_until_ms
    <= coalesce($3::bigint, floor(extract(epoch
  FROM clock_timestamp()) * 1000)::bigint))
  ORDER BY e.priority DESC, e.created_at_ms, e.execution_id
  LIMIT $1::bigint
  FOR UPDATE SKIP LOCKED) AS c
  ORDER BY c.priority DESC, c.created_at_ms, c.execution_id
  LIMIT $1::bigint)
  UNION ALL (SELECT c.record
  FROM (SELECT h.class_id
  FROM (SELECT k.class_id, h.priority, h.created_at_ms, h.execution_id
  FROM unnest($5::integer[]) AS k(class_id)
  CROSS
  JOIN LATERAL (SELECT e.priority, e.created_at_ms, e.execution_id
  FROM ff_exec_core AS e
  WHERE e.claim_class = k.class_id AND (e.grant_until_ms IS NULL OR e.grant_until_ms <= coalesce($3::bigint,
    floor(extract(epoch
  FROM clock_timestamp()) * 1000)::bigint))
  ORDER BY e.priority DESC, e.created_at_ms, e.execution_id
  LIMIT 1) AS h) AS h
  ORDER BY h.priority DESC, h.created_at_ms, h.execution_id
  LIMIT $6::bigint) AS t
  CROSS
  JOIN LATERAL (SELECT e.priority, e.created_at_ms, e.execution_id, ROW(e.partition_key, e.execution_id,
    e.created_at_ms, e.class_id, e.lane_id, e.namespace, e.execution_kind, e.creator_identity, e.idempotency_key,
    e.payload_encoding, e.required_capabilities, e.policy, e.own_retention_ms, e.node_name, e.traceparent, e.tracestate,
    e.flow_id, e.priority, e.tags, e.instance_tag, e.deadline_at_ms, e.deadline_check_at_ms, e.retry_count,
    e.replay_count, e.lease_reclaim_count, e.deps_blocked, e.blocking_detail, e.failure_reason, e.failure_category,
    e.result_encoding, e.cancellation_reason, e.cancelled_by, e.cancellation_cause, e.progress_pct, e.progress_message,
    e.progress_updated_at_ms, e.activity_epoch, e.attempt_time_left_ms, e.last_release, e.grant_until_ms,
    e.has_waitpoints, e.signal_count, e.has_stream, e.current_suspension_id, e.current_waitpoint_id, e.lifecycle_phase,
    e.ownership_state, e.eligibility_state, e.public_state, e.attempt_state, e.blocking_reason, e.terminal_outcome,
    e.attempt_index, e.total_attempt_count, e.lease_epoch, e.attempt_id, e.attempt_type, e.attempt_started_at_ms,
    e.previous_attempt_index, e.interrupt_cause, e.lease_id, e.worker_id, e.worker_instance_id, e.lease_acquired_at_ms,
    e.lease_expires_at_ms, e.lease_last_renewed_at_ms, e.lease_check_at_ms, e.reclaimable_since_ms, e.delay_until_ms,
    e.attempt_deadline_at_ms, e.started_at_ms, e.terminal_at_ms, e.last_transition_at_ms, e.last_mutation_at_ms,
    e.claim_class, CASE WHEN octet_length(e.payload) <= 16384 THEN e.payload END, octet_length(e.payload)) AS record
  FROM ff_exec_core AS e
  WHERE e.claim_class = t.class_id AND (e.grant_until_ms IS NULL OR e.grant_until_ms <= coalesce($3::bigint,
    floor(extract(epoch
  FROM clock_timestamp()) * 1000)::bigint))
  ORDER BY e.priority DESC, e.created_at_ms, e.execution_id
  LIMIT $2::bigint
  FOR UPDATE SKIP LOCKED) AS c
  ORDER BY c.priority DESC, c.created_at_ms, c.execution_id
  LIMIT $1::bigint);

-- heads
SELECT k.class_id, h.priority, h.created_at_ms, h.execution_id
  FROM unnest($1::integer[]) AS k(class_id)
  CROSS
  JOIN LATERAL (SELECT e.priority, e.created_at_ms, e.execution_id
  FROM ff_exec_core AS e
  WHERE e.claim_class = k.class_id AND (e.grant_until_ms IS NULL OR e.grant_until_ms <= coalesce($2::bigint,
    floor(extract(epoch
  FROM clock_timestamp()) * 1000)::bigint))
  ORDER BY e.priority DESC, e.created_at_ms, e.execution_id
  LIMIT 1) AS h;

-- clock
SELECT floor(extract(epoch
  FROM clock_timestamp()) * 1000)::bigint, c.lane_revision, c.setting_revision
  FROM ff_partition_config AS c
  WHERE c.singleton;

-- put_keys
WITH changed AS (INSERT INTO ff_idempotency_key AS k (partition_key, namespace, idempotency_key, execution_partition,
    execution_id, expires_at_ms, request_digest, first_state)
  SELECT u.partition_key, u.namespace, u.idempotency_key, u.execution_partition, u.execution_id, u.expires_at_ms,
    u.request_digest, u.first_state
  FROM unnest($1::smallint[], $2::text[], $3::text[], $4::smallint[], $5::uuid[], $6::bigint[], $7::text[], $8::text[])
    AS u(partition_key, namespace, idempotency_key, execution_partition, execution_id, expires_at_ms, request_digest,
    first_state)
  ON CONFLICT (partition_key, namespace, idempotency_key) DO UPDATE
  SET execution_partition = excluded.execution_partition, execution_id = excluded.execution_id, expires_at_ms =
    excluded.expires_at_ms, request_digest = excluded.request_digest, first_state = excluded.first_state
  WHERE k.expires_at_ms <= $10::bigint
  RETURNING 1)
  SELECT 1 / (count(*) = $9::bigint)::integer
  FROM changed;

-- put_keys_single
WITH changed AS (INSERT INTO ff_idempotency_key AS k (partition_key, namespace, idempotency_key, execution_partition,
    execution_id, expires_at_ms, request_digest, first_state)
  SELECT $1::smallint, $2::text, $3::text, $4::smallint, $5::uuid, $6::bigint, $7::text, $8::text
  ON CONFLICT (partition_key, namespace, idempotency_key) DO UPDATE
  SET execution_partition = excluded.execution_partition, execution_id = excluded.execution_id, expires_at_ms =
    excluded.expires_at_ms, request_digest = excluded.request_digest, first_state = excluded.first_state
  WHERE k.expires_at_ms <= $10::bigint
  RETURNING 1)
  SELECT 1 / (count(*) = $9::bigint)::integer
  FROM changed;

-- insert_executions
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
    last_mutation_at_ms, claim_class, payload, result)
  SELECT u.partition_key, u.execution_id, u.created_at_ms, u.class_id, u.lane_id, u.namespace, u.execution_kind,
    u.creator_identity, u.idempotency_key, u.payload_encoding, string_to_array(u.required_capabilities, '\n'), u.policy,
    u.own_retention_ms, u.node_name, u.traceparent, u.tracestate, u.flow_id, u.priority, u.tags, u.instance_tag,
    u.deadline_at_ms, u.deadline_check_at_ms, u.retry_count, u.replay_count, u.lease_reclaim_count, u.deps_blocked,
    u.blocking_detail, u.failure_reason, u.failure_category, u.result_encoding, u.cancellation_reason, u.cancelled_by,
    u.cancellation_cause, u.progress_pct, u.progress_message, u.progress_updated_at_ms, u.activity_epoch,
    u.attempt_time_left_ms, u.last_release, u.grant_until_ms, u.has_waitpoints, u.signal_count, u.has_stream,
    u.current_suspension_id, u.current_waitpoint_id, u.lifecycle_phase, u.ownership_state, u.eligibility_state,
    u.public_state, u.attempt_state, u.blocking_reason, u.terminal_outcome, u.attempt_index, u.total_attempt_count,
    u.lease_epoch, u.attempt_id, u.attempt_type, u.attempt_started_at_ms, u.previous_attempt_index, u.interrupt_cause,
    u.lease_id, u.worker_id, u.worker_instance_id, u.lease_acquired_at_ms, u.lease_expires_at_ms,
    u.lease_last_renewed_at_ms, u.lease_check_at_ms, u.reclaimable_since_ms, u.delay_until_ms, u.attempt_deadline_at_ms,
    u.started_at_ms, u.terminal_at_ms, u.last_transition_at_ms, u.last_mutation_at_ms, u.claim_class, u.payload,
    u.result
  FROM unnest($1::smallint[], $2::uuid[], $3::bigint[], $4::integer[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::text[], $11::text[], $12::jsonb[], $13::bigint[], $14::text[], $15::text[], $16::text[],
    $17::uuid[], $18::integer[], $19::jsonb[], $20::text[], $21::bigint[], $22::bigint[], $23::integer[],
    $24::integer[], $25::integer[], $26::boolean[], $27::text[], $28::text[], $29::text[], $30::text[], $31::text[],
    $32::text[], $33::text[], $34::integer[], $35::text[], $36::bigint[], $37::bigint[], $38::bigint[], $39::text[],
    $40::bigint[], $41::boolean[], $42::integer[], $43::boolean[], $44::uuid[], $45::uuid[], $46::text[], $47::text[],
    $48::text[], $49::text[], $50::text[], $51::text[], $52::text[], $53::integer[], $54::integer[], $55::bigint[],
    $56::uuid[], $57::text[], $58::bigint[], $59::integer[], $60::text[], $61::uuid[], $62::text[], $63::text[],
    $64::bigint[], $65::bigint[], $66::bigint[], $67::bigint[], $68::bigint[], $69::bigint[], $70::bigint[],
    $71::bigint[], $72::bigint[], $73::bigint[], $74::bigint[], $75::integer[], $76::bytea[], $77::bytea[]) AS
    u(partition_key, execution_id, created_at_ms, class_id, lane_id, namespace, execution_kind, creator_identity,
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
    last_mutation_at_ms, claim_class, payload, result);

-- insert_executions_single
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
    last_mutation_at_ms, claim_class, payload, result)
  SELECT $1::smallint, $2::uuid, $3::bigint, $4::integer, $5::text, $6::text, $7::text, $8::text, $9::text, $10::text,
    string_to_array($11::text, '\n'), $12::jsonb, $13::bigint, $14::text, $15::text, $16::text, $17::uuid, $18::integer,
    $19::jsonb, $20::text, $21::bigint, $22::bigint, $23::integer, $24::integer, $25::integer, $26::boolean, $27::text,
    $28::text, $29::text, $30::text, $31::text, $32::text, $33::text, $34::integer, $35::text, $36::bigint, $37::bigint,
    $38::bigint, $39::text, $40::bigint, $41::boolean, $42::integer, $43::boolean, $44::uuid, $45::uuid, $46::text,
    $47::text, $48::text, $49::text, $50::text, $51::text, $52::text, $53::integer, $54::integer, $55::bigint,
    $56::uuid, $57::text, $58::bigint, $59::integer, $60::text, $61::uuid, $62::text, $63::text, $64::bigint,
    $65::bigint, $66::bigint, $67::bigint, $68::bigint, $69::bigint, $70::bigint, $71::bigint, $72::bigint, $73::bigint,
    $74::bigint, $75::integer, $76::bytea, $77::bytea;

-- delete_executions
DELETE
  FROM ff_exec_core
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_exec_core AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f));

-- delete_attempts
DELETE
  FROM ff_attempt
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_attempt AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f));

-- clear_results
UPDATE ff_exec_core AS e
  SET result = NULL
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- keep_inputs
INSERT INTO ff_flow_input (partition_key, execution_id, edge_id, ref, payload)
  SELECT u.partition_key, u.execution_id, u.edge_id, u.ref, f.result
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::text[], $5::smallint[], $6::uuid[]) AS u(partition_key,
    execution_id, edge_id, ref, upstream_partition, upstream_eid)
  JOIN ff_exec_core AS f
  ON f.partition_key = u.upstream_partition AND f.execution_id = u.upstream_eid
  WHERE f.result IS NOT NULL
  ON CONFLICT (partition_key, execution_id, edge_id) DO UPDATE
  SET ref = excluded.ref, payload = excluded.payload;

-- adopt_inputs
UPDATE ff_exec_core AS e
  SET payload = i.payload
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[]) AS u(partition_key, execution_id, edge_id)
  JOIN ff_flow_input AS i USING (partition_key, execution_id, edge_id)
  WHERE e.partition_key = i.partition_key AND e.execution_id = i.execution_id AND NOT EXISTS (SELECT
  FROM ff_flow_input AS h
  WHERE h.partition_key = i.partition_key AND h.execution_id = i.execution_id AND h.edge_id > i.edge_id);

-- delete_inputs
DELETE
  FROM ff_flow_input
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_flow_input AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f));

-- insert_attempts
INSERT INTO ff_attempt (partition_key, execution_id, attempt_index, attempt_id, attempt_type, worker_id,
    worker_instance_id, lease_id, lease_epoch, started_at_ms, terminal_at_ms, outcome, failure_reason, failure_category,
    previous_attempt_index)
  SELECT u.partition_key, u.execution_id, u.attempt_index, u.attempt_id, u.attempt_type, u.worker_id,
    u.worker_instance_id, u.lease_id, u.lease_epoch, u.started_at_ms, u.terminal_at_ms, u.outcome, u.failure_reason,
    u.failure_category, u.previous_attempt_index
  FROM unnest($1::smallint[], $2::uuid[], $3::integer[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::uuid[],
    $9::bigint[], $10::bigint[], $11::bigint[], $12::text[], $13::text[], $14::text[], $15::integer[]) AS
    u(partition_key, execution_id, attempt_index, attempt_id, attempt_type, worker_id, worker_instance_id, lease_id,
    lease_epoch, started_at_ms, terminal_at_ms, outcome, failure_reason, failure_category, previous_attempt_index);

-- insert_attempts_single
INSERT INTO ff_attempt (partition_key, execution_id, attempt_index, attempt_id, attempt_type, worker_id,
    worker_instance_id, lease_id, lease_epoch, started_at_ms, terminal_at_ms, outcome, failure_reason, failure_category,
    previous_attempt_index)
  SELECT $1::smallint, $2::uuid, $3::integer, $4::uuid, $5::text, $6::text, $7::text, $8::uuid, $9::bigint, $10::bigint,
    $11::bigint, $12::text, $13::text, $14::text, $15::integer;

-- add_counts
INSERT INTO ff_lane_count AS c (lane_id, writer_id, waiting, delayed, rate_limited, waiting_children, active, suspended,
    resumable, completed, failed, cancelled, expired, skipped, created, claimed, ended_success, ended_failed,
    ended_cancelled, ended_expired, ended_skipped, retries, lease_expiries, reclaims)
  SELECT u.lane_id, u.writer_id, u.waiting, u.delayed, u.rate_limited, u.waiting_children, u.active, u.suspended,
    u.resumable, u.completed, u.failed, u.cancelled, u.expired, u.skipped, u.created, u.claimed, u.ended_success,
    u.ended_failed, u.ended_cancelled, u.ended_expired, u.ended_skipped, u.retries, u.lease_expiries, u.reclaims
  FROM unnest($1::text[], $2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
    $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[],
    $15::bigint[], $16::bigint[], $17::bigint[], $18::bigint[], $19::bigint[], $20::bigint[], $21::bigint[],
    $22::bigint[], $23::bigint[], $24::bigint[]) AS u(lane_id, writer_id, waiting, delayed, rate_limited,
    waiting_children, active, suspended, resumable, completed, failed, cancelled, expired, skipped, created, claimed,
    ended_success, ended_failed, ended_cancelled, ended_expired, ended_skipped, retries, lease_expiries, reclaims)
  ON CONFLICT (lane_id, writer_id) DO UPDATE
  SET waiting = c.waiting + excluded.waiting, delayed = c.delayed + excluded.delayed, rate_limited = c.rate_limited +
    excluded.rate_limited, waiting_children = c.waiting_children + excluded.waiting_children, active = c.active +
    excluded.active, suspended = c.suspended + excluded.suspended, resumable = c.resumable + excluded.resumable,
    completed = c.completed + excluded.completed, failed = c.failed + excluded.failed, cancelled = c.cancelled +
    excluded.cancelled, expired = c.expired + excluded.expired, skipped = c.skipped + excluded.skipped, created =
    c.created + excluded.created, claimed = c.claimed + excluded.claimed, ended_success = c.ended_success +
    excluded.ended_success, ended_failed = c.ended_failed + excluded.ended_failed, ended_cancelled = c.ended_cancelled +
    excluded.ended_cancelled, ended_expired = c.ended_expired + excluded.ended_expired, ended_skipped = c.ended_skipped
    + excluded.ended_skipped, retries = c.retries + excluded.retries, lease_expiries = c.lease_expiries +
    excluded.lease_expiries, reclaims = c.reclaims + excluded.reclaims;

-- add_counts_single
INSERT INTO ff_lane_count AS c (lane_id, writer_id, waiting, delayed, rate_limited, waiting_children, active, suspended,
    resumable, completed, failed, cancelled, expired, skipped, created, claimed, ended_success, ended_failed,
    ended_cancelled, ended_expired, ended_skipped, retries, lease_expiries, reclaims)
  SELECT $1::text, $2::uuid, $3::bigint, $4::bigint, $5::bigint, $6::bigint, $7::bigint, $8::bigint, $9::bigint,
    $10::bigint, $11::bigint, $12::bigint, $13::bigint, $14::bigint, $15::bigint, $16::bigint, $17::bigint, $18::bigint,
    $19::bigint, $20::bigint, $21::bigint, $22::bigint, $23::bigint, $24::bigint
  ON CONFLICT (lane_id, writer_id) DO UPDATE
  SET waiting = c.waiting + excluded.waiting, delayed = c.delayed + excluded.delayed, rate_limited = c.rate_limited +
    excluded.rate_limited, waiting_children = c.waiting_children + excluded.waiting_children, active = c.active +
    excluded.active, suspended = c.suspended + excluded.suspended, resumable = c.resumable + excluded.resumable,
    completed = c.completed + excluded.completed, failed = c.failed + excluded.failed, cancelled = c.cancelled +
    excluded.cancelled, expired = c.expired + excluded.expired, skipped = c.skipped + excluded.skipped, created =
    c.created + excluded.created, claimed = c.claimed + excluded.claimed, ended_success = c.ended_success +
    excluded.ended_success, ended_failed = c.ended_failed + excluded.ended_failed, ended_cancelled = c.ended_cancelled +
    excluded.ended_cancelled, ended_expired = c.ended_expired + excluded.ended_expired, ended_skipped = c.ended_skipped
    + excluded.ended_skipped, retries = c.retries + excluded.retries, lease_expiries = c.lease_expiries +
    excluded.lease_expiries, reclaims = c.reclaims + excluded.reclaims;

-- advance_marker
WITH changed AS (UPDATE ff_writer
  SET batch_no = $2::bigint, touched_at_ms = floor(extract(epoch
  FROM clock_timestamp()) * 1000)::bigint
  WHERE writer_id = $1::uuid AND NOT retired
  RETURNING 1)
  SELECT 1 / (count(*) = 1::bigint)::integer
  FROM changed;

-- mark_dispatched
UPDATE ff_completion_event AS e
  SET dispatched_at_ms = $2::bigint
  WHERE e.event_id = ANY($1::bigint[]) AND e.dispatched_at_ms IS NULL;

-- insert_ff_lease_event
INSERT INTO ff_lease_event (partition_key, execution_id, namespace, instance_tag, event_type, lease_id, lease_epoch,
    attempt_index, attempt_id, worker_id, worker_instance_id, prev_worker_instance_id, reason, revoked_by,
    occurred_at_ms)
  SELECT u.partition_key, u.execution_id, u.namespace, u.instance_tag, u.event_type, u.lease_id, u.lease_epoch,
    u.attempt_index, u.attempt_id, u.worker_id, u.worker_instance_id, u.prev_worker_instance_id, u.reason, u.revoked_by,
    u.occurred_at_ms
  FROM unnest($1::smallint[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::uuid[], $7::bigint[], $8::integer[],
    $9::uuid[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::bigint[]) WITH ORDINALITY AS
    u(partition_key, execution_id, namespace, instance_tag, event_type, lease_id, lease_epoch, attempt_index,
    attempt_id, worker_id, worker_instance_id, prev_worker_instance_id, reason, revoked_by, occurred_at_ms, ordinal)
  ORDER BY u.ordinal;

-- insert_ff_lease_event_single
INSERT INTO ff_lease_event (partition_key, execution_id, namespace, instance_tag, event_type, lease_id, lease_epoch,
    attempt_index, attempt_id, worker_id, worker_instance_id, prev_worker_instance_id, reason, revoked_by,
    occurred_at_ms)
  SELECT $1::smallint, $2::uuid, $3::text, $4::text, $5::text, $6::uuid, $7::bigint, $8::integer, $9::uuid, $10::text,
    $11::text, $12::text, $13::text, $14::text, $15::bigint;

-- insert_ff_completion_event
INSERT INTO ff_completion_event (partition_key, execution_id, namespace, instance_tag, flow_id, outcome, occurred_at_ms,
    dispatched_at_ms, cancellation_cause)
  SELECT u.partition_key, u.execution_id, u.namespace, u.instance_tag, u.flow_id, u.outcome, u.occurred_at_ms,
    u.dispatched_at_ms, u.cancellation_cause
  FROM unnest($1::smallint[], $2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::text[], $7::bigint[], $8::bigint[],
    $9::text[]) WITH ORDINALITY AS u(partition_key, execution_id, namespace, instance_tag, flow_id, outcome,
    occurred_at_ms, dispatched_at_ms, cancellation_cause, ordinal)
  ORDER BY u.ordinal;

-- insert_ff_completion_event_single
INSERT INTO ff_completion_event (partition_key, execution_id, namespace, instance_tag, flow_id, outcome, occurred_at_ms,
    dispatched_at_ms, cancellation_cause)
  SELECT $1::smallint, $2::uuid, $3::text, $4::text, $5::uuid, $6::text, $7::bigint, $8::bigint, $9::text;

-- insert_ff_signal_event
INSERT INTO ff_signal_event (partition_key, execution_id, namespace, instance_tag, signal_id, waitpoint_id,
    source_identity, effect, delivered_at_ms)
  SELECT u.partition_key, u.execution_id, u.namespace, u.instance_tag, u.signal_id, u.waitpoint_id, u.source_identity,
    u.effect, u.delivered_at_ms
  FROM unnest($1::smallint[], $2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::uuid[], $7::text[], $8::text[],
    $9::bigint[]) WITH ORDINALITY AS u(partition_key, execution_id, namespace, instance_tag, signal_id, waitpoint_id,
    source_identity, effect, delivered_at_ms, ordinal)
  ORDER BY u.ordinal;

-- insert_ff_signal_event_single
INSERT INTO ff_signal_event (partition_key, execution_id, namespace, instance_tag, signal_id, waitpoint_id,
    source_identity, effect, delivered_at_ms)
  SELECT $1::smallint, $2::uuid, $3::text, $4::text, $5::uuid, $6::uuid, $7::text, $8::text, $9::bigint;

-- insert_ff_operator_event
INSERT INTO ff_operator_event (partition_key, execution_id, namespace, instance_tag, subject_kind, event_type, details,
    occurred_at_ms)
  SELECT u.partition_key, u.execution_id, u.namespace, u.instance_tag, u.subject_kind, u.event_type, u.details,
    u.occurred_at_ms
  FROM unnest($1::smallint[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::jsonb[], $8::bigint[])
    WITH ORDINALITY AS u(partition_key, execution_id, namespace, instance_tag, subject_kind, event_type, details,
    occurred_at_ms, ordinal)
  ORDER BY u.ordinal;

-- insert_ff_operator_event_single
INSERT INTO ff_operator_event (partition_key, execution_id, namespace, instance_tag, subject_kind, event_type, details,
    occurred_at_ms)
  SELECT $1::smallint, $2::uuid, $3::text, $4::text, $5::text, $6::text, $7::jsonb, $8::bigint;

-- insert_ff_audit_event
INSERT INTO ff_audit_event (actor, action, subject, request_id, status, occurred_at_ms)
  SELECT u.actor, u.action, u.subject, u.request_id, u.status, u.occurred_at_ms
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::integer[], $6::bigint[]) WITH ORDINALITY AS u(actor,
    action, subject, request_id, status, occurred_at_ms, ordinal)
  ORDER BY u.ordinal;

-- insert_ff_audit_event_single
INSERT INTO ff_audit_event (actor, action, subject, request_id, status, occurred_at_ms)
  SELECT $1::text, $2::text, $3::text, $4::text, $5::integer, $6::bigint;

-- insert_ends_of_members
INSERT INTO ff_completion_event (partition_key, execution_id, namespace, instance_tag, flow_id, outcome, occurred_at_ms,
    dispatched_at_ms, cancellation_cause)
  SELECT u.partition_key, u.execution_id, u.namespace, u.instance_tag, u.flow_id, u.outcome, u.occurred_at_ms,
    u.dispatched_at_ms, u.cancellation_cause
  FROM unnest($1::smallint[], $2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::text[], $7::bigint[], $8::bigint[],
    $9::text[]) WITH ORDINALITY AS u(partition_key, execution_id, namespace, instance_tag, flow_id, outcome,
    occurred_at_ms, dispatched_at_ms, cancellation_cause, ordinal)
  ORDER BY u.ordinal
  RETURNING event_id;

-- insert_ends_of_members_single
INSERT INTO ff_completion_event (partition_key, execution_id, namespace, instance_tag, flow_id, outcome, occurred_at_ms,
    dispatched_at_ms, cancellation_cause)
  SELECT $1::smallint, $2::uuid, $3::text, $4::text, $5::uuid, $6::text, $7::bigint, $8::bigint, $9::text
  RETURNING event_id;

-- advance_lane_revision
UPDATE ff_partition_config
  SET lane_revision = lane_revision + 1;

-- advance_setting_revision
UPDATE ff_partition_config
  SET setting_revision = setting_revision + 1;

-- delete_submissions
DELETE
  FROM ff_submission
  WHERE submission_id = ANY($1::bigint[]);

-- commit
COMMIT;

-- rollback
ROLLBACK;

-- notify
SELECT set_config('synchronous_commit', 'off', true), (SELECT count(pg_notify(c.channel, c.payload))
  FROM unnest($1::text[], $2::text[]) AS c(channel, payload));

-- update_executions
UPDATE ff_exec_core AS e
  SET flow_id = u.flow_id, priority = u.priority, tags = u.tags, instance_tag = u.instance_tag, deadline_at_ms =
    u.deadline_at_ms, deadline_check_at_ms = u.deadline_check_at_ms, retry_count = u.retry_count, replay_count =
    u.replay_count, lease_reclaim_count = u.lease_reclaim_count, deps_blocked = u.deps_blocked, blocking_detail =
    u.blocking_detail, failure_reason = u.failure_reason, failure_category = u.failure_category, result_encoding =
    u.result_encoding, cancellation_reason = u.cancellation_reason, cancelled_by = u.cancelled_by, cancellation_cause =
    u.cancellation_cause, progress_pct = u.progress_pct, progress_message = u.progress_message, progress_updated_at_ms =
    u.progress_updated_at_ms, activity_epoch = u.activity_epoch, attempt_time_left_ms = u.attempt_time_left_ms,
    last_release = u.last_release, grant_until_ms = u.grant_until_ms, has_waitpoints = u.has_waitpoints, signal_count =
    u.signal_count, has_stream = u.has_stream, current_suspension_id = u.current_suspension_id, current_waitpoint_id =
    u.current_waitpoint_id, lifecycle_phase = $32::text, ownership_state = $33::text, eligibility_state = $34::text,
    public_state = $35::text, attempt_state = $36::text, blocking_reason = $37::text, terminal_outcome = $38::text,
    attempt_index = u.attempt_index, total_attempt_count = u.total_attempt_count, lease_epoch = u.lease_epoch,
    attempt_id = u.attempt_id, attempt_type = u.attempt_type, attempt_started_at_ms = u.attempt_started_at_ms,
    previous_attempt_index = u.previous_attempt_index, interrupt_cause = u.interrupt_cause, lease_id = u.lease_id,
    worker_id = u.worker_id, worker_instance_id = u.worker_instance_id, lease_acquired_at_ms = u.lease_acquired_at_ms,
    lease_expires_at_ms = u.lease_expires_at_ms, lease_last_renewed_at_ms = u.lease_last_renewed_at_ms,
    lease_check_at_ms = u.lease_check_at_ms, reclaimable_since_ms = u.reclaimable_since_ms, delay_until_ms =
    u.delay_until_ms, attempt_deadline_at_ms = u.attempt_deadline_at_ms, started_at_ms = u.started_at_ms, terminal_at_ms
    = u.terminal_at_ms, last_transition_at_ms = u.last_transition_at_ms, last_mutation_at_ms = u.last_mutation_at_ms,
    claim_class = u.claim_class, result = coalesce(u.result, e.result)
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::integer[], $5::jsonb[], $6::text[], $7::bigint[],
    $8::bigint[], $9::integer[], $10::integer[], $11::integer[], $12::boolean[], $13::text[], $14::text[], $15::text[],
    $16::text[], $17::text[], $18::text[], $19::text[], $20::integer[], $21::text[], $22::bigint[], $23::bigint[],
    $24::bigint[], $25::text[], $26::bigint[], $27::boolean[], $28::integer[], $29::boolean[], $30::uuid[], $31::uuid[],
    $39::integer[], $40::integer[], $41::bigint[], $42::uuid[], $43::text[], $44::bigint[], $45::integer[], $46::text[],
    $47::uuid[], $48::text[], $49::text[], $50::bigint[], $51::bigint[], $52::bigint[], $53::bigint[], $54::bigint[],
    $55::bigint[], $56::bigint[], $57::bigint[], $58::bigint[], $59::bigint[], $60::bigint[], $61::integer[],
    $62::bytea[]) AS u(partition_key, execution_id, flow_id, priority, tags, instance_tag, deadline_at_ms,
    deadline_check_at_ms, retry_count, replay_count, lease_reclaim_count, deps_blocked, blocking_detail, failure_reason,
    failure_category, result_encoding, cancellation_reason, cancelled_by, cancellation_cause, progress_pct,
    progress_message, progress_updated_at_ms, activity_epoch, attempt_time_left_ms, last_release, grant_until_ms,
    has_waitpoints, signal_count, has_stream, current_suspension_id, current_waitpoint_id, attempt_index,
    total_attempt_count, lease_epoch, attempt_id, attempt_type, attempt_started_at_ms, previous_attempt_index,
    interrupt_cause, lease_id, worker_id, worker_instance_id, lease_acquired_at_ms, lease_expires_at_ms,
    lease_last_renewed_at_ms, lease_check_at_ms, reclaimable_since_ms, delay_until_ms, attempt_deadline_at_ms,
    started_at_ms, terminal_at_ms, last_transition_at_ms, last_mutation_at_ms, claim_class, result)
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- update_executions_single
UPDATE ff_exec_core AS e
  SET flow_id = $3::uuid, priority = $4::integer, tags = $5::jsonb, instance_tag = $6::text, deadline_at_ms =
    $7::bigint, deadline_check_at_ms = $8::bigint, retry_count = $9::integer, replay_count = $10::integer,
    lease_reclaim_count = $11::integer, deps_blocked = $12::boolean, blocking_detail = $13::text, failure_reason =
    $14::text, failure_category = $15::text, result_encoding = $16::text, cancellation_reason = $17::text, cancelled_by
    = $18::text, cancellation_cause = $19::text, progress_pct = $20::integer, progress_message = $21::text,
    progress_updated_at_ms = $22::bigint, activity_epoch = $23::bigint, attempt_time_left_ms = $24::bigint, last_release
    = $25::text, grant_until_ms = $26::bigint, has_waitpoints = $27::boolean, signal_count = $28::integer, has_stream =
    $29::boolean, current_suspension_id = $30::uuid, current_waitpoint_id = $31::uuid, lifecycle_phase = $32::text,
    ownership_state = $33::text, eligibility_state = $34::text, public_state = $35::text, attempt_state = $36::text,
    blocking_reason = $37::text, terminal_outcome = $38::text, attempt_index = $39::integer, total_attempt_count =
    $40::integer, lease_epoch = $41::bigint, attempt_id = $42::uuid, attempt_type = $43::text, attempt_started_at_ms =
    $44::bigint, previous_attempt_index = $45::integer, interrupt_cause = $46::text, lease_id = $47::uuid, worker_id =
    $48::text, worker_instance_id = $49::text, lease_acquired_at_ms = $50::bigint, lease_expires_at_ms = $51::bigint,
    lease_last_renewed_at_ms = $52::bigint, lease_check_at_ms = $53::bigint, reclaimable_since_ms = $54::bigint,
    delay_until_ms = $55::bigint, attempt_deadline_at_ms = $56::bigint, started_at_ms = $57::bigint, terminal_at_ms =
    $58::bigint, last_transition_at_ms = $59::bigint, last_mutation_at_ms = $60::bigint, claim_class = $61::integer,
    result = coalesce($62::bytea, e.result)
  WHERE e.partition_key = $1::smallint AND e.execution_id = $2::uuid;

-- clock
SELECT floor(extract(epoch
  FROM clock_timestamp()) * 1000)::bigint;

-- transaction_clock
SELECT coalesce($1::bigint, floor(extract(epoch
  FROM now()) * 1000)::bigint);

-- due_lease_expiry
SELECT e.partition_key, e.execution_id, e.lease_check_at_ms
  FROM ff_exec_core AS e
  WHERE e.lease_check_at_ms <= coalesce($1::bigint, floor(extract(epoch
  FROM now()) * 1000)::bigint) AND e.ownership_state = 'leased' AND ($3::text IS NULL OR e.namespace = $3::text) AND
    ($4::text IS NULL OR e.tags ->> $4::text = $5::text)
  ORDER BY e.lease_check_at_ms, e.partition_key, e.execution_id
  LIMIT $2::bigint;

-- next_lease_expiry
SELECT min(e.lease_check_at_ms)
  FROM ff_exec_core AS e
  WHERE e.lease_check_at_ms > coalesce($1::bigint, floor(extract(epoch
  FROM now()) * 1000)::bigint);

-- due_delayed_promotion
SELECT e.partition_key, e.execution_id, e.delay_until_ms
  FROM ff_exec_core AS e
  WHERE e.delay_until_ms <= coalesce($1::bigint, floor(extract(epoch
  FROM now()) * 1000)::bigint) AND e.eligibility_state = 'not_eligible_until_time' AND ($3::text IS NULL OR e.namespace
    = $3::text) AND ($4::text IS NULL OR e.tags ->> $4::text = $5::text)
  ORDER BY e.delay_until_ms, e.partition_key, e.execution_id
  LIMIT $2::bigint;

-- next_delayed_promotion
SELECT min(e.delay_until_ms)
  FROM ff_exec_core AS e
  WHERE e.delay_until_ms > coalesce($1::bigint, floor(extract(epoch
  FROM now()) * 1000)::bigint);

-- due_attempt_timeout
SELECT e.partition_key, e.execution_id, e.attempt_deadline_at_ms
  FROM ff_exec_core AS e
  WHERE e.attempt_deadline_at_ms <= coalesce($1::bigint, floor(extract(epoch
  FROM now()) * 1000)::bigint) AND e.ownership_state = 'leased' AND ($3::text IS NULL OR e.namespace = $3::text) AND
    ($4::text IS NULL OR e.tags ->> $4::text = $5::text)
  ORDER BY e.attempt_deadline_at_ms, e.partition_key, e.execution_id
  LIMIT $2::bigint;

-- next_attempt_timeout
SELECT min(e.attempt_deadline_at_ms)
  FROM ff_exec_core AS e
  WHERE e.attempt_deadline_at_ms > coalesce($1::bigint, floor(extract(epoch
  FROM now()) * 1000)::bigint);

-- due_execution_deadline
SELECT e.partition_key, e.execution_id, e.deadline_check_at_ms
  FROM ff_exec_core AS e
  WHERE e.deadline_check_at_ms <= coalesce($1::bigint, floor(extract(epoch
  FROM now()) * 1000)::bigint) AND e.lifecycle_phase <> 'terminal' AND ($3::text IS NULL OR e.namespace = $3::text) AND
    ($4::text IS NULL OR e.tags ->> $4::text = $5::text)
  ORDER BY e.deadline_check_at_ms, e.partition_key, e.execution_id
  LIMIT $2::bigint;

-- next_execution_deadline
SELECT min(e.deadline_check_at_ms)
  FROM ff_exec_core AS e
  WHERE e.deadline_check_at_ms > coalesce($1::bigint, floor(extract(epoch
  FROM now()) * 1000)::bigint);

-- due_flow_retention
SELECT t.partition_key, t.flow_id, t.remove_at_ms
  FROM ff_flow_retention_due AS t
  LEFT
  JOIN ff_flow_core AS e USING (partition_key, flow_id)
  WHERE t.remove_at_ms <= coalesce($1::bigint, floor(extract(epoch
  FROM now()) * 1000)::bigint) AND ($3::text IS NULL OR e.raw_fields ->> 'namespace' = $3::text) AND ($4::text IS NULL
    OR e.tags ->> $4::text = $5::text)
  ORDER BY t.remove_at_ms, t.partition_key, t.flow_id
  LIMIT $2::bigint;

-- next_flow_retention
SELECT min(t.remove_at_ms)
  FROM ff_flow_retention_due AS t
  WHERE t.remove_at_ms > coalesce($1::bigint, floor(extract(epoch
  FROM now()) * 1000)::bigint);

-- due_suspension_timeout
SELECT t.partition_key, t.execution_id, t.timeout_at_ms
  FROM ff_suspension_current AS t
  JOIN ff_exec_core AS e USING (partition_key, execution_id)
  WHERE t.timeout_at_ms <= coalesce($1::bigint, floor(extract(epoch
  FROM now()) * 1000)::bigint) AND ($3::text IS NULL OR e.namespace = $3::text) AND ($4::text IS NULL OR e.tags ->>
    $4::text = $5::text)
  ORDER BY t.timeout_at_ms, t.partition_key, t.execution_id
  LIMIT $2::bigint;

-- next_suspension_timeout
SELECT min(t.timeout_at_ms)
  FROM ff_suspension_current AS t
  WHERE t.timeout_at_ms > coalesce($1::bigint, floor(extract(epoch
  FROM now()) * 1000)::bigint);

-- due_waitpoint_expiry
SELECT t.partition_key, t.execution_id, t.expires_at_ms
  FROM ff_waitpoint_pending AS t
  JOIN ff_exec_core AS e USING (partition_key, execution_id)
  WHERE t.expires_at_ms <= coalesce($1::bigint, floor(extract(epoch
  FROM now()) * 1000)::bigint) AND t.state = 'pending' AND ($3::text IS NULL OR e.namespace = $3::text) AND ($4::text IS
    NULL OR e.tags ->> $4::text = $5::text)
  ORDER BY t.expires_at_ms, t.partition_key, t.execution_id
  LIMIT $2::bigint;

-- next_waitpoint_expiry
SELECT min(t.expires_at_ms)
  FROM ff_waitpoint_pending AS t
  WHERE t.expires_at_ms > coalesce($1::bigint, floor(extract(epoch
  FROM now()) * 1000)::bigint) AND t.state = 'pending';

-- due_stream_expiry
SELECT t.partition_key, t.execution_id, t.expiry_check_at_ms
  FROM ff_stream_meta AS t
  JOIN ff_exec_core AS e USING (partition_key, execution_id)
  WHERE t.expiry_check_at_ms <= coalesce($1::bigint, floor(extract(epoch
  FROM now()) * 1000)::bigint) AND ($3::text IS NULL OR e.namespace = $3::text) AND ($4::text IS NULL OR e.tags ->>
    $4::text = $5::text)
  ORDER BY t.expiry_check_at_ms, t.partition_key, t.execution_id
  LIMIT $2::bigint;

-- next_stream_expiry
SELECT min(t.expiry_check_at_ms)
  FROM ff_stream_meta AS t
  WHERE t.expiry_check_at_ms > coalesce($1::bigint, floor(extract(epoch
  FROM now()) * 1000)::bigint);

-- due_grant_expiry
SELECT t.partition_key, t.execution_id, t.expires_at_ms
  FROM ff_claim_grant AS t
  JOIN ff_exec_core AS e USING (partition_key, execution_id)
  WHERE t.expires_at_ms <= coalesce($1::bigint, floor(extract(epoch
  FROM now()) * 1000)::bigint) AND ($3::text IS NULL OR e.namespace = $3::text) AND ($4::text IS NULL OR e.tags ->>
    $4::text = $5::text)
  ORDER BY t.expires_at_ms, t.partition_key, t.execution_id
  LIMIT $2::bigint;

-- next_grant_expiry
SELECT min(t.expires_at_ms)
  FROM ff_claim_grant AS t
  WHERE t.expires_at_ms > coalesce($1::bigint, floor(extract(epoch
  FROM now()) * 1000)::bigint);

-- due_budget_reset
SELECT t.partition_key, t.budget_id, t.next_reset_at_ms
  FROM ff_budget_policy AS t
  WHERE t.next_reset_at_ms <= coalesce($1::bigint, floor(extract(epoch
  FROM now()) * 1000)::bigint) AND ($3::text IS NULL OR NULL::text = $3::text) AND ($4::text IS NULL OR NULL::jsonb ->>
    $4::text = $5::text)
  ORDER BY t.next_reset_at_ms, t.partition_key, t.budget_id
  LIMIT $2::bigint;

-- next_budget_reset
SELECT min(t.next_reset_at_ms)
  FROM ff_budget_policy AS t
  WHERE t.next_reset_at_ms > coalesce($1::bigint, floor(extract(epoch
  FROM now()) * 1000)::bigint);

-- due_retention
SELECT t.partition_key, t.execution_id, t.remove_at_ms
  FROM ff_retention_due AS t
  JOIN ff_exec_core AS e USING (partition_key, execution_id)
  WHERE t.remove_at_ms <= coalesce($1::bigint, floor(extract(epoch
  FROM now()) * 1000)::bigint) AND ($3::text IS NULL OR e.namespace = $3::text) AND ($4::text IS NULL OR e.tags ->>
    $4::text = $5::text)
  ORDER BY t.remove_at_ms, t.partition_key, t.execution_id
  LIMIT $2::bigint;

-- next_retention
SELECT min(t.remove_at_ms)
  FROM ff_retention_due AS t
  WHERE t.remove_at_ms > coalesce($1::bigint, floor(extract(epoch
  FROM now()) * 1000)::bigint);

-- execution
SELECT e.partition_key, e.execution_id, e.created_at_ms, e.class_id, e.lane_id, e.namespace, e.execution_kind,
    e.creator_identity, e.idempotency_key, e.payload_encoding, e.required_capabilities, e.policy, e.own_retention_ms,
    e.node_name, e.traceparent, e.tracestate, e.flow_id, e.priority, e.tags, e.instance_tag, e.deadline_at_ms,
    e.deadline_check_at_ms, e.retry_count, e.replay_count, e.lease_reclaim_count, e.deps_blocked, e.blocking_detail,
    e.failure_reason, e.failure_category, e.result_encoding, e.cancellation_reason, e.cancelled_by,
    e.cancellation_cause, e.progress_pct, e.progress_message, e.progress_updated_at_ms, e.activity_epoch,
    e.attempt_time_left_ms, e.last_release, e.grant_until_ms, e.has_waitpoints, e.signal_count, e.has_stream,
    e.current_suspension_id, e.current_waitpoint_id, e.lifecycle_phase, e.ownership_state, e.eligibility_state,
    e.public_state, e.attempt_state, e.blocking_reason, e.terminal_outcome, e.attempt_index, e.total_attempt_count,
    e.lease_epoch, e.attempt_id, e.attempt_type, e.attempt_started_at_ms, e.previous_attempt_index, e.interrupt_cause,
    e.lease_id, e.worker_id, e.worker_instance_id, e.lease_acquired_at_ms, e.lease_expires_at_ms,
    e.lease_last_renewed_at_ms, e.lease_check_at_ms, e.reclaimable_since_ms, e.delay_until_ms, e.attempt_deadline_at_ms,
    e.started_at_ms, e.terminal_at_ms, e.last_transition_at_ms, e.last_mutation_at_ms
  FROM ff_exec_core AS e
  WHERE e.partition_key = $1::smallint AND e.execution_id = $2::uuid;

-- input
SELECT e.payload
  FROM ff_exec_core AS e
  WHERE e.partition_key = $1::smallint AND e.execution_id = $2::uuid;

-- inputs
SELECT e.ref, e.payload
  FROM ff_flow_input AS e
  WHERE e.partition_key = $1::smallint AND e.execution_id = $2::uuid
  ORDER BY e.edge_id;

-- result
SELECT e.result
  FROM ff_exec_core AS e
  WHERE e.partition_key = $1::smallint AND e.execution_id = $2::uuid;

-- attempts
SELECT e.partition_key, e.execution_id, e.attempt_index, e.attempt_id, e.attempt_type, e.worker_id,
    e.worker_instance_id, e.lease_id, e.lease_epoch, e.started_at_ms, e.terminal_at_ms, e.outcome, e.failure_reason,
    e.failure_category, e.previous_attempt_index
  FROM ff_attempt AS e
  WHERE e.partition_key = $1::smallint AND e.execution_id = $2::uuid AND e.attempt_index > $3::bigint
  ORDER BY e.attempt_index
  LIMIT $4::bigint;

-- list_all
SELECT e.partition_key, e.execution_id, e.created_at_ms, e.class_id, e.lane_id, e.namespace, e.execution_kind,
    e.creator_identity, e.idempotency_key, e.payload_encoding, e.required_capabilities, e.policy, e.own_retention_ms,
    e.node_name, e.traceparent, e.tracestate, e.flow_id, e.priority, e.tags, e.instance_tag, e.deadline_at_ms,
    e.deadline_check_at_ms, e.retry_count, e.replay_count, e.lease_reclaim_count, e.deps_blocked, e.blocking_detail,
    e.failure_reason, e.failure_category, e.result_encoding, e.cancellation_reason, e.cancelled_by,
    e.cancellation_cause, e.progress_pct, e.progress_message, e.progress_updated_at_ms, e.activity_epoch,
    e.attempt_time_left_ms, e.last_release, e.grant_until_ms, e.has_waitpoints, e.signal_count, e.has_stream,
    e.current_suspension_id, e.current_waitpoint_id, e.lifecycle_phase, e.ownership_state, e.eligibility_state,
    e.public_state, e.attempt_state, e.blocking_reason, e.terminal_outcome, e.attempt_index, e.total_attempt_count,
    e.lease_epoch, e.attempt_id, e.attempt_type, e.attempt_started_at_ms, e.previous_attempt_index, e.interrupt_cause,
    e.lease_id, e.worker_id, e.worker_instance_id, e.lease_acquired_at_ms, e.lease_expires_at_ms,
    e.lease_last_renewed_at_ms, e.lease_check_at_ms, e.reclaimable_since_ms, e.delay_until_ms, e.attempt_deadline_at_ms,
    e.started_at_ms, e.terminal_at_ms, e.last_transition_at_ms, e.last_mutation_at_ms
  FROM ff_exec_core AS e
  WHERE (e.partition_key, e.execution_id) > ($1::smallint, $2::uuid) AND e.partition_key <= $4::smallint
  ORDER BY e.partition_key, e.execution_id
  LIMIT $3::bigint;

-- list_by_state
SELECT e.partition_key, e.execution_id, e.created_at_ms, e.class_id, e.lane_id, e.namespace, e.execution_kind,
    e.creator_identity, e.idempotency_key, e.payload_encoding, e.required_capabilities, e.policy, e.own_retention_ms,
    e.node_name, e.traceparent, e.tracestate, e.flow_id, e.priority, e.tags, e.instance_tag, e.deadline_at_ms,
    e.deadline_check_at_ms, e.retry_count, e.replay_count, e.lease_reclaim_count, e.deps_blocked, e.blocking_detail,
    e.failure_reason, e.failure_category, e.result_encoding, e.cancellation_reason, e.cancelled_by,
    e.cancellation_cause, e.progress_pct, e.progress_message, e.progress_updated_at_ms, e.activity_epoch,
    e.attempt_time_left_ms, e.last_release, e.grant_until_ms, e.has_waitpoints, e.signal_count, e.has_stream,
    e.current_suspension_id, e.current_waitpoint_id, e.lifecycle_phase, e.ownership_state, e.eligibility_state,
    e.public_state, e.attempt_state, e.blocking_reason, e.terminal_outcome, e.attempt_index, e.total_attempt_count,
    e.lease_epoch, e.attempt_id, e.attempt_type, e.attempt_started_at_ms, e.previous_attempt_index, e.interrupt_cause,
    e.lease_id, e.worker_id, e.worker_instance_id, e.lease_acquired_at_ms, e.lease_expires_at_ms,
    e.lease_last_renewed_at_ms, e.lease_check_at_ms, e.reclaimable_since_ms, e.delay_until_ms, e.attempt_deadline_at_ms,
    e.started_at_ms, e.terminal_at_ms, e.last_transition_at_ms, e.last_mutation_at_ms
  FROM ff_exec_core AS e
  WHERE (e.partition_key, e.execution_id) > ($1::smallint, $2::uuid) AND e.partition_key <= $4::smallint AND
    e.public_state = $5::text
  ORDER BY e.partition_key, e.execution_id
  LIMIT $3::bigint;

-- along_index
SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
    set_config('enable_sort', 'off', true);

-- newest
SELECT e.partition_key, e.execution_id, e.created_at_ms, e.namespace, e.lane_id, e.execution_kind, e.public_state,
    e.priority, e.started_at_ms, e.terminal_at_ms, e.failure_category, e.flow_id, e.node_name
  FROM ff_exec_core AS e
  WHERE (e.created_at_ms, e.partition_key, e.execution_id) < ($1::bigint, $2::smallint, $3::uuid) AND e.created_at_ms >=
    $4::bigint
  ORDER BY e.created_at_ms DESC, e.partition_key DESC, e.execution_id DESC
  LIMIT $5::bigint;

-- newest_in_lane
SELECT e.partition_key, e.execution_id, e.created_at_ms, e.namespace, e.lane_id, e.execution_kind, e.public_state,
    e.priority, e.started_at_ms, e.terminal_at_ms, e.failure_category, e.flow_id, e.node_name
  FROM ff_exec_core AS e
  WHERE e.lane_id = $6::text AND (e.created_at_ms, e.partition_key, e.execution_id) < ($1::bigint, $2::smallint,
    $3::uuid) AND e.created_at_ms >= $4::bigint
  ORDER BY e.created_at_ms DESC, e.partition_key DESC, e.execution_id DESC
  LIMIT $5::bigint;

-- newest_in_namespace
SELECT e.partition_key, e.execution_id, e.created_at_ms, e.namespace, e.lane_id, e.execution_kind, e.public_state,
    e.priority, e.started_at_ms, e.terminal_at_ms, e.failure_category, e.flow_id, e.node_name
  FROM ff_exec_core AS e
  WHERE e.namespace = $6::text AND (e.created_at_ms, e.partition_key, e.execution_id) < ($1::bigint, $2::smallint,
    $3::uuid) AND e.created_at_ms >= $4::bigint
  ORDER BY e.created_at_ms DESC, e.partition_key DESC, e.execution_id DESC
  LIMIT $5::bigint;

-- newest_of_kind
SELECT e.partition_key, e.execution_id, e.created_at_ms, e.namespace, e.lane_id, e.execution_kind, e.public_state,
    e.priority, e.started_at_ms, e.terminal_at_ms, e.failure_category, e.flow_id, e.node_name
  FROM ff_exec_core AS e
  WHERE e.execution_kind = $6::text AND (e.created_at_ms, e.partition_key, e.execution_id) < ($1::bigint, $2::smallint,
    $3::uuid) AND e.created_at_ms >= $4::bigint
  ORDER BY e.created_at_ms DESC, e.partition_key DESC, e.execution_id DESC
  LIMIT $5::bigint;

-- newest_of_term
SELECT e.partition_key, e.execution_id, e.created_at_ms, e.namespace, e.lane_id, e.execution_kind, e.public_state,
    e.priority, e.started_at_ms, e.terminal_at_ms, e.failure_category, e.flow_id, e.node_name
  FROM (SELECT e.created_at_ms, e.partition_key, e.execution_id
  FROM ff_search_term AS e
  WHERE e.term = $6::uuid AND (e.created_at_ms, e.partition_key, e.execution_id) < ($1::bigint, $2::smallint, $3::uuid)
    AND e.created_at_ms >= $4::bigint
  ORDER BY e.created_at_ms DESC, e.partition_key DESC, e.execution_id DESC
  LIMIT $5::bigint) AS t
  CROSS
  JOIN LATERAL (SELECT *
  FROM ff_exec_core AS c
  WHERE c.partition_key = t.partition_key AND c.execution_id = t.execution_id OFFSET 0) AS e
  ORDER BY t.created_at_ms DESC, t.partition_key DESC, t.execution_id DESC;

-- newest_in_flow
SELECT e.partition_key, e.execution_id, e.created_at_ms, e.namespace, e.lane_id, e.execution_kind, e.public_state,
    e.priority, e.started_at_ms, e.terminal_at_ms, e.failure_category, e.flow_id, e.node_name
  FROM ff_exec_core AS e
  WHERE e.partition_key = $1::smallint AND e.flow_id = $2::uuid AND e.execution_id < $3::uuid
  ORDER BY e.execution_id DESC
  LIMIT $4::bigint;

-- expired_leases
SELECT e.partition_key, e.execution_id, e.created_at_ms, e.class_id, e.lane_id, e.namespace, e.execution_kind,
    e.creator_identity, e.idempotency_key, e.payload_encoding, e.required_capabilities, e.policy, e.own_retention_ms,
    e.node_name, e.traceparent, e.tracestate, e.flow_id, e.priority, e.tags, e.instance_tag, e.deadline_at_ms,
    e.deadline_check_at_ms, e.retry_count, e.replay_count, e.lease_reclaim_count, e.deps_blocked, e.blocking_detail,
    e.failure_reason, e.failure_category, e.result_encoding, e.cancellation_reason, e.cancelled_by,
    e.cancellation_cause, e.progress_pct, e.progress_message, e.progress_updated_at_ms, e.activity_epoch,
    e.attempt_time_left_ms, e.last_release, e.grant_until_ms, e.has_waitpoints, e.signal_count, e.has_stream,
    e.current_suspension_id, e.current_waitpoint_id, e.lifecycle_phase, e.ownership_state, e.eligibility_state,
    e.public_state, e.attempt_state, e.blocking_reason, e.terminal_outcome, e.attempt_index, e.total_attempt_count,
    e.lease_epoch, e.attempt_id, e.attempt_type, e.attempt_started_at_ms, e.previous_attempt_index, e.interrupt_cause,
    e.lease_id, e.worker_id, e.worker_instance_id, e.lease_acquired_at_ms, e.lease_expires_at_ms,
    e.lease_last_renewed_at_ms, e.lease_check_at_ms, e.reclaimable_since_ms, e.delay_until_ms, e.attempt_deadline_at_ms,
    e.started_at_ms, e.terminal_at_ms, e.last_transition_at_ms, e.last_mutation_at_ms
  FROM (SELECT *
  FROM ff_exec_core AS c
  WHERE c.lease_check_at_ms <= $1::bigint AND c.ownership_state = 'leased' AND c.lease_expires_at_ms <= $1::bigint
  UNION ALL
  SELECT *
  FROM ff_exec_core AS c
  WHERE c.reclaimable_since_ms IS NOT NULL AND c.ownership_state = 'lease_expired_reclaimable' AND c.lease_expires_at_ms
    <= $1::bigint) AS e
  WHERE (e.lease_expires_at_ms, e.partition_key, e.execution_id) > ($2::bigint, $3::smallint, $4::uuid) AND ($5::text IS
    NULL OR e.namespace = $5::text)
  ORDER BY e.lease_expires_at_ms, e.partition_key, e.execution_id
  LIMIT $6::bigint;

-- suspended
SELECT e.partition_key, e.execution_id, e.suspension_id, e.attempt_index, e.suspended_at_ms, e.timeout_at_ms,
    e.reason_code, e.condition, e.satisfied_set, e.timeout_behavior, e.resume_policy, e.requested_by,
    e.continuation_pointer, e.satisfied_at_ms, e.closer_signal_id, e.closed_at_ms, e.close_reason
  FROM ff_suspension_current AS e
  WHERE e.closed_at_ms IS NULL AND (e.suspended_at_ms, e.partition_key, e.execution_id) > ($1::bigint, $2::smallint,
    $3::uuid) AND ($4::smallint IS NULL OR e.partition_key = $4::smallint)
  ORDER BY e.suspended_at_ms, e.partition_key, e.execution_id
  LIMIT $5::bigint;

-- count_claimable
SELECT count(*)
  FROM (SELECT
  FROM ff_exec_core AS e
  WHERE e.claim_class IS NOT NULL
  LIMIT $1::bigint) AS few;

-- sort_claimable
SELECT e.partition_key, e.execution_id, e.created_at_ms, e.class_id, e.lane_id, e.namespace, e.execution_kind,
    e.creator_identity, e.idempotency_key, e.payload_encoding, e.required_capabilities, e.policy, e.own_retention_ms,
    e.node_name, e.traceparent, e.tracestate, e.flow_id, e.priority, e.tags, e.instance_tag, e.deadline_at_ms,
    e.deadline_check_at_ms, e.retry_count, e.replay_count, e.lease_reclaim_count, e.deps_blocked, e.blocking_detail,
    e.failure_reason, e.failure_category, e.result_encoding, e.cancellation_reason, e.cancelled_by,
    e.cancellation_cause, e.progress_pct, e.progress_message, e.progress_updated_at_ms, e.activity_epoch,
    e.attempt_time_left_ms, e.last_release, e.grant_until_ms, e.has_waitpoints, e.signal_count, e.has_stream,
    e.current_suspension_id, e.current_waitpoint_id, e.lifecycle_phase, e.ownership_state, e.eligibility_state,
    e.public_state, e.attempt_state, e.blocking_reason, e.terminal_outcome, e.attempt_index, e.total_attempt_count,
    e.lease_epoch, e.attempt_id, e.attempt_type, e.attempt_started_at_ms, e.previous_attempt_index, e.interrupt_cause,
    e.lease_id, e.worker_id, e.worker_instance_id, e.lease_acquired_at_ms, e.lease_expires_at_ms,
    e.lease_last_renewed_at_ms, e.lease_check_at_ms, e.reclaimable_since_ms, e.delay_until_ms, e.attempt_deadline_at_ms,
    e.started_at_ms, e.terminal_at_ms, e.last_transition_at_ms, e.last_mutation_at_ms
  FROM ff_exec_core AS e
  WHERE (e.partition_key, e.execution_id) > ($1::smallint, $2::uuid) AND e.partition_key <= $4::smallint AND
    e.public_state = $5::text AND (e.claim_class IS NOT NULL)
  ORDER BY e.partition_key + 0, e.execution_id
  LIMIT $3::bigint;

-- count_members
SELECT count(*)
  FROM (SELECT
  FROM ff_exec_core AS e
  WHERE (e.partition_key, e.flow_id) IN (SELECT f.partition_key, f.flow_id
  FROM ff_flow_core AS f
  WHERE NOT f.summarised)
  LIMIT $1::bigint) AS few;

-- sort_members
SELECT e.partition_key, e.execution_id, e.created_at_ms, e.class_id, e.lane_id, e.namespace, e.execution_kind,
    e.creator_identity, e.idempotency_key, e.payload_encoding, e.required_capabilities, e.policy, e.own_retention_ms,
    e.node_name, e.traceparent, e.tracestate, e.flow_id, e.priority, e.tags, e.instance_tag, e.deadline_at_ms,
    e.deadline_check_at_ms, e.retry_count, e.replay_count, e.lease_reclaim_count, e.deps_blocked, e.blocking_detail,
    e.failure_reason, e.failure_category, e.result_encoding, e.cancellation_reason, e.cancelled_by,
    e.cancellation_cause, e.progress_pct, e.progress_message, e.progress_updated_at_ms, e.activity_epoch,
    e.attempt_time_left_ms, e.last_release, e.grant_until_ms, e.has_waitpoints, e.signal_count, e.has_stream,
    e.current_suspension_id, e.current_waitpoint_id, e.lifecycle_phase, e.ownership_state, e.eligibility_state,
    e.public_state, e.attempt_state, e.blocking_reason, e.terminal_outcome, e.attempt_index, e.total_attempt_count,
    e.lease_epoch, e.attempt_id, e.attempt_type, e.attempt_started_at_ms, e.previous_attempt_index, e.interrupt_cause,
    e.lease_id, e.worker_id, e.worker_instance_id, e.lease_acquired_at_ms, e.lease_expires_at_ms,
    e.lease_last_renewed_at_ms, e.lease_check_at_ms, e.reclaimable_since_ms, e.delay_until_ms, e.attempt_deadline_at_ms,
    e.started_at_ms, e.terminal_at_ms, e.last_transition_at_ms, e.last_mutation_at_ms
  FROM ff_exec_core AS e
  WHERE (e.partition_key, e.execution_id) > ($1::smallint, $2::uuid) AND e.partition_key <= $4::smallint AND
    e.public_state = $5::text AND ((e.partition_key, e.flow_id) IN (SELECT f.partition_key, f.flow_id
  FROM ff_flow_core AS f
  WHERE NOT f.summarised))
  ORDER BY e.partition_key + 0, e.execution_id
  LIMIT $3::bigint;

-- count_delayed
SELECT count(*)
  FROM (SELECT
  FROM ff_exec_core AS e
  WHERE e.delay_until_ms IS NOT NULL
  LIMIT $1::bigint) AS few;

-- sort_delayed
SELECT e.partition_key, e.execution_id, e.created_at_ms, e.class_id, e.lane_id, e.namespace, e.execution_kind,
    e.creator_identity, e.idempotency_key, e.payload_encoding, e.required_capabilities, e.policy, e.own_retention_ms,
    e.node_name, e.traceparent, e.tracestate, e.flow_id, e.priority, e.tags, e.instance_tag, e.deadline_at_ms,
    e.deadline_check_at_ms, e.retry_count, e.replay_count, e.lease_reclaim_count, e.deps_blocked, e.blocking_detail,
    e.failure_reason, e.failure_category, e.result_encoding, e.cancellation_reason, e.cancelled_by,
    e.cancellation_cause, e.progress_pct, e.progress_message, e.progress_updated_at_ms, e.activity_epoch,
    e.attempt_time_left_ms, e.last_release, e.grant_until_ms, e.has_waitpoints, e.signal_count, e.has_stream,
    e.current_suspension_id, e.current_waitpoint_id, e.lifecycle_phase, e.ownership_state, e.eligibility_state,
    e.public_state, e.attempt_state, e.blocking_reason, e.terminal_outcome, e.attempt_index, e.total_attempt_count,
    e.lease_epoch, e.attempt_id, e.attempt_type, e.attempt_started_at_ms, e.previous_attempt_index, e.interrupt_cause,
    e.lease_id, e.worker_id, e.worker_instance_id, e.lease_acquired_at_ms, e.lease_expires_at_ms,
    e.lease_last_renewed_at_ms, e.lease_check_at_ms, e.reclaimable_since_ms, e.delay_until_ms, e.attempt_deadline_at_ms,
    e.started_at_ms, e.terminal_at_ms, e.last_transition_at_ms, e.last_mutation_at_ms
  FROM ff_exec_core AS e
  WHERE (e.partition_key, e.execution_id) > ($1::smallint, $2::uuid) AND e.partition_key <= $4::smallint AND
    e.public_state = $5::text AND (e.delay_until_ms IS NOT NULL)
  ORDER BY e.partition_key + 0, e.execution_id
  LIMIT $3::bigint;

-- count_active
SELECT count(*)
  FROM (SELECT
  FROM ff_exec_core AS e
  WHERE e.lease_check_at_ms IS NOT NULL OR e.reclaimable_since_ms IS NOT NULL
  LIMIT $1::bigint) AS few;

-- sort_active
SELECT e.partition_key, e.execution_id, e.created_at_ms, e.class_id, e.lane_id, e.namespace, e.execution_kind,
    e.creator_identity, e.idempotency_key, e.payload_encoding, e.required_capabilities, e.policy, e.own_retention_ms,
    e.node_name, e.traceparent, e.tracestate, e.flow_id, e.priority, e.tags, e.instance_tag, e.deadline_at_ms,
    e.deadline_check_at_ms, e.retry_count, e.replay_count, e.lease_reclaim_count, e.deps_blocked, e.blocking_detail,
    e.failure_reason, e.failure_category, e.result_encoding, e.cancellation_reason, e.cancelled_by,
    e.cancellation_cause, e.progress_pct, e.progress_message, e.progress_updated_at_ms, e.activity_epoch,
    e.attempt_time_left_ms, e.last_release, e.grant_until_ms, e.has_waitpoints, e.signal_count, e.has_stream,
    e.current_suspension_id, e.current_waitpoint_id, e.lifecycle_phase, e.ownership_state, e.eligibility_state,
    e.public_state, e.attempt_state, e.blocking_reason, e.terminal_outcome, e.attempt_index, e.total_attempt_count,
    e.lease_epoch, e.attempt_id, e.attempt_type, e.attempt_started_at_ms, e.previous_attempt_index, e.interrupt_cause,
    e.lease_id, e.worker_id, e.worker_instance_id, e.lease_acquired_at_ms, e.lease_expires_at_ms,
    e.lease_last_renewed_at_ms, e.lease_check_at_ms, e.reclaimable_since_ms, e.delay_until_ms, e.attempt_deadline_at_ms,
    e.started_at_ms, e.terminal_at_ms, e.last_transition_at_ms, e.last_mutation_at_ms
  FROM ff_exec_core AS e
  WHERE (e.partition_key, e.execution_id) > ($1::smallint, $2::uuid) AND e.partition_key <= $4::smallint AND
    e.public_state = $5::text AND (e.lease_check_at_ms IS NOT NULL OR e.reclaimable_since_ms IS NOT NULL)
  ORDER BY e.partition_key + 0, e.execution_id
  LIMIT $3::bigint;

-- routes
SELECT g.lane_revision, g.setting_revision, c.class_id, c.lane_id, c.required_capabilities, l.lane_state
  FROM ff_partition_config AS g
  LEFT
  JOIN ff_claim_class AS c
  ON true
  LEFT
  JOIN ff_lane_registry AS l
  ON l.lane_id = c.lane_id
  ORDER BY c.class_id;

-- routes_of_lanes
WITH g AS (SELECT lane_revision, setting_revision
  FROM ff_partition_config
  WHERE singleton)
  SELECT g.lane_revision, g.setting_revision, c.class_id, c.lane_id, c.required_capabilities, NULL AS lane_state
  FROM g
  LEFT
  JOIN (unnest($1::text[]) AS u(lane_id)
  JOIN ff_claim_class AS c USING (lane_id))
  ON true
  UNION ALL
  SELECT g.lane_revision, g.setting_revision, NULL, l.lane_id, NULL, l.lane_state
  FROM g
  JOIN ff_lane_registry AS l
  ON l.lane_state <> 'active'
  WHERE g.lane_revision <> $2::bigint;

-- idempotency_keys
SELECT namespace, idempotency_key, execution_partition, execution_id, expires_at_ms, request_digest, first_state
  FROM ff_idempotency_key
  ORDER BY namespace, idempotency_key;

-- outcomes
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.terminal_outcome
  FROM ff_exec_core AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- undispatched
SELECT e.event_id, e.partition_key, e.execution_id, e.flow_id, e.outcome, e.cancellation_cause
  FROM ff_completion_event AS e
  WHERE e.dispatched_at_ms IS NULL AND e.flow_id IS NOT NULL AND e.occurred_at_ms <= coalesce($1::bigint,
    floor(extract(epoch
  FROM now()) * 1000)::bigint) - $2::bigint
  ORDER BY e.event_id
  LIMIT $3::bigint;

-- undispatched_of
SELECT e.event_id, e.partition_key, e.execution_id, e.flow_id, e.outcome, e.cancellation_cause
  FROM ff_completion_event AS e
  WHERE e.dispatched_at_ms IS NULL AND e.flow_id IS NOT NULL AND (e.partition_key, e.execution_id) IN (SELECT
    u.partition_key, u.execution_id
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id))
  ORDER BY e.event_id;

-- stalled
SELECT u.partition_key, u.upstream_eid, x.flow_id, x.terminal_outcome
  FROM (SELECT DISTINCT o.partition_key, o.upstream_eid
  FROM (SELECT e.partition_key, e.upstream_eid
  FROM ff_edge AS e
  WHERE e.dependency_state = 'unsatisfied' AND e.upstream_eid > $3::uuid
  ORDER BY e.upstream_eid
  LIMIT $4::bigint) AS o) AS u
  LEFT
  JOIN LATERAL (SELECT x.flow_id, x.terminal_outcome, x.terminal_at_ms
  FROM ff_exec_core AS x
  WHERE x.partition_key = u.partition_key AND x.execution_id = u.upstream_eid AND x.lifecycle_phase = 'terminal' OFFSET
    0) AS x
  ON x.terminal_at_ms <= coalesce($1::bigint, floor(extract(epoch
  FROM now()) * 1000)::bigint) - $2::bigint
  ORDER BY u.upstream_eid;

-- unresolved_edges
SELECT e.partition_key, e.flow_id, e.edge_id, e.upstream_eid, e.downstream_eid, e.policy, e.policy_version,
    e.dependency_state, e.generation
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, upstream_eid)
  CROSS
  JOIN LATERAL (SELECT e.*
  FROM ff_edge AS e
  WHERE e.partition_key = u.partition_key AND e.upstream_eid = u.upstream_eid AND e.dependency_state = 'unsatisfied'
    OFFSET 0) AS e
  ORDER BY e.partition_key::integer, e.flow_id, e.edge_id
  LIMIT $3::bigint;

-- needed
SELECT u.partition_key, u.execution_id
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  WHERE EXISTS (SELECT 1
  FROM ff_edge AS e
  JOIN ff_edge_group AS g USING (partition_key, flow_id, downstream_eid)
  WHERE e.partition_key = u.partition_key AND e.upstream_eid = u.execution_id AND e.dependency_state = 'unsatisfied' AND
    g.group_state = 'pending' AND g.generation = e.generation);

-- flows
SELECT e.partition_key, e.flow_id, e.graph_revision, e.public_flow_state, e.created_at_ms, e.terminal_at_ms,
    e.raw_fields, e.tags, e.sealed, e.open_members, e.failed_members, e.summarised
  FROM ff_flow_core AS e
  WHERE (e.partition_key, e.flow_id) > ($1::smallint, $2::uuid) AND e.partition_key <= $4::smallint
  ORDER BY e.partition_key, e.flow_id
  LIMIT $3::bigint;

-- members
SELECT e.partition_key, e.execution_id, e.lifecycle_phase, e.flow_id
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, flow_id)
  CROSS
  JOIN LATERAL (SELECT e.*
  FROM ff_exec_core AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id OFFSET 0) AS e
  ORDER BY e.partition_key::integer, e.execution_id;

-- some_members
SELECT e.partition_key, e.execution_id, e.lifecycle_phase, e.flow_id
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, flow_id)
  CROSS
  JOIN LATERAL (SELECT e.*
  FROM ff_exec_core AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id OFFSET 0) AS e
  ORDER BY e.partition_key::integer, e.execution_id
  LIMIT $3::bigint;

-- member_page
SELECT e.partition_key, e.execution_id, e.created_at_ms, e.namespace, e.lane_id, e.execution_kind, e.public_state,
    e.priority, e.started_at_ms, e.terminal_at_ms, e.failure_category, e.flow_id, e.node_name
  FROM ff_exec_core AS e
  WHERE e.partition_key = $1::smallint AND e.flow_id = $2::uuid AND ($3::uuid IS NULL OR e.execution_id > $3::uuid)
  ORDER BY e.execution_id
  LIMIT $4::bigint;

-- tallies
SELECT e.partition_key, e.flow_id, e.graph_revision, e.public_flow_state, e.created_at_ms, e.terminal_at_ms,
    e.raw_fields, e.tags, e.sealed, e.open_members, e.failed_members, e.summarised, s.public_state, s.terminal_outcome,
    s.cancellation_cause, s.members, s.last_end_ms, s.kept_until_ms, s.kept_for_ever
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, flow_id)
  CROSS
  JOIN LATERAL (SELECT e.*
  FROM ff_flow_core AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id OFFSET 0) AS e
  LEFT
  JOIN LATERAL (SELECT m.public_state, m.terminal_outcome, m.cancellation_cause, count(*) AS members,
    max(m.terminal_at_ms) FILTER (WHERE m.own_retention_ms IS NULL) AS last_end_ms, max(m.terminal_at_ms +
    least(m.own_retention_ms, 9223372036854775807 - greatest(m.terminal_at_ms, 0))) FILTER (WHERE m.own_retention_ms >
    0) AS kept_until_ms, coalesce(bool_or(m.own_retention_ms = 0 AND m.terminal_at_ms IS NOT NULL), false) AS
    kept_for_ever
  FROM ff_exec_core AS m
  WHERE m.partition_key = e.partition_key AND m.flow_id = e.flow_id
  GROUP BY m.public_state, m.terminal_outcome, m.cancellation_cause) AS s
  ON true
  ORDER BY e.partition_key::integer, e.flow_id;

-- unsummarised
SELECT e.partition_key, e.flow_id, e.graph_revision, e.public_flow_state, e.created_at_ms, e.terminal_at_ms,
    e.raw_fields, e.tags, e.sealed, e.open_members, e.failed_members, e.summarised
  FROM ff_flow_core AS e
  WHERE NOT e.summarised AND (e.partition_key, e.flow_id) > ($1::smallint, $2::uuid)
  ORDER BY e.partition_key, e.flow_id
  LIMIT $3::bigint;

-- edges
SELECT e.edge_id
  FROM ff_edge AS e
  WHERE e.partition_key = $1::smallint AND e.flow_id = $2::uuid
  ORDER BY e.edge_id
  LIMIT $3::bigint;

-- edge_page
SELECT e.partition_key, e.flow_id, e.edge_id, e.upstream_eid, e.downstream_eid, e.policy, e.policy_version,
    e.dependency_state, e.generation
  FROM ff_edge AS e
  WHERE e.partition_key = $1::smallint AND e.flow_id = $2::uuid AND ($3::uuid IS NULL OR e.edge_id > $3::uuid)
  ORDER BY e.edge_id
  LIMIT $4::bigint;

-- edges_in_to
SELECT e.partition_key, e.flow_id, e.edge_id, e.upstream_eid, e.downstream_eid, e.policy, e.policy_version,
    e.dependency_state, e.generation
  FROM (SELECT e.partition_key, e.flow_id, e.edge_id, e.upstream_eid, e.downstream_eid, e.policy, e.policy_version,
    e.dependency_state, e.generation
  FROM ff_edge AS e
  WHERE e.downstream_eid = $3::uuid OFFSET 0) AS e
  WHERE e.partition_key = $1::smallint AND e.flow_id = $2::uuid AND ($4::uuid IS NULL OR e.edge_id > $4::uuid)
  ORDER BY e.edge_id
  LIMIT $5::bigint;

-- edges_out_of
SELECT e.partition_key, e.flow_id, e.edge_id, e.upstream_eid, e.downstream_eid, e.policy, e.policy_version,
    e.dependency_state, e.generation
  FROM (SELECT e.partition_key, e.flow_id, e.edge_id, e.upstream_eid, e.downstream_eid, e.policy, e.policy_version,
    e.dependency_state, e.generation
  FROM ff_edge AS e
  WHERE e.upstream_eid = $3::uuid OFFSET 0) AS e
  WHERE e.partition_key = $1::smallint AND e.flow_id = $2::uuid AND ($4::uuid IS NULL OR e.edge_id > $4::uuid)
  ORDER BY e.edge_id
  LIMIT $5::bigint;

-- submissions
SELECT e.submission_id, e.partition_key, e.execution_id, e.submitted_at_ms, e.namespace, e.lane_id, e.execution_kind,
    e.payload_encoding, e.priority, e.creator_identity, e.idempotency_key, e.tags, e.policy, e.delay_until_ms,
    e.execution_deadline_at_ms, e.payload
  FROM (SELECT o.submission_id, sum(o.bytes) OVER (ORDER BY o.submission_id) - o.bytes AS before
  FROM (SELECT s.submission_id, coalesce(octet_length(s.payload), 0) AS bytes
  FROM ff_submission AS s
  WHERE s.submission_id > $3::bigint
  ORDER BY s.submission_id
  LIMIT $1::bigint) AS o) AS p
  JOIN ff_submission AS e USING (submission_id)
  WHERE p.before <= $2::bigint
  ORDER BY e.submission_id;

-- submissions_of
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.submission_id, e.partition_key, e.execution_id, e.submitted_at_ms, e.namespace, e.lane_id,
    e.execution_kind, e.payload_encoding, e.priority, e.creator_identity, e.idempotency_key, e.tags, e.policy,
    e.delay_until_ms, e.execution_deadline_at_ms, e.payload
  FROM ff_submission AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- frames
SELECT e.partition_key, e.execution_id, e.attempt_index, e.ts_ms, e.seq, e.frame_no, e.created_at_ms, e.mode,
    e.frame_type, e.correlation_id, e.summary_version, e.ttl_ms, e.payload_encoding, e.payload
  FROM ff_stream_frame AS e
  WHERE e.partition_key = $1::smallint AND e.execution_id = $2::uuid AND e.attempt_index = $3::integer AND (e.ts_ms,
    e.seq) >= ($4::bigint, $5::bigint) AND (e.ts_ms, e.seq) <= ($6::bigint, $7::bigint) AND e.frame_no > (SELECT
    m.cut_through
  FROM ff_stream_meta AS m
  WHERE m.partition_key = $1::smallint AND m.execution_id = $2::uuid AND m.attempt_index = $3::integer) AND ($8::text IS
    NULL OR e.mode <> $8::text)
  ORDER BY e.ts_ms, e.seq
  LIMIT $9::bigint;

-- lane_counts
SELECT lane_id, coalesce(sum(waiting), 0)::bigint, coalesce(sum(delayed), 0)::bigint, coalesce(sum(rate_limited),
    0)::bigint, coalesce(sum(waiting_children), 0)::bigint, coalesce(sum(active), 0)::bigint, coalesce(sum(suspended),
    0)::bigint, coalesce(sum(resumable), 0)::bigint, coalesce(sum(completed), 0)::bigint, coalesce(sum(failed),
    0)::bigint, coalesce(sum(cancelled), 0)::bigint, coalesce(sum(expired), 0)::bigint, coalesce(sum(skipped),
    0)::bigint, coalesce(sum(created), 0)::bigint, coalesce(sum(claimed), 0)::bigint, coalesce(sum(ended_success),
    0)::bigint, coalesce(sum(ended_failed), 0)::bigint, coalesce(sum(ended_cancelled), 0)::bigint,
    coalesce(sum(ended_expired), 0)::bigint, coalesce(sum(ended_skipped), 0)::bigint, coalesce(sum(retries), 0)::bigint,
    coalesce(sum(lease_expiries), 0)::bigint, coalesce(sum(reclaims), 0)::bigint
  FROM ff_lane_count
  WHERE lane_id > $1::text
  GROUP BY lane_id
  ORDER BY lane_id
  LIMIT $2::bigint;

-- counts_of_lane
SELECT coalesce(sum(waiting), 0)::bigint, coalesce(sum(delayed), 0)::bigint, coalesce(sum(rate_limited), 0)::bigint,
    coalesce(sum(waiting_children), 0)::bigint, coalesce(sum(active), 0)::bigint, coalesce(sum(suspended), 0)::bigint,
    coalesce(sum(resumable), 0)::bigint, coalesce(sum(completed), 0)::bigint, coalesce(sum(failed), 0)::bigint,
    coalesce(sum(cancelled), 0)::bigint, coalesce(sum(expired), 0)::bigint, coalesce(sum(skipped), 0)::bigint,
    coalesce(sum(created), 0)::bigint, coalesce(sum(claimed), 0)::bigint, coalesce(sum(ended_success), 0)::bigint,
    coalesce(sum(ended_failed), 0)::bigint, coalesce(sum(ended_cancelled), 0)::bigint, coalesce(sum(ended_expired),
    0)::bigint, coalesce(sum(ended_skipped), 0)::bigint, coalesce(sum(retries), 0)::bigint,
    coalesce(sum(lease_expiries), 0)::bigint, coalesce(sum(reclaims), 0)::bigint
  FROM ff_lane_count
  WHERE lane_id = $1::text;

-- counts_of_all_lanes
SELECT coalesce(sum(waiting), 0)::bigint, coalesce(sum(delayed), 0)::bigint, coalesce(sum(rate_limited), 0)::bigint,
    coalesce(sum(waiting_children), 0)::bigint, coalesce(sum(active), 0)::bigint, coalesce(sum(suspended), 0)::bigint,
    coalesce(sum(resumable), 0)::bigint, coalesce(sum(completed), 0)::bigint, coalesce(sum(failed), 0)::bigint,
    coalesce(sum(cancelled), 0)::bigint, coalesce(sum(expired), 0)::bigint, coalesce(sum(skipped), 0)::bigint,
    coalesce(sum(created), 0)::bigint, coalesce(sum(claimed), 0)::bigint, coalesce(sum(ended_success), 0)::bigint,
    coalesce(sum(ended_failed), 0)::bigint, coalesce(sum(ended_cancelled), 0)::bigint, coalesce(sum(ended_expired),
    0)::bigint, coalesce(sum(ended_skipped), 0)::bigint, coalesce(sum(retries), 0)::bigint,
    coalesce(sum(lease_expiries), 0)::bigint, coalesce(sum(reclaims), 0)::bigint
  FROM ff_lane_count;

-- oldest_eligible
SELECT k.lane_id, min(f.created_at_ms)
  FROM ff_claim_class AS k
  CROSS
  JOIN LATERAL (WITH RECURSIVE level(priority, created_at_ms) AS ((SELECT e.priority, e.created_at_ms
  FROM ff_exec_core AS e
  WHERE e.claim_class = k.class_id
  ORDER BY e.priority DESC, e.created_at_ms, e.execution_id
  LIMIT 1)
  UNION ALL
  SELECT n.priority, n.created_at_ms
  FROM level AS l
  CROSS
  JOIN LATERAL (SELECT e.priority, e.created_at_ms
  FROM ff_exec_core AS e
  WHERE e.claim_class = k.class_id AND e.priority < l.priority
  ORDER BY e.priority DESC, e.created_at_ms, e.execution_id
  LIMIT 1) AS n)
  SELECT created_at_ms
  FROM level) AS f
  WHERE k.lane_id = ANY($1::text[])
  GROUP BY k.lane_id;

-- holders
SELECT o.channel, l.virtualtransaction
  FROM pg_locks AS l
  JOIN (VALUES ('lease', 'ff_lease_event_event_id_seq'::regclass), ('completion',
    'ff_completion_event_event_id_seq'::regclass), ('signal', 'ff_signal_event_event_id_seq'::regclass), ('operator',
    'ff_operator_event_event_id_seq'::regclass), ('audit', 'ff_audit_event_event_id_seq'::regclass)) AS o(channel,
    sequence)
  ON l.relation = o.sequence
  WHERE l.locktype = 'relation' AND l.database = (SELECT d.oid
  FROM pg_database AS d
  WHERE d.datname = current_database()) AND l.mode = 'RowExclusiveLock' AND l.granted;

-- ff_lease_event_sequence
SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END
  FROM ff_lease_event_event_id_seq;

-- ff_lease_event_tail
SELECT e.event_id, e.partition_key, e.execution_id, e.namespace, e.instance_tag, e.event_type, e.lease_id,
    e.lease_epoch, e.attempt_index, e.attempt_id, e.worker_id, e.worker_instance_id, e.prev_worker_instance_id,
    e.reason, e.revoked_by, e.occurred_at_ms
  FROM ff_lease_event AS e
  WHERE e.event_id > $1::bigint AND e.event_id <= $2::bigint
  ORDER BY e.event_id
  LIMIT $3::bigint;

-- ff_lease_event_trimmed
SELECT trimmed
  FROM ff_outbox
  WHERE channel = 'lease';

-- ff_completion_event_sequence
SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END
  FROM ff_completion_event_event_id_seq;

-- ff_completion_event_tail
SELECT e.event_id, e.partition_key, e.execution_id, e.namespace, e.instance_tag, e.flow_id, e.outcome, e.occurred_at_ms,
    e.dispatched_at_ms, e.cancellation_cause
  FROM ff_completion_event AS e
  WHERE e.event_id > $1::bigint AND e.event_id <= $2::bigint
  ORDER BY e.event_id
  LIMIT $3::bigint;

-- ff_completion_event_trimmed
SELECT trimmed
  FROM ff_outbox
  WHERE channel = 'completion';

-- ff_signal_event_sequence
SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END
  FROM ff_signal_event_event_id_seq;

-- ff_signal_event_tail
SELECT e.event_id, e.partition_key, e.execution_id, e.namespace, e.instance_tag, e.signal_id, e.waitpoint_id,
    e.source_identity, e.effect, e.delivered_at_ms
  FROM ff_signal_event AS e
  WHERE e.event_id > $1::bigint AND e.event_id <= $2::bigint
  ORDER BY e.event_id
  LIMIT $3::bigint;

-- ff_signal_event_trimmed
SELECT trimmed
  FROM ff_outbox
  WHERE channel = 'signal';

-- ff_operator_event_sequence
SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END
  FROM ff_operator_event_event_id_seq;

-- ff_operator_event_tail
SELECT e.event_id, e.partition_key, e.execution_id, e.namespace, e.instance_tag, e.subject_kind, e.event_type,
    e.details, e.occurred_at_ms
  FROM ff_operator_event AS e
  WHERE e.event_id > $1::bigint AND e.event_id <= $2::bigint
  ORDER BY e.event_id
  LIMIT $3::bigint;

-- ff_operator_event_trimmed
SELECT trimmed
  FROM ff_outbox
  WHERE channel = 'operator';

-- ff_audit_event_sequence
SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END
  FROM ff_audit_event_event_id_seq;

-- ff_audit_event_tail
SELECT e.event_id, e.actor, e.action, e.subject, e.request_id, e.status, e.occurred_at_ms
  FROM ff_audit_event AS e
  WHERE e.event_id > $1::bigint AND e.event_id <= $2::bigint
  ORDER BY e.event_id
  LIMIT $3::bigint;

-- ff_audit_event_trimmed
SELECT trimmed
  FROM ff_outbox
  WHERE channel = 'audit';

-- ff_lease_event_tail_of
SELECT e.event_id, e.partition_key, e.execution_id, e.namespace, e.instance_tag, e.event_type, e.lease_id,
    e.lease_epoch, e.attempt_index, e.attempt_id, e.worker_id, e.worker_instance_id, e.prev_worker_instance_id,
    e.reason, e.revoked_by, e.occurred_at_ms
  FROM ff_lease_event AS e
  WHERE e.event_id > $1::bigint AND e.event_id <= $2::bigint AND e.partition_key = $4::smallint AND e.execution_id =
    $5::uuid
  ORDER BY e.event_id
  LIMIT $3::bigint;

-- ff_completion_event_tail_of
SELECT e.event_id, e.partition_key, e.execution_id, e.namespace, e.instance_tag, e.flow_id, e.outcome, e.occurred_at_ms,
    e.dispatched_at_ms, e.cancellation_cause
  FROM ff_completion_event AS e
  WHERE e.event_id > $1::bigint AND e.event_id <= $2::bigint AND e.partition_key = $4::smallint AND e.execution_id =
    $5::uuid
  ORDER BY e.event_id
  LIMIT $3::bigint;

-- ff_signal_event_tail_of
SELECT e.event_id, e.partition_key, e.execution_id, e.namespace, e.instance_tag, e.signal_id, e.waitpoint_id,
    e.source_identity, e.effect, e.delivered_at_ms
  FROM ff_signal_event AS e
  WHERE e.event_id > $1::bigint AND e.event_id <= $2::bigint AND e.partition_key = $4::smallint AND e.execution_id =
    $5::uuid
  ORDER BY e.event_id
  LIMIT $3::bigint;

-- ff_operator_event_tail_of
SELECT e.event_id, e.partition_key, e.execution_id, e.namespace, e.instance_tag, e.subject_kind, e.event_type,
    e.details, e.occurred_at_ms
  FROM ff_operator_event AS e
  WHERE e.event_id > $1::bigint AND e.event_id <= $2::bigint AND e.partition_key = $4::smallint AND e.execution_id =
    $5::uuid
  ORDER BY e.event_id
  LIMIT $3::bigint;

-- register_writer
INSERT INTO ff_writer (touched_at_ms)
  VALUES (floor(extract(epoch
  FROM clock_timestamp()) * 1000)::bigint)
  RETURNING writer_id;

-- retire_writer
UPDATE ff_writer
  SET retired = true
  WHERE writer_id = $1::uuid
  RETURNING batch_no;

-- forget_writer
DELETE
  FROM ff_writer
  WHERE writer_id = $1::uuid AND NOT retired;

-- insert_lanes
INSERT INTO ff_lane_registry (lane_id, registered_at_ms, registered_by)
  SELECT DISTINCT u.lane_id, coalesce($2::bigint, floor(extract(epoch
  FROM clock_timestamp()) * 1000)::bigint), 'create_execution'
  FROM unnest($1::text[]) AS u(lane_id)
  ORDER BY 1
  ON CONFLICT DO NOTHING;

-- insert_classes
INSERT INTO ff_claim_class (lane_id, required_capabilities)
  SELECT DISTINCT u.lane_id, string_to_array(u.required_capabilities, '\n')
  FROM unnest($1::text[], $2::text[]) AS u(lane_id, required_capabilities)
  ORDER BY 1, 2
  ON CONFLICT DO NOTHING;

-- retire_lease_checks
WITH due AS (SELECT e.partition_key, e.execution_id
  FROM ff_exec_core AS e
  WHERE e.lease_check_at_ms <= (SELECT coalesce($1::bigint, floor(extract(epoch
  FROM clock_timestamp()) * 1000)::bigint)) AND e.ownership_state <> 'leased'
  ORDER BY e.lease_check_at_ms
  LIMIT $2::bigint
  FOR UPDATE SKIP LOCKED) UPDATE ff_exec_core AS e
  SET lease_check_at_ms = NULL
  FROM due
  WHERE e.partition_key = due.partition_key AND e.execution_id = due.execution_id;

-- sweep_keys
DELETE
  FROM ff_idempotency_key
  WHERE (partition_key, namespace, idempotency_key) IN (SELECT partition_key, namespace, idempotency_key
  FROM ff_idempotency_key
  WHERE expires_at_ms <= (SELECT coalesce($1::bigint, floor(extract(epoch
  FROM clock_timestamp()) * 1000)::bigint))
  ORDER BY expires_at_ms
  LIMIT $2::bigint
  FOR UPDATE SKIP LOCKED);

-- sweep_signal_keys
DELETE
  FROM ff_signal_dedup
  WHERE (partition_key, waitpoint_id, idempotency_key) IN (SELECT partition_key, waitpoint_id, idempotency_key
  FROM ff_signal_dedup
  WHERE expires_at_ms <= (SELECT coalesce($1::bigint, floor(extract(epoch
  FROM clock_timestamp()) * 1000)::bigint))
  ORDER BY expires_at_ms
  LIMIT $2::bigint
  FOR UPDATE SKIP LOCKED);

-- sweep_claim_requests
DELETE
  FROM ff_claim_request
  WHERE (partition_key, worker_instance_id, request_id) IN (SELECT partition_key, worker_instance_id, request_id
  FROM ff_claim_request
  WHERE expires_at_ms <= (SELECT coalesce($1::bigint, floor(extract(epoch
  FROM clock_timestamp()) * 1000)::bigint))
  ORDER BY expires_at_ms
  LIMIT $2::bigint
  FOR UPDATE SKIP LOCKED);

-- sweep_usage_keys
DELETE
  FROM ff_budget_usage_dedup
  WHERE (partition_key, budget_id, operation_family, dedup_key) IN (SELECT partition_key, budget_id, operation_family,
    dedup_key
  FROM ff_budget_usage_dedup
  WHERE expires_at_ms <= (SELECT coalesce($1::bigint, floor(extract(epoch
  FROM clock_timestamp()) * 1000)::bigint))
  ORDER BY expires_at_ms
  LIMIT $2::bigint
  FOR UPDATE SKIP LOCKED);

-- sweep_worker_events
DELETE
  FROM ff_worker_registry_event
  WHERE (partition_key, namespace, worker_instance_id, event_at_ms, event_kind) IN (SELECT partition_key, namespace,
    worker_instance_id, event_at_ms, event_kind
  FROM ff_worker_registry_event
  WHERE event_at_ms <= (SELECT coalesce($1::bigint, floor(extract(epoch
  FROM clock_timestamp()) * 1000)::bigint)) - $3::bigint
  ORDER BY event_at_ms
  LIMIT $2::bigint
  FOR UPDATE SKIP LOCKED);

-- extend_outboxes
SELECT ff_extend_outboxes();

-- sweep_writers
DELETE
  FROM ff_writer
  WHERE touched_at_ms < floor(extract(epoch
  FROM clock_timestamp()) * 1000)::bigint - 7 * 86400000::bigint;

-- fold_counts
WITH turn AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(5063511405218293) AS ours), gone AS (DELETE
  FROM ff_lane_count AS c
  WHERE (SELECT ours
  FROM turn) AND c.writer_id <> '00000000-0000-0000-0000-000000000000'::uuid AND NOT EXISTS (SELECT
  FROM ff_writer AS w
  WHERE w.writer_id = c.writer_id AND NOT w.retired)
  RETURNING c.*) INSERT INTO ff_lane_count AS c (lane_id, writer_id, waiting, delayed, rate_limited, waiting_children,
    active, suspended, resumable, completed, failed, cancelled, expired, skipped, created, claimed, ended_success,
    ended_failed, ended_cancelled, ended_expired, ended_skipped, retries, lease_expiries, reclaims)
  SELECT lane_id, '00000000-0000-0000-0000-000000000000'::uuid, sum(waiting), sum(delayed), sum(rate_limited),
    sum(waiting_children), sum(active), sum(suspended), sum(resumable), sum(completed), sum(failed), sum(cancelled),
    sum(expired), sum(skipped), sum(created), sum(claimed), sum(ended_success), sum(ended_failed), sum(ended_cancelled),
    sum(ended_expired), sum(ended_skipped), sum(retries), sum(lease_expiries), sum(reclaims)
  FROM gone
  GROUP BY lane_id
  ON CONFLICT (lane_id, writer_id) DO UPDATE
  SET waiting = c.waiting + excluded.waiting, delayed = c.delayed + excluded.delayed, rate_limited = c.rate_limited +
    excluded.rate_limited, waiting_children = c.waiting_children + excluded.waiting_children, active = c.active +
    excluded.active, suspended = c.suspended + excluded.suspended, resumable = c.resumable + excluded.resumable,
    completed = c.completed + excluded.completed, failed = c.failed + excluded.failed, cancelled = c.cancelled +
    excluded.cancelled, expired = c.expired + excluded.expired, skipped = c.skipped + excluded.skipped, created =
    c.created + excluded.created, claimed = c.claimed + excluded.claimed, ended_success = c.ended_success +
    excluded.ended_success, ended_failed = c.ended_failed + excluded.ended_failed, ended_cancelled = c.ended_cancelled +
    excluded.ended_cancelled, ended_expired = c.ended_expired + excluded.ended_expired, ended_skipped = c.ended_skipped
    + excluded.ended_skipped, retries = c.retries + excluded.retries, lease_expiries = c.lease_expiries +
    excluded.lease_expiries, reclaims = c.reclaims + excluded.reclaims;

-- lock_outbox
SELECT trimmed
  FROM ff_outbox
  WHERE channel = $1::text
  FOR UPDATE;

-- slowest_consumer
SELECT min(event_id)
  FROM ff_event_consumer
  WHERE channel = $1::text;

-- first_undispatched
SELECT min(event_id)
  FROM ff_completion_event
  WHERE dispatched_at_ms IS NULL;

-- oldest_events
SELECT last_id, newest_at_ms, whole
  FROM ff_oldest_events($1::text, $2::bigint);

-- trim_outbox
SELECT ff_trim_outbox($1::text, $2::bigint, $3::bigint);

-- set_trim_point
UPDATE ff_outbox
  SET trimmed = $2::bigint
  WHERE channel = $1::text;

-- find_ff_lane_registry
SELECT f.*
  FROM unnest($1::text[]) AS u(lane_id)
  CROSS
  JOIN LATERAL (SELECT e.lane_id, e.registered_at_ms, e.registered_by, e.lane_state, e.state_changed_at_ms
  FROM ff_lane_registry AS e
  WHERE e.lane_id = u.lane_id
  FOR UPDATE OF e OFFSET 0) AS f;

-- find_ff_lane_registry_single
SELECT e.lane_id, e.registered_at_ms, e.registered_by, e.lane_state, e.state_changed_at_ms
  FROM (SELECT $1::text AS lane_id) AS u, ff_lane_registry AS e
  WHERE e.lane_id = u.lane_id
  FOR UPDATE OF e;

-- read_ff_lane_registry
SELECT f.*
  FROM unnest($1::text[]) AS u(lane_id)
  CROSS
  JOIN LATERAL (SELECT e.lane_id, e.registered_at_ms, e.registered_by, e.lane_state, e.state_changed_at_ms
  FROM ff_lane_registry AS e
  WHERE e.lane_id = u.lane_id OFFSET 0) AS f;

-- read_ff_lane_registry_single
SELECT e.lane_id, e.registered_at_ms, e.registered_by, e.lane_state, e.state_changed_at_ms
  FROM (SELECT $1::text AS lane_id) AS u, ff_lane_registry AS e
  WHERE e.lane_id = u.lane_id;

-- read_all_ff_lane_registry
SELECT e.lane_id, e.registered_at_ms, e.registered_by, e.lane_state, e.state_changed_at_ms
  FROM ff_lane_registry AS e
  ORDER BY lane_id;

-- lock_ff_lane_registry
LOCK TABLE ff_lane_registry IN EXCLUSIVE MODE;

-- insert_ff_lane_registry
INSERT INTO ff_lane_registry (lane_id, registered_at_ms, registered_by, lane_state, state_changed_at_ms)
  SELECT u.lane_id, u.registered_at_ms, u.registered_by, u.lane_state, u.state_changed_at_ms
  FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::bigint[]) AS u(lane_id, registered_at_ms,
    registered_by, lane_state, state_changed_at_ms);

-- insert_ff_lane_registry_single
INSERT INTO ff_lane_registry (lane_id, registered_at_ms, registered_by, lane_state, state_changed_at_ms)
  SELECT $1::text, $2::bigint, $3::text, $4::text, $5::bigint;

-- upsert_ff_lane_registry
INSERT INTO ff_lane_registry (lane_id, registered_at_ms, registered_by, lane_state, state_changed_at_ms)
  SELECT u.lane_id, u.registered_at_ms, u.registered_by, u.lane_state, u.state_changed_at_ms
  FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::bigint[]) AS u(lane_id, registered_at_ms,
    registered_by, lane_state, state_changed_at_ms)
  ON CONFLICT (lane_id) DO UPDATE
  SET registered_at_ms = excluded.registered_at_ms, registered_by = excluded.registered_by, lane_state =
    excluded.lane_state, state_changed_at_ms = excluded.state_changed_at_ms;

-- upsert_ff_lane_registry_single
INSERT INTO ff_lane_registry (lane_id, registered_at_ms, registered_by, lane_state, state_changed_at_ms)
  SELECT $1::text, $2::bigint, $3::text, $4::text, $5::bigint
  ON CONFLICT (lane_id) DO UPDATE
  SET registered_at_ms = excluded.registered_at_ms, registered_by = excluded.registered_by, lane_state =
    excluded.lane_state, state_changed_at_ms = excluded.state_changed_at_ms;

-- erase_ff_lane_registry
DELETE
  FROM ff_lane_registry
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::text[]) AS u(lane_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_lane_registry AS e
  WHERE e.lane_id = u.lane_id OFFSET 0) AS f));

-- find_ff_flow_core
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, flow_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.flow_id, e.graph_revision, e.public_flow_state, e.created_at_ms,
    e.terminal_at_ms, e.raw_fields, e.tags, e.sealed, e.open_members, e.failed_members, e.summarised
  FROM ff_flow_core AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id
  FOR UPDATE OF e OFFSET 0) AS f;

-- find_ff_flow_core_single
SELECT e.partition_key, e.flow_id, e.graph_revision, e.public_flow_state, e.created_at_ms, e.terminal_at_ms,
    e.raw_fields, e.tags, e.sealed, e.open_members, e.failed_members, e.summarised
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS flow_id) AS u, ff_flow_core AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id
  FOR UPDATE OF e;

-- read_ff_flow_core
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, flow_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.flow_id, e.graph_revision, e.public_flow_state, e.created_at_ms,
    e.terminal_at_ms, e.raw_fields, e.tags, e.sealed, e.open_members, e.failed_members, e.summarised
  FROM ff_flow_core AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id OFFSET 0) AS f;

-- read_ff_flow_core_single
SELECT e.partition_key, e.flow_id, e.graph_revision, e.public_flow_state, e.created_at_ms, e.terminal_at_ms,
    e.raw_fields, e.tags, e.sealed, e.open_members, e.failed_members, e.summarised
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS flow_id) AS u, ff_flow_core AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id;

-- read_all_ff_flow_core
SELECT e.partition_key, e.flow_id, e.graph_revision, e.public_flow_state, e.created_at_ms, e.terminal_at_ms,
    e.raw_fields, e.tags, e.sealed, e.open_members, e.failed_members, e.summarised
  FROM ff_flow_core AS e
  ORDER BY partition_key, flow_id;

-- lock_ff_flow_core
LOCK TABLE ff_flow_core IN EXCLUSIVE MODE;

-- insert_ff_flow_core
INSERT INTO ff_flow_core (partition_key, flow_id, graph_revision, public_flow_state, created_at_ms, terminal_at_ms,
    raw_fields, tags, sealed, open_members, failed_members, summarised)
  SELECT u.partition_key, u.flow_id, u.graph_revision, u.public_flow_state, u.created_at_ms, u.terminal_at_ms,
    u.raw_fields, u.tags, u.sealed, u.open_members, u.failed_members, u.summarised
  FROM unnest($1::smallint[], $2::uuid[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::jsonb[],
    $8::jsonb[], $9::boolean[], $10::integer[], $11::integer[], $12::boolean[]) AS u(partition_key, flow_id,
    graph_revision, public_flow_state, created_at_ms, terminal_at_ms, raw_fields, tags, sealed, open_members,
    failed_members, summarised);

-- insert_ff_flow_core_single
INSERT INTO ff_flow_core (partition_key, flow_id, graph_revision, public_flow_state, created_at_ms, terminal_at_ms,
    raw_fields, tags, sealed, open_members, failed_members, summarised)
  SELECT $1::smallint, $2::uuid, $3::bigint, $4::text, $5::bigint, $6::bigint, $7::jsonb, $8::jsonb, $9::boolean,
    $10::integer, $11::integer, $12::boolean;

-- upsert_ff_flow_core
INSERT INTO ff_flow_core (partition_key, flow_id, graph_revision, public_flow_state, created_at_ms, terminal_at_ms,
    raw_fields, tags, sealed, open_members, failed_members, summarised)
  SELECT u.partition_key, u.flow_id, u.graph_revision, u.public_flow_state, u.created_at_ms, u.terminal_at_ms,
    u.raw_fields, u.tags, u.sealed, u.open_members, u.failed_members, u.summarised
  FROM unnest($1::smallint[], $2::uuid[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::jsonb[],
    $8::jsonb[], $9::boolean[], $10::integer[], $11::integer[], $12::boolean[]) AS u(partition_key, flow_id,
    graph_revision, public_flow_state, created_at_ms, terminal_at_ms, raw_fields, tags, sealed, open_members,
    failed_members, summarised)
  ON CONFLICT (partition_key, flow_id) DO UPDATE
  SET graph_revision = excluded.graph_revision, public_flow_state = excluded.public_flow_state, created_at_ms =
    excluded.created_at_ms, terminal_at_ms = excluded.terminal_at_ms, raw_fields = excluded.raw_fields, tags =
    excluded.tags, sealed = excluded.sealed, open_members = excluded.open_members, failed_members =
    excluded.failed_members, summarised = excluded.summarised;

-- upsert_ff_flow_core_single
INSERT INTO ff_flow_core (partition_key, flow_id, graph_revision, public_flow_state, created_at_ms, terminal_at_ms,
    raw_fields, tags, sealed, open_members, failed_members, summarised)
  SELECT $1::smallint, $2::uuid, $3::bigint, $4::text, $5::bigint, $6::bigint, $7::jsonb, $8::jsonb, $9::boolean,
    $10::integer, $11::integer, $12::boolean
  ON CONFLICT (partition_key, flow_id) DO UPDATE
  SET graph_revision = excluded.graph_revision, public_flow_state = excluded.public_flow_state, created_at_ms =
    excluded.created_at_ms, terminal_at_ms = excluded.terminal_at_ms, raw_fields = excluded.raw_fields, tags =
    excluded.tags, sealed = excluded.sealed, open_members = excluded.open_members, failed_members =
    excluded.failed_members, summarised = excluded.summarised;

-- erase_ff_flow_core
DELETE
  FROM ff_flow_core
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, flow_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_flow_core AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id OFFSET 0) AS f));

-- find_ff_cancel_backlog
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, flow_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.flow_id, e.requested_at_ms, e.requester, e.reason, e.grace_until_ms,
    e.cancellation_policy, e.status
  FROM ff_cancel_backlog AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id OFFSET 0) AS f;

-- find_ff_cancel_backlog_single
SELECT e.partition_key, e.flow_id, e.requested_at_ms, e.requester, e.reason, e.grace_until_ms, e.cancellation_policy,
    e.status
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS flow_id) AS u, ff_cancel_backlog AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id;

-- read_ff_cancel_backlog
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, flow_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.flow_id, e.requested_at_ms, e.requester, e.reason, e.grace_until_ms,
    e.cancellation_policy, e.status
  FROM ff_cancel_backlog AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id OFFSET 0) AS f;

-- read_ff_cancel_backlog_single
SELECT e.partition_key, e.flow_id, e.requested_at_ms, e.requester, e.reason, e.grace_until_ms, e.cancellation_policy,
    e.status
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS flow_id) AS u, ff_cancel_backlog AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id;

-- read_all_ff_cancel_backlog
SELECT e.partition_key, e.flow_id, e.requested_at_ms, e.requester, e.reason, e.grace_until_ms, e.cancellation_policy,
    e.status
  FROM ff_cancel_backlog AS e
  ORDER BY partition_key, flow_id;

-- read_first_ff_cancel_backlog
SELECT e.partition_key, e.flow_id, e.requested_at_ms, e.requester, e.reason, e.grace_until_ms, e.cancellation_policy,
    e.status
  FROM ff_cancel_backlog AS e
  ORDER BY e.grace_until_ms, e.partition_key, e.flow_id
  LIMIT $1::bigint;

-- lock_ff_cancel_backlog
LOCK TABLE ff_cancel_backlog IN EXCLUSIVE MODE;

-- insert_ff_cancel_backlog
INSERT INTO ff_cancel_backlog (partition_key, flow_id, requested_at_ms, requester, reason, grace_until_ms,
    cancellation_policy, status)
  SELECT u.partition_key, u.flow_id, u.requested_at_ms, u.requester, u.reason, u.grace_until_ms, u.cancellation_policy,
    u.status
  FROM unnest($1::smallint[], $2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::text[]) AS
    u(partition_key, flow_id, requested_at_ms, requester, reason, grace_until_ms, cancellation_policy, status);

-- insert_ff_cancel_backlog_single
INSERT INTO ff_cancel_backlog (partition_key, flow_id, requested_at_ms, requester, reason, grace_until_ms,
    cancellation_policy, status)
  SELECT $1::smallint, $2::uuid, $3::bigint, $4::text, $5::text, $6::bigint, $7::text, $8::text;

-- upsert_ff_cancel_backlog
INSERT INTO ff_cancel_backlog (partition_key, flow_id, requested_at_ms, requester, reason, grace_until_ms,
    cancellation_policy, status)
  SELECT u.partition_key, u.flow_id, u.requested_at_ms, u.requester, u.reason, u.grace_until_ms, u.cancellation_policy,
    u.status
  FROM unnest($1::smallint[], $2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::text[]) AS
    u(partition_key, flow_id, requested_at_ms, requester, reason, grace_until_ms, cancellation_policy, status)
  ON CONFLICT (partition_key, flow_id) DO UPDATE
  SET requested_at_ms = excluded.requested_at_ms, requester = excluded.requester, reason = excluded.reason,
    grace_until_ms = excluded.grace_until_ms, cancellation_policy = excluded.cancellation_policy, status =
    excluded.status;

-- upsert_ff_cancel_backlog_single
INSERT INTO ff_cancel_backlog (partition_key, flow_id, requested_at_ms, requester, reason, grace_until_ms,
    cancellation_policy, status)
  SELECT $1::smallint, $2::uuid, $3::bigint, $4::text, $5::text, $6::bigint, $7::text, $8::text
  ON CONFLICT (partition_key, flow_id) DO UPDATE
  SET requested_at_ms = excluded.requested_at_ms, requester = excluded.requester, reason = excluded.reason,
    grace_until_ms = excluded.grace_until_ms, cancellation_policy = excluded.cancellation_policy, status =
    excluded.status;

-- erase_ff_cancel_backlog
DELETE
  FROM ff_cancel_backlog
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, flow_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_cancel_backlog AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id OFFSET 0) AS f));

-- find_ff_cancel_backlog_member
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::text[]) AS u(partition_key, flow_id, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.flow_id, e.execution_id
  FROM ff_cancel_backlog_member AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- find_ff_cancel_backlog_member_single
SELECT e.partition_key, e.flow_id, e.execution_id
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS flow_id, $3::text AS execution_id) AS u,
    ff_cancel_backlog_member AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id AND e.execution_id = u.execution_id;

-- read_ff_cancel_backlog_member
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::text[]) AS u(partition_key, flow_id, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.flow_id, e.execution_id
  FROM ff_cancel_backlog_member AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- read_ff_cancel_backlog_member_single
SELECT e.partition_key, e.flow_id, e.execution_id
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS flow_id, $3::text AS execution_id) AS u,
    ff_cancel_backlog_member AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id AND e.execution_id = u.execution_id;

-- find_in_flow_ff_cancel_backlog_member
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, flow_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.flow_id, e.execution_id
  FROM ff_cancel_backlog_member AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id
  ORDER BY e.partition_key::integer, e.flow_id, e.execution_id OFFSET 0) AS f;

-- find_in_flow_ff_cancel_backlog_member_single
SELECT e.partition_key, e.flow_id, e.execution_id
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS flow_id) AS u, ff_cancel_backlog_member AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id
  ORDER BY e.partition_key::integer, e.flow_id, e.execution_id;

-- read_in_flow_ff_cancel_backlog_member
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, flow_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.flow_id, e.execution_id
  FROM ff_cancel_backlog_member AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id OFFSET 0) AS f;

-- read_in_flow_ff_cancel_backlog_member_single
SELECT e.partition_key, e.flow_id, e.execution_id
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS flow_id) AS u, ff_cancel_backlog_member AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id;

-- read_all_ff_cancel_backlog_member
SELECT e.partition_key, e.flow_id, e.execution_id
  FROM ff_cancel_backlog_member AS e
  ORDER BY partition_key, flow_id, execution_id;

-- lock_ff_cancel_backlog_member
LOCK TABLE ff_cancel_backlog_member IN EXCLUSIVE MODE;

-- insert_ff_cancel_backlog_member
INSERT INTO ff_cancel_backlog_member (partition_key, flow_id, execution_id)
  SELECT u.partition_key, u.flow_id, u.execution_id
  FROM unnest($1::smallint[], $2::uuid[], $3::text[]) AS u(partition_key, flow_id, execution_id);

-- insert_ff_cancel_backlog_member_single
INSERT INTO ff_cancel_backlog_member (partition_key, flow_id, execution_id)
  SELECT $1::smallint, $2::uuid, $3::text;

-- upsert_ff_cancel_backlog_member
INSERT INTO ff_cancel_backlog_member (partition_key, flow_id, execution_id)
  SELECT u.partition_key, u.flow_id, u.execution_id
  FROM unnest($1::smallint[], $2::uuid[], $3::text[]) AS u(partition_key, flow_id, execution_id)
  ON CONFLICT (partition_key, flow_id, execution_id) DO NOTHING;

-- upsert_ff_cancel_backlog_member_single
INSERT INTO ff_cancel_backlog_member (partition_key, flow_id, execution_id)
  SELECT $1::smallint, $2::uuid, $3::text
  ON CONFLICT (partition_key, flow_id, execution_id) DO NOTHING;

-- erase_ff_cancel_backlog_member
DELETE
  FROM ff_cancel_backlog_member
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::text[]) AS u(partition_key, flow_id, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_cancel_backlog_member AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id AND e.execution_id = u.execution_id OFFSET 0) AS f));

-- find_ff_flow_summary
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, flow_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.flow_id, e.total_members, e.sampled_members, e.members_completed,
    e.members_failed, e.members_cancelled, e.members_expired, e.members_skipped, e.members_active, e.members_suspended,
    e.members_waiting, e.members_delayed, e.members_rate_limited, e.members_waiting_children, e.public_flow_state,
    e.last_summary_update_at_ms
  FROM ff_flow_summary AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id OFFSET 0) AS f;

-- find_ff_flow_summary_single
SELECT e.partition_key, e.flow_id, e.total_members, e.sampled_members, e.members_completed, e.members_failed,
    e.members_cancelled, e.members_expired, e.members_skipped, e.members_active, e.members_suspended, e.members_waiting,
    e.members_delayed, e.members_rate_limited, e.members_waiting_children, e.public_flow_state,
    e.last_summary_update_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS flow_id) AS u, ff_flow_summary AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id;

-- read_ff_flow_summary
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, flow_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.flow_id, e.total_members, e.sampled_members, e.members_completed,
    e.members_failed, e.members_cancelled, e.members_expired, e.members_skipped, e.members_active, e.members_suspended,
    e.members_waiting, e.members_delayed, e.members_rate_limited, e.members_waiting_children, e.public_flow_state,
    e.last_summary_update_at_ms
  FROM ff_flow_summary AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id OFFSET 0) AS f;

-- read_ff_flow_summary_single
SELECT e.partition_key, e.flow_id, e.total_members, e.sampled_members, e.members_completed, e.members_failed,
    e.members_cancelled, e.members_expired, e.members_skipped, e.members_active, e.members_suspended, e.members_waiting,
    e.members_delayed, e.members_rate_limited, e.members_waiting_children, e.public_flow_state,
    e.last_summary_update_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS flow_id) AS u, ff_flow_summary AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id;

-- read_all_ff_flow_summary
SELECT e.partition_key, e.flow_id, e.total_members, e.sampled_members, e.members_completed, e.members_failed,
    e.members_cancelled, e.members_expired, e.members_skipped, e.members_active, e.members_suspended, e.members_waiting,
    e.members_delayed, e.members_rate_limited, e.members_waiting_children, e.public_flow_state,
    e.last_summary_update_at_ms
  FROM ff_flow_summary AS e
  ORDER BY partition_key, flow_id;

-- lock_ff_flow_summary
LOCK TABLE ff_flow_summary IN EXCLUSIVE MODE;

-- insert_ff_flow_summary
INSERT INTO ff_flow_summary (partition_key, flow_id, total_members, sampled_members, members_completed, members_failed,
    members_cancelled, members_expired, members_skipped, members_active, members_suspended, members_waiting,
    members_delayed, members_rate_limited, members_waiting_children, public_flow_state, last_summary_update_at_ms)
  SELECT u.partition_key, u.flow_id, u.total_members, u.sampled_members, u.members_completed, u.members_failed,
    u.members_cancelled, u.members_expired, u.members_skipped, u.members_active, u.members_suspended, u.members_waiting,
    u.members_delayed, u.members_rate_limited, u.members_waiting_children, u.public_flow_state,
    u.last_summary_update_at_ms
  FROM unnest($1::smallint[], $2::uuid[], $3::bigint[], $4::integer[], $5::integer[], $6::integer[], $7::integer[],
    $8::integer[], $9::integer[], $10::integer[], $11::integer[], $12::integer[], $13::integer[], $14::integer[],
    $15::integer[], $16::text[], $17::bigint[]) AS u(partition_key, flow_id, total_members, sampled_members,
    members_completed, members_failed, members_cancelled, members_expired, members_skipped, members_active,
    members_suspended, members_waiting, members_delayed, members_rate_limited, members_waiting_children,
    public_flow_state, last_summary_update_at_ms);

-- insert_ff_flow_summary_single
INSERT INTO ff_flow_summary (partition_key, flow_id, total_members, sampled_members, members_completed, members_failed,
    members_cancelled, members_expired, members_skipped, members_active, members_suspended, members_waiting,
    members_delayed, members_rate_limited, members_waiting_children, public_flow_state, last_summary_update_at_ms)
  SELECT $1::smallint, $2::uuid, $3::bigint, $4::integer, $5::integer, $6::integer, $7::integer, $8::integer,
    $9::integer, $10::integer, $11::integer, $12::integer, $13::integer, $14::integer, $15::integer, $16::text,
    $17::bigint;

-- upsert_ff_flow_summary
INSERT INTO ff_flow_summary (partition_key, flow_id, total_members, sampled_members, members_completed, members_failed,
    members_cancelled, members_expired, members_skipped, members_active, members_suspended, members_waiting,
    members_delayed, members_rate_limited, members_waiting_children, public_flow_state, last_summary_update_at_ms)
  SELECT u.partition_key, u.flow_id, u.total_members, u.sampled_members, u.members_completed, u.members_failed,
    u.members_cancelled, u.members_expired, u.members_skipped, u.members_active, u.members_suspended, u.members_waiting,
    u.members_delayed, u.members_rate_limited, u.members_waiting_children, u.public_flow_state,
    u.last_summary_update_at_ms
  FROM unnest($1::smallint[], $2::uuid[], $3::bigint[], $4::integer[], $5::integer[], $6::integer[], $7::integer[],
    $8::integer[], $9::integer[], $10::integer[], $11::integer[], $12::integer[], $13::integer[], $14::integer[],
    $15::integer[], $16::text[], $17::bigint[]) AS u(partition_key, flow_id, total_members, sampled_members,
    members_completed, members_failed, members_cancelled, members_expired, members_skipped, members_active,
    members_suspended, members_waiting, members_delayed, members_rate_limited, members_waiting_children,
    public_flow_state, last_summary_update_at_ms)
  ON CONFLICT (partition_key, flow_id) DO UPDATE
  SET total_members = excluded.total_members, sampled_members = excluded.sampled_members, members_completed =
    excluded.members_completed, members_failed = excluded.members_failed, members_cancelled =
    excluded.members_cancelled, members_expired = excluded.members_expired, members_skipped = excluded.members_skipped,
    members_active = excluded.members_active, members_suspended = excluded.members_suspended, members_waiting =
    excluded.members_waiting, members_delayed = excluded.members_delayed, members_rate_limited =
    excluded.members_rate_limited, members_waiting_children = excluded.members_waiting_children, public_flow_state =
    excluded.public_flow_state, last_summary_update_at_ms = excluded.last_summary_update_at_ms;

-- upsert_ff_flow_summary_single
INSERT INTO ff_flow_summary (partition_key, flow_id, total_members, sampled_members, members_completed, members_failed,
    members_cancelled, members_expired, members_skipped, members_active, members_suspended, members_waiting,
    members_delayed, members_rate_limited, members_waiting_children, public_flow_state, last_summary_update_at_ms)
  SELECT $1::smallint, $2::uuid, $3::bigint, $4::integer, $5::integer, $6::integer, $7::integer, $8::integer,
    $9::integer, $10::integer, $11::integer, $12::integer, $13::integer, $14::integer, $15::integer, $16::text,
    $17::bigint
  ON CONFLICT (partition_key, flow_id) DO UPDATE
  SET total_members = excluded.total_members, sampled_members = excluded.sampled_members, members_completed =
    excluded.members_completed, members_failed = excluded.members_failed, members_cancelled =
    excluded.members_cancelled, members_expired = excluded.members_expired, members_skipped = excluded.members_skipped,
    members_active = excluded.members_active, members_suspended = excluded.members_suspended, members_waiting =
    excluded.members_waiting, members_delayed = excluded.members_delayed, members_rate_limited =
    excluded.members_rate_limited, members_waiting_children = excluded.members_waiting_children, public_flow_state =
    excluded.public_flow_state, last_summary_update_at_ms = excluded.last_summary_update_at_ms;

-- erase_ff_flow_summary
DELETE
  FROM ff_flow_summary
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, flow_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_flow_summary AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id OFFSET 0) AS f));

-- find_ff_flow_retention_due
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, flow_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.flow_id, e.remove_at_ms
  FROM ff_flow_retention_due AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id OFFSET 0) AS f;

-- find_ff_flow_retention_due_single
SELECT e.partition_key, e.flow_id, e.remove_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS flow_id) AS u, ff_flow_retention_due AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id;

-- read_ff_flow_retention_due
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, flow_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.flow_id, e.remove_at_ms
  FROM ff_flow_retention_due AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id OFFSET 0) AS f;

-- read_ff_flow_retention_due_single
SELECT e.partition_key, e.flow_id, e.remove_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS flow_id) AS u, ff_flow_retention_due AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id;

-- read_all_ff_flow_retention_due
SELECT e.partition_key, e.flow_id, e.remove_at_ms
  FROM ff_flow_retention_due AS e
  ORDER BY partition_key, flow_id;

-- lock_ff_flow_retention_due
LOCK TABLE ff_flow_retention_due IN EXCLUSIVE MODE;

-- insert_ff_flow_retention_due
INSERT INTO ff_flow_retention_due (partition_key, flow_id, remove_at_ms)
  SELECT u.partition_key, u.flow_id, u.remove_at_ms
  FROM unnest($1::smallint[], $2::uuid[], $3::bigint[]) AS u(partition_key, flow_id, remove_at_ms);

-- insert_ff_flow_retention_due_single
INSERT INTO ff_flow_retention_due (partition_key, flow_id, remove_at_ms)
  SELECT $1::smallint, $2::uuid, $3::bigint;

-- upsert_ff_flow_retention_due
INSERT INTO ff_flow_retention_due (partition_key, flow_id, remove_at_ms)
  SELECT u.partition_key, u.flow_id, u.remove_at_ms
  FROM unnest($1::smallint[], $2::uuid[], $3::bigint[]) AS u(partition_key, flow_id, remove_at_ms)
  ON CONFLICT (partition_key, flow_id) DO UPDATE
  SET remove_at_ms = excluded.remove_at_ms;

-- upsert_ff_flow_retention_due_single
INSERT INTO ff_flow_retention_due (partition_key, flow_id, remove_at_ms)
  SELECT $1::smallint, $2::uuid, $3::bigint
  ON CONFLICT (partition_key, flow_id) DO UPDATE
  SET remove_at_ms = excluded.remove_at_ms;

-- erase_ff_flow_retention_due
DELETE
  FROM ff_flow_retention_due
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, flow_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_flow_retention_due AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id OFFSET 0) AS f));

-- find_ff_edge_group
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[]) AS u(partition_key, flow_id, downstream_eid)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.flow_id, e.downstream_eid, e.policy, e.k_target, e.success_count,
    e.fail_count, e.skip_count, e.running_count, e.cancel_siblings_pending_flag, e.cancel_siblings_pending_members,
    e.sibling_reason, e.group_state, e.n, e.n_fixed, e.generation
  FROM ff_edge_group AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id AND e.downstream_eid = u.downstream_eid
  FOR UPDATE OF e OFFSET 0) AS f;

-- find_ff_edge_group_single
SELECT e.partition_key, e.flow_id, e.downstream_eid, e.policy, e.k_target, e.success_count, e.fail_count, e.skip_count,
    e.running_count, e.cancel_siblings_pending_flag, e.cancel_siblings_pending_members, e.sibling_reason, e.group_state,
    e.n, e.n_fixed, e.generation
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS flow_id, $3::uuid AS downstream_eid) AS u, ff_edge_group AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id AND e.downstream_eid = u.downstream_eid
  FOR UPDATE OF e;

-- read_ff_edge_group
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[]) AS u(partition_key, flow_id, downstream_eid)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.flow_id, e.downstream_eid, e.policy, e.k_target, e.success_count,
    e.fail_count, e.skip_count, e.running_count, e.cancel_siblings_pending_flag, e.cancel_siblings_pending_members,
    e.sibling_reason, e.group_state, e.n, e.n_fixed, e.generation
  FROM ff_edge_group AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id AND e.downstream_eid = u.downstream_eid OFFSET 0) AS
    f;

-- read_ff_edge_group_single
SELECT e.partition_key, e.flow_id, e.downstream_eid, e.policy, e.k_target, e.success_count, e.fail_count, e.skip_count,
    e.running_count, e.cancel_siblings_pending_flag, e.cancel_siblings_pending_members, e.sibling_reason, e.group_state,
    e.n, e.n_fixed, e.generation
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS flow_id, $3::uuid AS downstream_eid) AS u, ff_edge_group AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id AND e.downstream_eid = u.downstream_eid;

-- find_in_flow_ff_edge_group
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, flow_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.flow_id, e.downstream_eid, e.policy, e.k_target, e.success_count,
    e.fail_count, e.skip_count, e.running_count, e.cancel_siblings_pending_flag, e.cancel_siblings_pending_members,
    e.sibling_reason, e.group_state, e.n, e.n_fixed, e.generation
  FROM ff_edge_group AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id
  ORDER BY e.partition_key::integer, e.flow_id, e.downstream_eid
  FOR UPDATE OF e OFFSET 0) AS f;

-- find_in_flow_ff_edge_group_single
SELECT e.partition_key, e.flow_id, e.downstream_eid, e.policy, e.k_target, e.success_count, e.fail_count, e.skip_count,
    e.running_count, e.cancel_siblings_pending_flag, e.cancel_siblings_pending_members, e.sibling_reason, e.group_state,
    e.n, e.n_fixed, e.generation
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS flow_id) AS u, ff_edge_group AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id
  ORDER BY e.partition_key::integer, e.flow_id, e.downstream_eid
  FOR UPDATE OF e;

-- read_in_flow_ff_edge_group
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, flow_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.flow_id, e.downstream_eid, e.policy, e.k_target, e.success_count,
    e.fail_count, e.skip_count, e.running_count, e.cancel_siblings_pending_flag, e.cancel_siblings_pending_members,
    e.sibling_reason, e.group_state, e.n, e.n_fixed, e.generation
  FROM ff_edge_group AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id OFFSET 0) AS f;

-- read_in_flow_ff_edge_group_single
SELECT e.partition_key, e.flow_id, e.downstream_eid, e.policy, e.k_target, e.success_count, e.fail_count, e.skip_count,
    e.running_count, e.cancel_siblings_pending_flag, e.cancel_siblings_pending_members, e.sibling_reason, e.group_state,
    e.n, e.n_fixed, e.generation
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS flow_id) AS u, ff_edge_group AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id;

-- read_all_ff_edge_group
SELECT e.partition_key, e.flow_id, e.downstream_eid, e.policy, e.k_target, e.success_count, e.fail_count, e.skip_count,
    e.running_count, e.cancel_siblings_pending_flag, e.cancel_siblings_pending_members, e.sibling_reason, e.group_state,
    e.n, e.n_fixed, e.generation
  FROM ff_edge_group AS e
  ORDER BY partition_key, flow_id, downstream_eid;

-- lock_ff_edge_group
LOCK TABLE ff_edge_group IN EXCLUSIVE MODE;

-- insert_ff_edge_group
INSERT INTO ff_edge_group (partition_key, flow_id, downstream_eid, policy, k_target, success_count, fail_count,
    skip_count, running_count, cancel_siblings_pending_flag, cancel_siblings_pending_members, sibling_reason,
    group_state, n, n_fixed, generation)
  SELECT u.partition_key, u.flow_id, u.downstream_eid, u.policy, u.k_target, u.success_count, u.fail_count,
    u.skip_count, u.running_count, u.cancel_siblings_pending_flag, string_to_array(u.cancel_siblings_pending_members,
    '\n'), u.sibling_reason, u.group_state, u.n, u.n_fixed, u.generation
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::jsonb[], $5::integer[], $6::integer[], $7::integer[],
    $8::integer[], $9::integer[], $10::boolean[], $11::text[], $12::text[], $13::text[], $14::integer[], $15::boolean[],
    $16::integer[]) AS u(partition_key, flow_id, downstream_eid, policy, k_target, success_count, fail_count,
    skip_count, running_count, cancel_siblings_pending_flag, cancel_siblings_pending_members, sibling_reason,
    group_state, n, n_fixed, generation);

-- insert_ff_edge_group_single
INSERT INTO ff_edge_group (partition_key, flow_id, downstream_eid, policy, k_target, success_count, fail_count,
    skip_count, running_count, cancel_siblings_pending_flag, cancel_siblings_pending_members, sibling_reason,
    group_state, n, n_fixed, generation)
  SELECT $1::smallint, $2::uuid, $3::uuid, $4::jsonb, $5::integer, $6::integer, $7::integer, $8::integer, $9::integer,
    $10::boolean, string_to_array($11::text, '\n'), $12::text, $13::text, $14::integer, $15::boolean, $16::integer;

-- upsert_ff_edge_group
INSERT INTO ff_edge_group (partition_key, flow_id, downstream_eid, policy, k_target, success_count, fail_count,
    skip_count, running_count, cancel_siblings_pending_flag, cancel_siblings_pending_members, sibling_reason,
    group_state, n, n_fixed, generation)
  SELECT u.partition_key, u.flow_id, u.downstream_eid, u.policy, u.k_target, u.success_count, u.fail_count,
    u.skip_count, u.running_count, u.cancel_siblings_pending_flag, string_to_array(u.cancel_siblings_pending_members,
    '\n'), u.sibling_reason, u.group_state, u.n, u.n_fixed, u.generation
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::jsonb[], $5::integer[], $6::integer[], $7::integer[],
    $8::integer[], $9::integer[], $10::boolean[], $11::text[], $12::text[], $13::text[], $14::integer[], $15::boolean[],
    $16::integer[]) AS u(partition_key, flow_id, downstream_eid, policy, k_target, success_count, fail_count,
    skip_count, running_count, cancel_siblings_pending_flag, cancel_siblings_pending_members, sibling_reason,
    group_state, n, n_fixed, generation)
  ON CONFLICT (partition_key, flow_id, downstream_eid) DO UPDATE
  SET policy = excluded.policy, k_target = excluded.k_target, success_count = excluded.success_count, fail_count =
    excluded.fail_count, skip_count = excluded.skip_count, running_count = excluded.running_count,
    cancel_siblings_pending_flag = excluded.cancel_siblings_pending_flag, cancel_siblings_pending_members =
    excluded.cancel_siblings_pending_members, sibling_reason = excluded.sibling_reason, group_state =
    excluded.group_state, n = excluded.n, n_fixed = excluded.n_fixed, generation = excluded.generation;

-- upsert_ff_edge_group_single
INSERT INTO ff_edge_group (partition_key, flow_id, downstream_eid, policy, k_target, success_count, fail_count,
    skip_count, running_count, cancel_siblings_pending_flag, cancel_siblings_pending_members, sibling_reason,
    group_state, n, n_fixed, generation)
  SELECT $1::smallint, $2::uuid, $3::uuid, $4::jsonb, $5::integer, $6::integer, $7::integer, $8::integer, $9::integer,
    $10::boolean, string_to_array($11::text, '\n'), $12::text, $13::text, $14::integer, $15::boolean, $16::integer
  ON CONFLICT (partition_key, flow_id, downstream_eid) DO UPDATE
  SET policy = excluded.policy, k_target = excluded.k_target, success_count = excluded.success_count, fail_count =
    excluded.fail_count, skip_count = excluded.skip_count, running_count = excluded.running_count,
    cancel_siblings_pending_flag = excluded.cancel_siblings_pending_flag, cancel_siblings_pending_members =
    excluded.cancel_siblings_pending_members, sibling_reason = excluded.sibling_reason, group_state =
    excluded.group_state, n = excluded.n, n_fixed = excluded.n_fixed, generation = excluded.generation;

-- erase_ff_edge_group
DELETE
  FROM ff_edge_group
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[]) AS u(partition_key, flow_id, downstream_eid)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_edge_group AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id AND e.downstream_eid = u.downstream_eid OFFSET 0) AS
    f));

-- find_ff_edge
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[]) AS u(partition_key, flow_id, edge_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.flow_id, e.edge_id, e.upstream_eid, e.downstream_eid, e.policy,
    e.policy_version, e.dependency_state, e.generation
  FROM ff_edge AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id AND e.edge_id = u.edge_id OFFSET 0) AS f;

-- find_ff_edge_single
SELECT e.partition_key, e.flow_id, e.edge_id, e.upstream_eid, e.downstream_eid, e.policy, e.policy_version,
    e.dependency_state, e.generation
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS flow_id, $3::uuid AS edge_id) AS u, ff_edge AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id AND e.edge_id = u.edge_id;

-- read_ff_edge
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[]) AS u(partition_key, flow_id, edge_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.flow_id, e.edge_id, e.upstream_eid, e.downstream_eid, e.policy,
    e.policy_version, e.dependency_state, e.generation
  FROM ff_edge AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id AND e.edge_id = u.edge_id OFFSET 0) AS f;

-- read_ff_edge_single
SELECT e.partition_key, e.flow_id, e.edge_id, e.upstream_eid, e.downstream_eid, e.policy, e.policy_version,
    e.dependency_state, e.generation
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS flow_id, $3::uuid AS edge_id) AS u, ff_edge AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id AND e.edge_id = u.edge_id;

-- find_in_flow_ff_edge
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, flow_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.flow_id, e.edge_id, e.upstream_eid, e.downstream_eid, e.policy,
    e.policy_version, e.dependency_state, e.generation
  FROM ff_edge AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id
  ORDER BY e.partition_key::integer, e.flow_id, e.edge_id OFFSET 0) AS f;

-- find_in_flow_ff_edge_single
SELECT e.partition_key, e.flow_id, e.edge_id, e.upstream_eid, e.downstream_eid, e.policy, e.policy_version,
    e.dependency_state, e.generation
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS flow_id) AS u, ff_edge AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id
  ORDER BY e.partition_key::integer, e.flow_id, e.edge_id;

-- read_in_flow_ff_edge
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, flow_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.flow_id, e.edge_id, e.upstream_eid, e.downstream_eid, e.policy,
    e.policy_version, e.dependency_state, e.generation
  FROM ff_edge AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id OFFSET 0) AS f;

-- read_in_flow_ff_edge_single
SELECT e.partition_key, e.flow_id, e.edge_id, e.upstream_eid, e.downstream_eid, e.policy, e.policy_version,
    e.dependency_state, e.generation
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS flow_id) AS u, ff_edge AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id;

-- find_in_group_ff_edge
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[]) AS u(partition_key, flow_id, downstream_eid)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.flow_id, e.edge_id, e.upstream_eid, e.downstream_eid, e.policy,
    e.policy_version, e.dependency_state, e.generation
  FROM ff_edge AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id AND e.downstream_eid = u.downstream_eid
  ORDER BY e.partition_key::integer, e.flow_id, e.edge_id OFFSET 0) AS f;

-- find_in_group_ff_edge_single
SELECT e.partition_key, e.flow_id, e.edge_id, e.upstream_eid, e.downstream_eid, e.policy, e.policy_version,
    e.dependency_state, e.generation
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS flow_id, $3::uuid AS downstream_eid) AS u, ff_edge AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id AND e.downstream_eid = u.downstream_eid
  ORDER BY e.partition_key::integer, e.flow_id, e.edge_id;

-- read_in_group_ff_edge
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[]) AS u(partition_key, flow_id, downstream_eid)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.flow_id, e.edge_id, e.upstream_eid, e.downstream_eid, e.policy,
    e.policy_version, e.dependency_state, e.generation
  FROM ff_edge AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id AND e.downstream_eid = u.downstream_eid OFFSET 0) AS
    f;

-- read_in_group_ff_edge_single
SELECT e.partition_key, e.flow_id, e.edge_id, e.upstream_eid, e.downstream_eid, e.policy, e.policy_version,
    e.dependency_state, e.generation
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS flow_id, $3::uuid AS downstream_eid) AS u, ff_edge AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id AND e.downstream_eid = u.downstream_eid;

-- find_from_ff_edge
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, upstream_eid)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.flow_id, e.edge_id, e.upstream_eid, e.downstream_eid, e.policy,
    e.policy_version, e.dependency_state, e.generation
  FROM ff_edge AS e
  WHERE e.partition_key = u.partition_key AND e.upstream_eid = u.upstream_eid
  ORDER BY e.partition_key::integer, e.flow_id, e.edge_id OFFSET 0) AS f;

-- find_from_ff_edge_single
SELECT e.partition_key, e.flow_id, e.edge_id, e.upstream_eid, e.downstream_eid, e.policy, e.policy_version,
    e.dependency_state, e.generation
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS upstream_eid) AS u, ff_edge AS e
  WHERE e.partition_key = u.partition_key AND e.upstream_eid = u.upstream_eid
  ORDER BY e.partition_key::integer, e.flow_id, e.edge_id;

-- read_from_ff_edge
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, upstream_eid)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.flow_id, e.edge_id, e.upstream_eid, e.downstream_eid, e.policy,
    e.policy_version, e.dependency_state, e.generation
  FROM ff_edge AS e
  WHERE e.partition_key = u.partition_key AND e.upstream_eid = u.upstream_eid OFFSET 0) AS f;

-- read_from_ff_edge_single
SELECT e.partition_key, e.flow_id, e.edge_id, e.upstream_eid, e.downstream_eid, e.policy, e.policy_version,
    e.dependency_state, e.generation
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS upstream_eid) AS u, ff_edge AS e
  WHERE e.partition_key = u.partition_key AND e.upstream_eid = u.upstream_eid;

-- read_all_ff_edge
SELECT e.partition_key, e.flow_id, e.edge_id, e.upstream_eid, e.downstream_eid, e.policy, e.policy_version,
    e.dependency_state, e.generation
  FROM ff_edge AS e
  ORDER BY partition_key, flow_id, edge_id;

-- lock_ff_edge
LOCK TABLE ff_edge IN EXCLUSIVE MODE;

-- insert_ff_edge
INSERT INTO ff_edge (partition_key, flow_id, edge_id, upstream_eid, downstream_eid, policy, policy_version,
    dependency_state, generation)
  SELECT u.partition_key, u.flow_id, u.edge_id, u.upstream_eid, u.downstream_eid, u.policy, u.policy_version,
    u.dependency_state, u.generation
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::jsonb[], $7::integer[], $8::text[],
    $9::integer[]) AS u(partition_key, flow_id, edge_id, upstream_eid, downstream_eid, policy, policy_version,
    dependency_state, generation);

-- insert_ff_edge_single
INSERT INTO ff_edge (partition_key, flow_id, edge_id, upstream_eid, downstream_eid, policy, policy_version,
    dependency_state, generation)
  SELECT $1::smallint, $2::uuid, $3::uuid, $4::uuid, $5::uuid, $6::jsonb, $7::integer, $8::text, $9::integer;

-- upsert_ff_edge
INSERT INTO ff_edge (partition_key, flow_id, edge_id, upstream_eid, downstream_eid, policy, policy_version,
    dependency_state, generation)
  SELECT u.partition_key, u.flow_id, u.edge_id, u.upstream_eid, u.downstream_eid, u.policy, u.policy_version,
    u.dependency_state, u.generation
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::jsonb[], $7::integer[], $8::text[],
    $9::integer[]) AS u(partition_key, flow_id, edge_id, upstream_eid, downstream_eid, policy, policy_version,
    dependency_state, generation)
  ON CONFLICT (partition_key, flow_id, edge_id) DO UPDATE
  SET upstream_eid = excluded.upstream_eid, downstream_eid = excluded.downstream_eid, policy = excluded.policy,
    policy_version = excluded.policy_version, dependency_state = excluded.dependency_state, generation =
    excluded.generation;

-- upsert_ff_edge_single
INSERT INTO ff_edge (partition_key, flow_id, edge_id, upstream_eid, downstream_eid, policy, policy_version,
    dependency_state, generation)
  SELECT $1::smallint, $2::uuid, $3::uuid, $4::uuid, $5::uuid, $6::jsonb, $7::integer, $8::text, $9::integer
  ON CONFLICT (partition_key, flow_id, edge_id) DO UPDATE
  SET upstream_eid = excluded.upstream_eid, downstream_eid = excluded.downstream_eid, policy = excluded.policy,
    policy_version = excluded.policy_version, dependency_state = excluded.dependency_state, generation =
    excluded.generation;

-- erase_ff_edge
DELETE
  FROM ff_edge
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[]) AS u(partition_key, flow_id, edge_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_edge AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id AND e.edge_id = u.edge_id OFFSET 0) AS f));

-- find_ff_pending_cancel_groups
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[]) AS u(partition_key, flow_id, downstream_eid)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.flow_id, e.downstream_eid, e.enqueued_at_ms
  FROM ff_pending_cancel_groups AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id AND e.downstream_eid = u.downstream_eid OFFSET 0) AS
    f;

-- find_ff_pending_cancel_groups_single
SELECT e.partition_key, e.flow_id, e.downstream_eid, e.enqueued_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS flow_id, $3::uuid AS downstream_eid) AS u,
    ff_pending_cancel_groups AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id AND e.downstream_eid = u.downstream_eid;

-- read_ff_pending_cancel_groups
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[]) AS u(partition_key, flow_id, downstream_eid)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.flow_id, e.downstream_eid, e.enqueued_at_ms
  FROM ff_pending_cancel_groups AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id AND e.downstream_eid = u.downstream_eid OFFSET 0) AS
    f;

-- read_ff_pending_cancel_groups_single
SELECT e.partition_key, e.flow_id, e.downstream_eid, e.enqueued_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS flow_id, $3::uuid AS downstream_eid) AS u,
    ff_pending_cancel_groups AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id AND e.downstream_eid = u.downstream_eid;

-- read_all_ff_pending_cancel_groups
SELECT e.partition_key, e.flow_id, e.downstream_eid, e.enqueued_at_ms
  FROM ff_pending_cancel_groups AS e
  ORDER BY partition_key, flow_id, downstream_eid;

-- read_first_ff_pending_cancel_groups
SELECT e.partition_key, e.flow_id, e.downstream_eid, e.enqueued_at_ms
  FROM ff_pending_cancel_groups AS e
  ORDER BY e.enqueued_at_ms, e.partition_key, e.flow_id, e.downstream_eid
  LIMIT $1::bigint;

-- lock_ff_pending_cancel_groups
LOCK TABLE ff_pending_cancel_groups IN EXCLUSIVE MODE;

-- insert_ff_pending_cancel_groups
INSERT INTO ff_pending_cancel_groups (partition_key, flow_id, downstream_eid, enqueued_at_ms)
  SELECT u.partition_key, u.flow_id, u.downstream_eid, u.enqueued_at_ms
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::bigint[]) AS u(partition_key, flow_id, downstream_eid,
    enqueued_at_ms);

-- insert_ff_pending_cancel_groups_single
INSERT INTO ff_pending_cancel_groups (partition_key, flow_id, downstream_eid, enqueued_at_ms)
  SELECT $1::smallint, $2::uuid, $3::uuid, $4::bigint;

-- upsert_ff_pending_cancel_groups
INSERT INTO ff_pending_cancel_groups (partition_key, flow_id, downstream_eid, enqueued_at_ms)
  SELECT u.partition_key, u.flow_id, u.downstream_eid, u.enqueued_at_ms
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::bigint[]) AS u(partition_key, flow_id, downstream_eid,
    enqueued_at_ms)
  ON CONFLICT (partition_key, flow_id, downstream_eid) DO UPDATE
  SET enqueued_at_ms = excluded.enqueued_at_ms;

-- upsert_ff_pending_cancel_groups_single
INSERT INTO ff_pending_cancel_groups (partition_key, flow_id, downstream_eid, enqueued_at_ms)
  SELECT $1::smallint, $2::uuid, $3::uuid, $4::bigint
  ON CONFLICT (partition_key, flow_id, downstream_eid) DO UPDATE
  SET enqueued_at_ms = excluded.enqueued_at_ms;

-- erase_ff_pending_cancel_groups
DELETE
  FROM ff_pending_cancel_groups
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[]) AS u(partition_key, flow_id, downstream_eid)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_pending_cancel_groups AS e
  WHERE e.partition_key = u.partition_key AND e.flow_id = u.flow_id AND e.downstream_eid = u.downstream_eid OFFSET 0) AS
    f));

-- find_ff_suspension_current
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.suspension_id, e.attempt_index, e.suspended_at_ms,
    e.timeout_at_ms, e.reason_code, e.condition, e.satisfied_set, e.timeout_behavior, e.resume_policy, e.requested_by,
    e.continuation_pointer, e.satisfied_at_ms, e.closer_signal_id, e.closed_at_ms, e.close_reason
  FROM ff_suspension_current AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- find_ff_suspension_current_single
SELECT e.partition_key, e.execution_id, e.suspension_id, e.attempt_index, e.suspended_at_ms, e.timeout_at_ms,
    e.reason_code, e.condition, e.satisfied_set, e.timeout_behavior, e.resume_policy, e.requested_by,
    e.continuation_pointer, e.satisfied_at_ms, e.closer_signal_id, e.closed_at_ms, e.close_reason
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_suspension_current AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- read_ff_suspension_current
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.suspension_id, e.attempt_index, e.suspended_at_ms,
    e.timeout_at_ms, e.reason_code, e.condition, e.satisfied_set, e.timeout_behavior, e.resume_policy, e.requested_by,
    e.continuation_pointer, e.satisfied_at_ms, e.closer_signal_id, e.closed_at_ms, e.close_reason
  FROM ff_suspension_current AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- read_ff_suspension_current_single
SELECT e.partition_key, e.execution_id, e.suspension_id, e.attempt_index, e.suspended_at_ms, e.timeout_at_ms,
    e.reason_code, e.condition, e.satisfied_set, e.timeout_behavior, e.resume_policy, e.requested_by,
    e.continuation_pointer, e.satisfied_at_ms, e.closer_signal_id, e.closed_at_ms, e.close_reason
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_suspension_current AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- find_owned_ff_suspension_current
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.suspension_id, e.attempt_index, e.suspended_at_ms,
    e.timeout_at_ms, e.reason_code, e.condition, e.satisfied_set, e.timeout_behavior, e.resume_policy, e.requested_by,
    e.continuation_pointer, e.satisfied_at_ms, e.closer_signal_id, e.closed_at_ms, e.close_reason
  FROM ff_suspension_current AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- find_owned_ff_suspension_current_single
SELECT e.partition_key, e.execution_id, e.suspension_id, e.attempt_index, e.suspended_at_ms, e.timeout_at_ms,
    e.reason_code, e.condition, e.satisfied_set, e.timeout_behavior, e.resume_policy, e.requested_by,
    e.continuation_pointer, e.satisfied_at_ms, e.closer_signal_id, e.closed_at_ms, e.close_reason
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_suspension_current AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- read_owned_ff_suspension_current
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.suspension_id, e.attempt_index, e.suspended_at_ms,
    e.timeout_at_ms, e.reason_code, e.condition, e.satisfied_set, e.timeout_behavior, e.resume_policy, e.requested_by,
    e.continuation_pointer, e.satisfied_at_ms, e.closer_signal_id, e.closed_at_ms, e.close_reason
  FROM ff_suspension_current AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- read_owned_ff_suspension_current_single
SELECT e.partition_key, e.execution_id, e.suspension_id, e.attempt_index, e.suspended_at_ms, e.timeout_at_ms,
    e.reason_code, e.condition, e.satisfied_set, e.timeout_behavior, e.resume_policy, e.requested_by,
    e.continuation_pointer, e.satisfied_at_ms, e.closer_signal_id, e.closed_at_ms, e.close_reason
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_suspension_current AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- read_all_ff_suspension_current
SELECT e.partition_key, e.execution_id, e.suspension_id, e.attempt_index, e.suspended_at_ms, e.timeout_at_ms,
    e.reason_code, e.condition, e.satisfied_set, e.timeout_behavior, e.resume_policy, e.requested_by,
    e.continuation_pointer, e.satisfied_at_ms, e.closer_signal_id, e.closed_at_ms, e.close_reason
  FROM ff_suspension_current AS e
  ORDER BY partition_key, execution_id;

-- lock_ff_suspension_current
LOCK TABLE ff_suspension_current IN EXCLUSIVE MODE;

-- insert_ff_suspension_current
INSERT INTO ff_suspension_current (partition_key, execution_id, suspension_id, attempt_index, suspended_at_ms,
    timeout_at_ms, reason_code, condition, satisfied_set, timeout_behavior, resume_policy, requested_by,
    continuation_pointer, satisfied_at_ms, closer_signal_id, closed_at_ms, close_reason)
  SELECT u.partition_key, u.execution_id, u.suspension_id, u.attempt_index, u.suspended_at_ms, u.timeout_at_ms,
    u.reason_code, u.condition, u.satisfied_set, u.timeout_behavior, u.resume_policy, u.requested_by,
    u.continuation_pointer, u.satisfied_at_ms, u.closer_signal_id, u.closed_at_ms, u.close_reason
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::integer[], $5::bigint[], $6::bigint[], $7::text[],
    $8::jsonb[], $9::jsonb[], $10::text[], $11::jsonb[], $12::text[], $13::text[], $14::bigint[], $15::uuid[],
    $16::bigint[], $17::text[]) AS u(partition_key, execution_id, suspension_id, attempt_index, suspended_at_ms,
    timeout_at_ms, reason_code, condition, satisfied_set, timeout_behavior, resume_policy, requested_by,
    continuation_pointer, satisfied_at_ms, closer_signal_id, closed_at_ms, close_reason);

-- insert_ff_suspension_current_single
INSERT INTO ff_suspension_current (partition_key, execution_id, suspension_id, attempt_index, suspended_at_ms,
    timeout_at_ms, reason_code, condition, satisfied_set, timeout_behavior, resume_policy, requested_by,
    continuation_pointer, satisfied_at_ms, closer_signal_id, closed_at_ms, close_reason)
  SELECT $1::smallint, $2::uuid, $3::uuid, $4::integer, $5::bigint, $6::bigint, $7::text, $8::jsonb, $9::jsonb,
    $10::text, $11::jsonb, $12::text, $13::text, $14::bigint, $15::uuid, $16::bigint, $17::text;

-- upsert_ff_suspension_current
INSERT INTO ff_suspension_current (partition_key, execution_id, suspension_id, attempt_index, suspended_at_ms,
    timeout_at_ms, reason_code, condition, satisfied_set, timeout_behavior, resume_policy, requested_by,
    continuation_pointer, satisfied_at_ms, closer_signal_id, closed_at_ms, close_reason)
  SELECT u.partition_key, u.execution_id, u.suspension_id, u.attempt_index, u.suspended_at_ms, u.timeout_at_ms,
    u.reason_code, u.condition, u.satisfied_set, u.timeout_behavior, u.resume_policy, u.requested_by,
    u.continuation_pointer, u.satisfied_at_ms, u.closer_signal_id, u.closed_at_ms, u.close_reason
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::integer[], $5::bigint[], $6::bigint[], $7::text[],
    $8::jsonb[], $9::jsonb[], $10::text[], $11::jsonb[], $12::text[], $13::text[], $14::bigint[], $15::uuid[],
    $16::bigint[], $17::text[]) AS u(partition_key, execution_id, suspension_id, attempt_index, suspended_at_ms,
    timeout_at_ms, reason_code, condition, satisfied_set, timeout_behavior, resume_policy, requested_by,
    continuation_pointer, satisfied_at_ms, closer_signal_id, closed_at_ms, close_reason)
  ON CONFLICT (partition_key, execution_id) DO UPDATE
  SET suspension_id = excluded.suspension_id, attempt_index = excluded.attempt_index, suspended_at_ms =
    excluded.suspended_at_ms, timeout_at_ms = excluded.timeout_at_ms, reason_code = excluded.reason_code, condition =
    excluded.condition, satisfied_set = excluded.satisfied_set, timeout_behavior = excluded.timeout_behavior,
    resume_policy = excluded.resume_policy, requested_by = excluded.requested_by, continuation_pointer =
    excluded.continuation_pointer, satisfied_at_ms = excluded.satisfied_at_ms, closer_signal_id =
    excluded.closer_signal_id, closed_at_ms = excluded.closed_at_ms, close_reason = excluded.close_reason;

-- upsert_ff_suspension_current_single
INSERT INTO ff_suspension_current (partition_key, execution_id, suspension_id, attempt_index, suspended_at_ms,
    timeout_at_ms, reason_code, condition, satisfied_set, timeout_behavior, resume_policy, requested_by,
    continuation_pointer, satisfied_at_ms, closer_signal_id, closed_at_ms, close_reason)
  SELECT $1::smallint, $2::uuid, $3::uuid, $4::integer, $5::bigint, $6::bigint, $7::text, $8::jsonb, $9::jsonb,
    $10::text, $11::jsonb, $12::text, $13::text, $14::bigint, $15::uuid, $16::bigint, $17::text
  ON CONFLICT (partition_key, execution_id) DO UPDATE
  SET suspension_id = excluded.suspension_id, attempt_index = excluded.attempt_index, suspended_at_ms =
    excluded.suspended_at_ms, timeout_at_ms = excluded.timeout_at_ms, reason_code = excluded.reason_code, condition =
    excluded.condition, satisfied_set = excluded.satisfied_set, timeout_behavior = excluded.timeout_behavior,
    resume_policy = excluded.resume_policy, requested_by = excluded.requested_by, continuation_pointer =
    excluded.continuation_pointer, satisfied_at_ms = excluded.satisfied_at_ms, closer_signal_id =
    excluded.closer_signal_id, closed_at_ms = excluded.closed_at_ms, close_reason = excluded.close_reason;

-- erase_ff_suspension_current
DELETE
  FROM ff_suspension_current
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_suspension_current AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f));

-- erase_owned_ff_suspension_current
DELETE
  FROM ff_suspension_current
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_suspension_current AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f));

-- find_ff_suspend_dedup
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::text[]) AS u(partition_key, execution_id, idempotency_key)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.idempotency_key, e.outcome_json, e.created_at_ms,
    e.expires_at_ms, e.satisfied_at_ms, e.replay_count
  FROM ff_suspend_dedup AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.idempotency_key = u.idempotency_key
    OFFSET 0) AS f;

-- find_ff_suspend_dedup_single
SELECT e.partition_key, e.execution_id, e.idempotency_key, e.outcome_json, e.created_at_ms, e.expires_at_ms,
    e.satisfied_at_ms, e.replay_count
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id, $3::text AS idempotency_key) AS u,
    ff_suspend_dedup AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.idempotency_key = u.idempotency_key;

-- read_ff_suspend_dedup
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::text[]) AS u(partition_key, execution_id, idempotency_key)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.idempotency_key, e.outcome_json, e.created_at_ms,
    e.expires_at_ms, e.satisfied_at_ms, e.replay_count
  FROM ff_suspend_dedup AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.idempotency_key = u.idempotency_key
    OFFSET 0) AS f;

-- read_ff_suspend_dedup_single
SELECT e.partition_key, e.execution_id, e.idempotency_key, e.outcome_json, e.created_at_ms, e.expires_at_ms,
    e.satisfied_at_ms, e.replay_count
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id, $3::text AS idempotency_key) AS u,
    ff_suspend_dedup AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.idempotency_key = u.idempotency_key;

-- find_owned_ff_suspend_dedup
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.idempotency_key, e.outcome_json, e.created_at_ms,
    e.expires_at_ms, e.satisfied_at_ms, e.replay_count
  FROM ff_suspend_dedup AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.satisfied_at_ms IS NULL OFFSET 0) AS
    f;

-- find_owned_ff_suspend_dedup_single
SELECT e.partition_key, e.execution_id, e.idempotency_key, e.outcome_json, e.created_at_ms, e.expires_at_ms,
    e.satisfied_at_ms, e.replay_count
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_suspend_dedup AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.satisfied_at_ms IS NULL;

-- read_owned_ff_suspend_dedup
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.idempotency_key, e.outcome_json, e.created_at_ms,
    e.expires_at_ms, e.satisfied_at_ms, e.replay_count
  FROM ff_suspend_dedup AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- read_owned_ff_suspend_dedup_single
SELECT e.partition_key, e.execution_id, e.idempotency_key, e.outcome_json, e.created_at_ms, e.expires_at_ms,
    e.satisfied_at_ms, e.replay_count
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_suspend_dedup AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- read_all_ff_suspend_dedup
SELECT e.partition_key, e.execution_id, e.idempotency_key, e.outcome_json, e.created_at_ms, e.expires_at_ms,
    e.satisfied_at_ms, e.replay_count
  FROM ff_suspend_dedup AS e
  ORDER BY partition_key, execution_id, idempotency_key;

-- lock_ff_suspend_dedup
LOCK TABLE ff_suspend_dedup IN EXCLUSIVE MODE;

-- insert_ff_suspend_dedup
INSERT INTO ff_suspend_dedup (partition_key, execution_id, idempotency_key, outcome_json, created_at_ms, expires_at_ms,
    satisfied_at_ms, replay_count)
  SELECT u.partition_key, u.execution_id, u.idempotency_key, u.outcome_json, u.created_at_ms, u.expires_at_ms,
    u.satisfied_at_ms, u.replay_count
  FROM unnest($1::smallint[], $2::uuid[], $3::text[], $4::jsonb[], $5::bigint[], $6::bigint[], $7::bigint[],
    $8::integer[]) AS u(partition_key, execution_id, idempotency_key, outcome_json, created_at_ms, expires_at_ms,
    satisfied_at_ms, replay_count);

-- insert_ff_suspend_dedup_single
INSERT INTO ff_suspend_dedup (partition_key, execution_id, idempotency_key, outcome_json, created_at_ms, expires_at_ms,
    satisfied_at_ms, replay_count)
  SELECT $1::smallint, $2::uuid, $3::text, $4::jsonb, $5::bigint, $6::bigint, $7::bigint, $8::integer;

-- upsert_ff_suspend_dedup
INSERT INTO ff_suspend_dedup (partition_key, execution_id, idempotency_key, outcome_json, created_at_ms, expires_at_ms,
    satisfied_at_ms, replay_count)
  SELECT u.partition_key, u.execution_id, u.idempotency_key, u.outcome_json, u.created_at_ms, u.expires_at_ms,
    u.satisfied_at_ms, u.replay_count
  FROM unnest($1::smallint[], $2::uuid[], $3::text[], $4::jsonb[], $5::bigint[], $6::bigint[], $7::bigint[],
    $8::integer[]) AS u(partition_key, execution_id, idempotency_key, outcome_json, created_at_ms, expires_at_ms,
    satisfied_at_ms, replay_count)
  ON CONFLICT (partition_key, execution_id, idempotency_key) DO UPDATE
  SET outcome_json = excluded.outcome_json, created_at_ms = excluded.created_at_ms, expires_at_ms =
    excluded.expires_at_ms, satisfied_at_ms = excluded.satisfied_at_ms, replay_count = excluded.replay_count;

-- upsert_ff_suspend_dedup_single
INSERT INTO ff_suspend_dedup (partition_key, execution_id, idempotency_key, outcome_json, created_at_ms, expires_at_ms,
    satisfied_at_ms, replay_count)
  SELECT $1::smallint, $2::uuid, $3::text, $4::jsonb, $5::bigint, $6::bigint, $7::bigint, $8::integer
  ON CONFLICT (partition_key, execution_id, idempotency_key) DO UPDATE
  SET outcome_json = excluded.outcome_json, created_at_ms = excluded.created_at_ms, expires_at_ms =
    excluded.expires_at_ms, satisfied_at_ms = excluded.satisfied_at_ms, replay_count = excluded.replay_count;

-- erase_ff_suspend_dedup
DELETE
  FROM ff_suspend_dedup
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::text[]) AS u(partition_key, execution_id, idempotency_key)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_suspend_dedup AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.idempotency_key = u.idempotency_key
    OFFSET 0) AS f));

-- erase_owned_ff_suspend_dedup
DELETE
  FROM ff_suspend_dedup
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_suspend_dedup AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f));

-- find_ff_waitpoint_pending
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, waitpoint_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.waitpoint_id, e.execution_id, e.suspension_id, e.attempt_index,
    e.waitpoint_key, e.state, e.token_kid, e.token_fingerprint, e.required_signal_names, e.created_at_ms,
    e.activated_at_ms, e.expires_at_ms, e.closed_at_ms, e.close_reason, e.signal_count, e.matched_signal_count,
    e.last_signal_at_ms
  FROM ff_waitpoint_pending AS e
  WHERE e.partition_key = u.partition_key AND e.waitpoint_id = u.waitpoint_id OFFSET 0) AS f;

-- find_ff_waitpoint_pending_single
SELECT e.partition_key, e.waitpoint_id, e.execution_id, e.suspension_id, e.attempt_index, e.waitpoint_key, e.state,
    e.token_kid, e.token_fingerprint, e.required_signal_names, e.created_at_ms, e.activated_at_ms, e.expires_at_ms,
    e.closed_at_ms, e.close_reason, e.signal_count, e.matched_signal_count, e.last_signal_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS waitpoint_id) AS u, ff_waitpoint_pending AS e
  WHERE e.partition_key = u.partition_key AND e.waitpoint_id = u.waitpoint_id;

-- read_ff_waitpoint_pending
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, waitpoint_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.waitpoint_id, e.execution_id, e.suspension_id, e.attempt_index,
    e.waitpoint_key, e.state, e.token_kid, e.token_fingerprint, e.required_signal_names, e.created_at_ms,
    e.activated_at_ms, e.expires_at_ms, e.closed_at_ms, e.close_reason, e.signal_count, e.matched_signal_count,
    e.last_signal_at_ms
  FROM ff_waitpoint_pending AS e
  WHERE e.partition_key = u.partition_key AND e.waitpoint_id = u.waitpoint_id OFFSET 0) AS f;

-- read_ff_waitpoint_pending_single
SELECT e.partition_key, e.waitpoint_id, e.execution_id, e.suspension_id, e.attempt_index, e.waitpoint_key, e.state,
    e.token_kid, e.token_fingerprint, e.required_signal_names, e.created_at_ms, e.activated_at_ms, e.expires_at_ms,
    e.closed_at_ms, e.close_reason, e.signal_count, e.matched_signal_count, e.last_signal_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS waitpoint_id) AS u, ff_waitpoint_pending AS e
  WHERE e.partition_key = u.partition_key AND e.waitpoint_id = u.waitpoint_id;

-- find_owned_ff_waitpoint_pending
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.waitpoint_id, e.execution_id, e.suspension_id, e.attempt_index,
    e.waitpoint_key, e.state, e.token_kid, e.token_fingerprint, e.required_signal_names, e.created_at_ms,
    e.activated_at_ms, e.expires_at_ms, e.closed_at_ms, e.close_reason, e.signal_count, e.matched_signal_count,
    e.last_signal_at_ms
  FROM ff_waitpoint_pending AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.state <> 'closed' OFFSET 0) AS f;

-- find_owned_ff_waitpoint_pending_single
SELECT e.partition_key, e.waitpoint_id, e.execution_id, e.suspension_id, e.attempt_index, e.waitpoint_key, e.state,
    e.token_kid, e.token_fingerprint, e.required_signal_names, e.created_at_ms, e.activated_at_ms, e.expires_at_ms,
    e.closed_at_ms, e.close_reason, e.signal_count, e.matched_signal_count, e.last_signal_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_waitpoint_pending AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.state <> 'closed';

-- read_owned_ff_waitpoint_pending
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.waitpoint_id, e.execution_id, e.suspension_id, e.attempt_index,
    e.waitpoint_key, e.state, e.token_kid, e.token_fingerprint, e.required_signal_names, e.created_at_ms,
    e.activated_at_ms, e.expires_at_ms, e.closed_at_ms, e.close_reason, e.signal_count, e.matched_signal_count,
    e.last_signal_at_ms
  FROM ff_waitpoint_pending AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- read_owned_ff_waitpoint_pending_single
SELECT e.partition_key, e.waitpoint_id, e.execution_id, e.suspension_id, e.attempt_index, e.waitpoint_key, e.state,
    e.token_kid, e.token_fingerprint, e.required_signal_names, e.created_at_ms, e.activated_at_ms, e.expires_at_ms,
    e.closed_at_ms, e.close_reason, e.signal_count, e.matched_signal_count, e.last_signal_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_waitpoint_pending AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- read_all_ff_waitpoint_pending
SELECT e.partition_key, e.waitpoint_id, e.execution_id, e.suspension_id, e.attempt_index, e.waitpoint_key, e.state,
    e.token_kid, e.token_fingerprint, e.required_signal_names, e.created_at_ms, e.activated_at_ms, e.expires_at_ms,
    e.closed_at_ms, e.close_reason, e.signal_count, e.matched_signal_count, e.last_signal_at_ms
  FROM ff_waitpoint_pending AS e
  ORDER BY partition_key, waitpoint_id;

-- lock_ff_waitpoint_pending
LOCK TABLE ff_waitpoint_pending IN EXCLUSIVE MODE;

-- insert_ff_waitpoint_pending
INSERT INTO ff_waitpoint_pending (partition_key, waitpoint_id, execution_id, suspension_id, attempt_index,
    waitpoint_key, state, token_kid, token_fingerprint, required_signal_names, created_at_ms, activated_at_ms,
    expires_at_ms, closed_at_ms, close_reason, signal_count, matched_signal_count, last_signal_at_ms)
  SELECT u.partition_key, u.waitpoint_id, u.execution_id, u.suspension_id, u.attempt_index, u.waitpoint_key, u.state,
    u.token_kid, u.token_fingerprint, string_to_array(u.required_signal_names, '\n'), u.created_at_ms,
    u.activated_at_ms, u.expires_at_ms, u.closed_at_ms, u.close_reason, u.signal_count, u.matched_signal_count,
    u.last_signal_at_ms
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::uuid[], $5::integer[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::text[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::text[], $16::integer[],
    $17::integer[], $18::bigint[]) AS u(partition_key, waitpoint_id, execution_id, suspension_id, attempt_index,
    waitpoint_key, state, token_kid, token_fingerprint, required_signal_names, created_at_ms, activated_at_ms,
    expires_at_ms, closed_at_ms, close_reason, signal_count, matched_signal_count, last_signal_at_ms);

-- insert_ff_waitpoint_pending_single
INSERT INTO ff_waitpoint_pending (partition_key, waitpoint_id, execution_id, suspension_id, attempt_index,
    waitpoint_key, state, token_kid, token_fingerprint, required_signal_names, created_at_ms, activated_at_ms,
    expires_at_ms, closed_at_ms, close_reason, signal_count, matched_signal_count, last_signal_at_ms)
  SELECT $1::smallint, $2::uuid, $3::uuid, $4::uuid, $5::integer, $6::text, $7::text, $8::text, $9::text,
    string_to_array($10::text, '\n'), $11::bigint, $12::bigint, $13::bigint, $14::bigint, $15::text, $16::integer,
    $17::integer, $18::bigint;

-- upsert_ff_waitpoint_pending
INSERT INTO ff_waitpoint_pending (partition_key, waitpoint_id, execution_id, suspension_id, attempt_index,
    waitpoint_key, state, token_kid, token_fingerprint, required_signal_names, created_at_ms, activated_at_ms,
    expires_at_ms, closed_at_ms, close_reason, signal_count, matched_signal_count, last_signal_at_ms)
  SELECT u.partition_key, u.waitpoint_id, u.execution_id, u.suspension_id, u.attempt_index, u.waitpoint_key, u.state,
    u.token_kid, u.token_fingerprint, string_to_array(u.required_signal_names, '\n'), u.created_at_ms,
    u.activated_at_ms, u.expires_at_ms, u.closed_at_ms, u.close_reason, u.signal_count, u.matched_signal_count,
    u.last_signal_at_ms
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::uuid[], $5::integer[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::text[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::text[], $16::integer[],
    $17::integer[], $18::bigint[]) AS u(partition_key, waitpoint_id, execution_id, suspension_id, attempt_index,
    waitpoint_key, state, token_kid, token_fingerprint, required_signal_names, created_at_ms, activated_at_ms,
    expires_at_ms, closed_at_ms, close_reason, signal_count, matched_signal_count, last_signal_at_ms)
  ON CONFLICT (partition_key, waitpoint_id) DO UPDATE
  SET execution_id = excluded.execution_id, suspension_id = excluded.suspension_id, attempt_index =
    excluded.attempt_index, waitpoint_key = excluded.waitpoint_key, state = excluded.state, token_kid =
    excluded.token_kid, token_fingerprint = excluded.token_fingerprint, required_signal_names =
    excluded.required_signal_names, created_at_ms = excluded.created_at_ms, activated_at_ms = excluded.activated_at_ms,
    expires_at_ms = excluded.expires_at_ms, closed_at_ms = excluded.closed_at_ms, close_reason = excluded.close_reason,
    signal_count = excluded.signal_count, matched_signal_count = excluded.matched_signal_count, last_signal_at_ms =
    excluded.last_signal_at_ms;

-- upsert_ff_waitpoint_pending_single
INSERT INTO ff_waitpoint_pending (partition_key, waitpoint_id, execution_id, suspension_id, attempt_index,
    waitpoint_key, state, token_kid, token_fingerprint, required_signal_names, created_at_ms, activated_at_ms,
    expires_at_ms, closed_at_ms, close_reason, signal_count, matched_signal_count, last_signal_at_ms)
  SELECT $1::smallint, $2::uuid, $3::uuid, $4::uuid, $5::integer, $6::text, $7::text, $8::text, $9::text,
    string_to_array($10::text, '\n'), $11::bigint, $12::bigint, $13::bigint, $14::bigint, $15::text, $16::integer,
    $17::integer, $18::bigint
  ON CONFLICT (partition_key, waitpoint_id) DO UPDATE
  SET execution_id = excluded.execution_id, suspension_id = excluded.suspension_id, attempt_index =
    excluded.attempt_index, waitpoint_key = excluded.waitpoint_key, state = excluded.state, token_kid =
    excluded.token_kid, token_fingerprint = excluded.token_fingerprint, required_signal_names =
    excluded.required_signal_names, created_at_ms = excluded.created_at_ms, activated_at_ms = excluded.activated_at_ms,
    expires_at_ms = excluded.expires_at_ms, closed_at_ms = excluded.closed_at_ms, close_reason = excluded.close_reason,
    signal_count = excluded.signal_count, matched_signal_count = excluded.matched_signal_count, last_signal_at_ms =
    excluded.last_signal_at_ms;

-- erase_ff_waitpoint_pending
DELETE
  FROM ff_waitpoint_pending
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, waitpoint_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_waitpoint_pending AS e
  WHERE e.partition_key = u.partition_key AND e.waitpoint_id = u.waitpoint_id OFFSET 0) AS f));

-- erase_owned_ff_waitpoint_pending
DELETE
  FROM ff_waitpoint_pending
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_waitpoint_pending AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f));

-- find_ff_signal
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::integer[]) AS u(partition_key, execution_id, seq)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.seq, e.signal_id, e.waitpoint_id, e.waitpoint_key,
    e.signal_name, e.signal_category, e.source_type, e.source_identity, e.correlation_id, e.idempotency_key,
    e.payload_encoding, e.target_scope, e.created_at_ms, e.accepted_at_ms, e.observed_effect, e.matched, e.live,
    e.suspension_id, e.satisfied, e.replay_count
  FROM ff_signal AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.seq = u.seq OFFSET 0) AS f;

-- find_ff_signal_single
SELECT e.partition_key, e.execution_id, e.seq, e.signal_id, e.waitpoint_id, e.waitpoint_key, e.signal_name,
    e.signal_category, e.source_type, e.source_identity, e.correlation_id, e.idempotency_key, e.payload_encoding,
    e.target_scope, e.created_at_ms, e.accepted_at_ms, e.observed_effect, e.matched, e.live, e.suspension_id,
    e.satisfied, e.replay_count
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id, $3::integer AS seq) AS u, ff_signal AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.seq = u.seq;

-- read_ff_signal
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::integer[]) AS u(partition_key, execution_id, seq)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.seq, e.signal_id, e.waitpoint_id, e.waitpoint_key,
    e.signal_name, e.signal_category, e.source_type, e.source_identity, e.correlation_id, e.idempotency_key,
    e.payload_encoding, e.target_scope, e.created_at_ms, e.accepted_at_ms, e.observed_effect, e.matched, e.live,
    e.suspension_id, e.satisfied, e.replay_count
  FROM ff_signal AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.seq = u.seq OFFSET 0) AS f;

-- read_ff_signal_single
SELECT e.partition_key, e.execution_id, e.seq, e.signal_id, e.waitpoint_id, e.waitpoint_key, e.signal_name,
    e.signal_category, e.source_type, e.source_identity, e.correlation_id, e.idempotency_key, e.payload_encoding,
    e.target_scope, e.created_at_ms, e.accepted_at_ms, e.observed_effect, e.matched, e.live, e.suspension_id,
    e.satisfied, e.replay_count
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id, $3::integer AS seq) AS u, ff_signal AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.seq = u.seq;

-- find_owned_ff_signal
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.seq, e.signal_id, e.waitpoint_id, e.waitpoint_key,
    e.signal_name, e.signal_category, e.source_type, e.source_identity, e.correlation_id, e.idempotency_key,
    e.payload_encoding, e.target_scope, e.created_at_ms, e.accepted_at_ms, e.observed_effect, e.matched, e.live,
    e.suspension_id, e.satisfied, e.replay_count
  FROM ff_signal AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.live OFFSET 0) AS f;

-- find_owned_ff_signal_single
SELECT e.partition_key, e.execution_id, e.seq, e.signal_id, e.waitpoint_id, e.waitpoint_key, e.signal_name,
    e.signal_category, e.source_type, e.source_identity, e.correlation_id, e.idempotency_key, e.payload_encoding,
    e.target_scope, e.created_at_ms, e.accepted_at_ms, e.observed_effect, e.matched, e.live, e.suspension_id,
    e.satisfied, e.replay_count
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_signal AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.live;

-- read_owned_ff_signal
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.seq, e.signal_id, e.waitpoint_id, e.waitpoint_key,
    e.signal_name, e.signal_category, e.source_type, e.source_identity, e.correlation_id, e.idempotency_key,
    e.payload_encoding, e.target_scope, e.created_at_ms, e.accepted_at_ms, e.observed_effect, e.matched, e.live,
    e.suspension_id, e.satisfied, e.replay_count
  FROM ff_signal AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- read_owned_ff_signal_single
SELECT e.partition_key, e.execution_id, e.seq, e.signal_id, e.waitpoint_id, e.waitpoint_key, e.signal_name,
    e.signal_category, e.source_type, e.source_identity, e.correlation_id, e.idempotency_key, e.payload_encoding,
    e.target_scope, e.created_at_ms, e.accepted_at_ms, e.observed_effect, e.matched, e.live, e.suspension_id,
    e.satisfied, e.replay_count
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_signal AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- read_all_ff_signal
SELECT e.partition_key, e.execution_id, e.seq, e.signal_id, e.waitpoint_id, e.waitpoint_key, e.signal_name,
    e.signal_category, e.source_type, e.source_identity, e.correlation_id, e.idempotency_key, e.payload_encoding,
    e.target_scope, e.created_at_ms, e.accepted_at_ms, e.observed_effect, e.matched, e.live, e.suspension_id,
    e.satisfied, e.replay_count
  FROM ff_signal AS e
  ORDER BY partition_key, execution_id, seq;

-- lock_ff_signal
LOCK TABLE ff_signal IN EXCLUSIVE MODE;

-- insert_ff_signal
INSERT INTO ff_signal (partition_key, execution_id, seq, signal_id, waitpoint_id, waitpoint_key, signal_name,
    signal_category, source_type, source_identity, correlation_id, idempotency_key, payload_encoding, target_scope,
    created_at_ms, accepted_at_ms, observed_effect, matched, live, suspension_id, satisfied, replay_count)
  SELECT u.partition_key, u.execution_id, u.seq, u.signal_id, u.waitpoint_id, u.waitpoint_key, u.signal_name,
    u.signal_category, u.source_type, u.source_identity, u.correlation_id, u.idempotency_key, u.payload_encoding,
    u.target_scope, u.created_at_ms, u.accepted_at_ms, u.observed_effect, u.matched, u.live, u.suspension_id,
    u.satisfied, u.replay_count
  FROM unnest($1::smallint[], $2::uuid[], $3::integer[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::bigint[], $16::bigint[],
    $17::text[], $18::boolean[], $19::boolean[], $20::uuid[], $21::boolean[], $22::integer[]) AS u(partition_key,
    execution_id, seq, signal_id, waitpoint_id, waitpoint_key, signal_name, signal_category, source_type,
    source_identity, correlation_id, idempotency_key, payload_encoding, target_scope, created_at_ms, accepted_at_ms,
    observed_effect, matched, live, suspension_id, satisfied, replay_count);

-- insert_ff_signal_single
INSERT INTO ff_signal (partition_key, execution_id, seq, signal_id, waitpoint_id, waitpoint_key, signal_name,
    signal_category, source_type, source_identity, correlation_id, idempotency_key, payload_encoding, target_scope,
    created_at_ms, accepted_at_ms, observed_effect, matched, live, suspension_id, satisfied, replay_count)
  SELECT $1::smallint, $2::uuid, $3::integer, $4::uuid, $5::uuid, $6::text, $7::text, $8::text, $9::text, $10::text,
    $11::text, $12::text, $13::text, $14::text, $15::bigint, $16::bigint, $17::text, $18::boolean, $19::boolean,
    $20::uuid, $21::boolean, $22::integer;

-- upsert_ff_signal
INSERT INTO ff_signal (partition_key, execution_id, seq, signal_id, waitpoint_id, waitpoint_key, signal_name,
    signal_category, source_type, source_identity, correlation_id, idempotency_key, payload_encoding, target_scope,
    created_at_ms, accepted_at_ms, observed_effect, matched, live, suspension_id, satisfied, replay_count)
  SELECT u.partition_key, u.execution_id, u.seq, u.signal_id, u.waitpoint_id, u.waitpoint_key, u.signal_name,
    u.signal_category, u.source_type, u.source_identity, u.correlation_id, u.idempotency_key, u.payload_encoding,
    u.target_scope, u.created_at_ms, u.accepted_at_ms, u.observed_effect, u.matched, u.live, u.suspension_id,
    u.satisfied, u.replay_count
  FROM unnest($1::smallint[], $2::uuid[], $3::integer[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::bigint[], $16::bigint[],
    $17::text[], $18::boolean[], $19::boolean[], $20::uuid[], $21::boolean[], $22::integer[]) AS u(partition_key,
    execution_id, seq, signal_id, waitpoint_id, waitpoint_key, signal_name, signal_category, source_type,
    source_identity, correlation_id, idempotency_key, payload_encoding, target_scope, created_at_ms, accepted_at_ms,
    observed_effect, matched, live, suspension_id, satisfied, replay_count)
  ON CONFLICT (partition_key, execution_id, seq) DO UPDATE
  SET signal_id = excluded.signal_id, waitpoint_id = excluded.waitpoint_id, waitpoint_key = excluded.waitpoint_key,
    signal_name = excluded.signal_name, signal_category = excluded.signal_category, source_type = excluded.source_type,
    source_identity = excluded.source_identity, correlation_id = excluded.correlation_id, idempotency_key =
    excluded.idempotency_key, payload_encoding = excluded.payload_encoding, target_scope = excluded.target_scope,
    created_at_ms = excluded.created_at_ms, accepted_at_ms = excluded.accepted_at_ms, observed_effect =
    excluded.observed_effect, matched = excluded.matched, live = excluded.live, suspension_id = excluded.suspension_id,
    satisfied = excluded.satisfied, replay_count = excluded.replay_count;

-- upsert_ff_signal_single
INSERT INTO ff_signal (partition_key, execution_id, seq, signal_id, waitpoint_id, waitpoint_key, signal_name,
    signal_category, source_type, source_identity, correlation_id, idempotency_key, payload_encoding, target_scope,
    created_at_ms, accepted_at_ms, observed_effect, matched, live, suspension_id, satisfied, replay_count)
  SELECT $1::smallint, $2::uuid, $3::integer, $4::uuid, $5::uuid, $6::text, $7::text, $8::text, $9::text, $10::text,
    $11::text, $12::text, $13::text, $14::text, $15::bigint, $16::bigint, $17::text, $18::boolean, $19::boolean,
    $20::uuid, $21::boolean, $22::integer
  ON CONFLICT (partition_key, execution_id, seq) DO UPDATE
  SET signal_id = excluded.signal_id, waitpoint_id = excluded.waitpoint_id, waitpoint_key = excluded.waitpoint_key,
    signal_name = excluded.signal_name, signal_category = excluded.signal_category, source_type = excluded.source_type,
    source_identity = excluded.source_identity, correlation_id = excluded.correlation_id, idempotency_key =
    excluded.idempotency_key, payload_encoding = excluded.payload_encoding, target_scope = excluded.target_scope,
    created_at_ms = excluded.created_at_ms, accepted_at_ms = excluded.accepted_at_ms, observed_effect =
    excluded.observed_effect, matched = excluded.matched, live = excluded.live, suspension_id = excluded.suspension_id,
    satisfied = excluded.satisfied, replay_count = excluded.replay_count;

-- erase_ff_signal
DELETE
  FROM ff_signal
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::integer[]) AS u(partition_key, execution_id, seq)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_signal AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.seq = u.seq OFFSET 0) AS f));

-- erase_owned_ff_signal
DELETE
  FROM ff_signal
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_signal AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f));

-- find_ff_signal_payload
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::integer[]) AS u(partition_key, execution_id, seq)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.seq, e.payload
  FROM ff_signal_payload AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.seq = u.seq OFFSET 0) AS f;

-- find_ff_signal_payload_single
SELECT e.partition_key, e.execution_id, e.seq, e.payload
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id, $3::integer AS seq) AS u, ff_signal_payload AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.seq = u.seq;

-- read_ff_signal_payload
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::integer[]) AS u(partition_key, execution_id, seq)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.seq, e.payload
  FROM ff_signal_payload AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.seq = u.seq OFFSET 0) AS f;

-- read_ff_signal_payload_single
SELECT e.partition_key, e.execution_id, e.seq, e.payload
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id, $3::integer AS seq) AS u, ff_signal_payload AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.seq = u.seq;

-- find_owned_ff_signal_payload
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.seq, e.payload
  FROM ff_signal_payload AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- find_owned_ff_signal_payload_single
SELECT e.partition_key, e.execution_id, e.seq, e.payload
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_signal_payload AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- read_owned_ff_signal_payload
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.seq, e.payload
  FROM ff_signal_payload AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- read_owned_ff_signal_payload_single
SELECT e.partition_key, e.execution_id, e.seq, e.payload
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_signal_payload AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- read_all_ff_signal_payload
SELECT e.partition_key, e.execution_id, e.seq, e.payload
  FROM ff_signal_payload AS e
  ORDER BY partition_key, execution_id, seq;

-- lock_ff_signal_payload
LOCK TABLE ff_signal_payload IN EXCLUSIVE MODE;

-- insert_ff_signal_payload
INSERT INTO ff_signal_payload (partition_key, execution_id, seq, payload)
  SELECT u.partition_key, u.execution_id, u.seq, u.payload
  FROM unnest($1::smallint[], $2::uuid[], $3::integer[], $4::bytea[]) AS u(partition_key, execution_id, seq, payload);

-- insert_ff_signal_payload_single
INSERT INTO ff_signal_payload (partition_key, execution_id, seq, payload)
  SELECT $1::smallint, $2::uuid, $3::integer, $4::bytea;

-- upsert_ff_signal_payload
INSERT INTO ff_signal_payload (partition_key, execution_id, seq, payload)
  SELECT u.partition_key, u.execution_id, u.seq, u.payload
  FROM unnest($1::smallint[], $2::uuid[], $3::integer[], $4::bytea[]) AS u(partition_key, execution_id, seq, payload)
  ON CONFLICT (partition_key, execution_id, seq) DO UPDATE
  SET payload = excluded.payload;

-- upsert_ff_signal_payload_single
INSERT INTO ff_signal_payload (partition_key, execution_id, seq, payload)
  SELECT $1::smallint, $2::uuid, $3::integer, $4::bytea
  ON CONFLICT (partition_key, execution_id, seq) DO UPDATE
  SET payload = excluded.payload;

-- erase_ff_signal_payload
DELETE
  FROM ff_signal_payload
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::integer[]) AS u(partition_key, execution_id, seq)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_signal_payload AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.seq = u.seq OFFSET 0) AS f));

-- erase_owned_ff_signal_payload
DELETE
  FROM ff_signal_payload
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_signal_payload AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f));

-- find_ff_signal_dedup
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::text[]) AS u(partition_key, waitpoint_id, idempotency_key)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.waitpoint_id, e.idempotency_key, e.execution_id, e.signal_id, e.expires_at_ms
  FROM ff_signal_dedup AS e
  WHERE e.partition_key = u.partition_key AND e.waitpoint_id = u.waitpoint_id AND e.idempotency_key = u.idempotency_key
    OFFSET 0) AS f;

-- find_ff_signal_dedup_single
SELECT e.partition_key, e.waitpoint_id, e.idempotency_key, e.execution_id, e.signal_id, e.expires_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS waitpoint_id, $3::text AS idempotency_key) AS u,
    ff_signal_dedup AS e
  WHERE e.partition_key = u.partition_key AND e.waitpoint_id = u.waitpoint_id AND e.idempotency_key = u.idempotency_key;

-- read_ff_signal_dedup
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::text[]) AS u(partition_key, waitpoint_id, idempotency_key)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.waitpoint_id, e.idempotency_key, e.execution_id, e.signal_id, e.expires_at_ms
  FROM ff_signal_dedup AS e
  WHERE e.partition_key = u.partition_key AND e.waitpoint_id = u.waitpoint_id AND e.idempotency_key = u.idempotency_key
    OFFSET 0) AS f;

-- read_ff_signal_dedup_single
SELECT e.partition_key, e.waitpoint_id, e.idempotency_key, e.execution_id, e.signal_id, e.expires_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS waitpoint_id, $3::text AS idempotency_key) AS u,
    ff_signal_dedup AS e
  WHERE e.partition_key = u.partition_key AND e.waitpoint_id = u.waitpoint_id AND e.idempotency_key = u.idempotency_key;

-- find_owned_ff_signal_dedup
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.waitpoint_id, e.idempotency_key, e.execution_id, e.signal_id, e.expires_at_ms
  FROM ff_signal_dedup AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- find_owned_ff_signal_dedup_single
SELECT e.partition_key, e.waitpoint_id, e.idempotency_key, e.execution_id, e.signal_id, e.expires_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_signal_dedup AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- read_owned_ff_signal_dedup
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.waitpoint_id, e.idempotency_key, e.execution_id, e.signal_id, e.expires_at_ms
  FROM ff_signal_dedup AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- read_owned_ff_signal_dedup_single
SELECT e.partition_key, e.waitpoint_id, e.idempotency_key, e.execution_id, e.signal_id, e.expires_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_signal_dedup AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- read_all_ff_signal_dedup
SELECT e.partition_key, e.waitpoint_id, e.idempotency_key, e.execution_id, e.signal_id, e.expires_at_ms
  FROM ff_signal_dedup AS e
  ORDER BY partition_key, waitpoint_id, idempotency_key;

-- lock_ff_signal_dedup
LOCK TABLE ff_signal_dedup IN EXCLUSIVE MODE;

-- insert_ff_signal_dedup
INSERT INTO ff_signal_dedup (partition_key, waitpoint_id, idempotency_key, execution_id, signal_id, expires_at_ms)
  SELECT u.partition_key, u.waitpoint_id, u.idempotency_key, u.execution_id, u.signal_id, u.expires_at_ms
  FROM unnest($1::smallint[], $2::uuid[], $3::text[], $4::uuid[], $5::uuid[], $6::bigint[]) AS u(partition_key,
    waitpoint_id, idempotency_key, execution_id, signal_id, expires_at_ms);

-- insert_ff_signal_dedup_single
INSERT INTO ff_signal_dedup (partition_key, waitpoint_id, idempotency_key, execution_id, signal_id, expires_at_ms)
  SELECT $1::smallint, $2::uuid, $3::text, $4::uuid, $5::uuid, $6::bigint;

-- upsert_ff_signal_dedup
INSERT INTO ff_signal_dedup (partition_key, waitpoint_id, idempotency_key, execution_id, signal_id, expires_at_ms)
  SELECT u.partition_key, u.waitpoint_id, u.idempotency_key, u.execution_id, u.signal_id, u.expires_at_ms
  FROM unnest($1::smallint[], $2::uuid[], $3::text[], $4::uuid[], $5::uuid[], $6::bigint[]) AS u(partition_key,
    waitpoint_id, idempotency_key, execution_id, signal_id, expires_at_ms)
  ON CONFLICT (partition_key, waitpoint_id, idempotency_key) DO UPDATE
  SET execution_id = excluded.execution_id, signal_id = excluded.signal_id, expires_at_ms = excluded.expires_at_ms;

-- upsert_ff_signal_dedup_single
INSERT INTO ff_signal_dedup (partition_key, waitpoint_id, idempotency_key, execution_id, signal_id, expires_at_ms)
  SELECT $1::smallint, $2::uuid, $3::text, $4::uuid, $5::uuid, $6::bigint
  ON CONFLICT (partition_key, waitpoint_id, idempotency_key) DO UPDATE
  SET execution_id = excluded.execution_id, signal_id = excluded.signal_id, expires_at_ms = excluded.expires_at_ms;

-- erase_ff_signal_dedup
DELETE
  FROM ff_signal_dedup
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::text[]) AS u(partition_key, waitpoint_id, idempotency_key)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_signal_dedup AS e
  WHERE e.partition_key = u.partition_key AND e.waitpoint_id = u.waitpoint_id AND e.idempotency_key = u.idempotency_key
    OFFSET 0) AS f));

-- erase_owned_ff_signal_dedup
DELETE
  FROM ff_signal_dedup
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_signal_dedup AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f));

-- find_ff_stream_meta
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::integer[]) AS u(partition_key, execution_id, attempt_index)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.attempt_index, e.last_ts_ms, e.last_seq, e.frame_count,
    e.lasting_count, e.total_bytes, e.cut_through, e.removed_through, e.retention_maxlen, e.maxlen_applied_last,
    e.ema_rate_uhz, e.last_best_effort_ms, e.expires_at_ms, e.expiry_check_at_ms, e.closed_at_ms, e.closed_reason,
    e.live
  FROM ff_stream_meta AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.attempt_index = u.attempt_index
    OFFSET 0) AS f;

-- find_ff_stream_meta_single
SELECT e.partition_key, e.execution_id, e.attempt_index, e.last_ts_ms, e.last_seq, e.frame_count, e.lasting_count,
    e.total_bytes, e.cut_through, e.removed_through, e.retention_maxlen, e.maxlen_applied_last, e.ema_rate_uhz,
    e.last_best_effort_ms, e.expires_at_ms, e.expiry_check_at_ms, e.closed_at_ms, e.closed_reason, e.live
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id, $3::integer AS attempt_index) AS u,
    ff_stream_meta AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.attempt_index = u.attempt_index;

-- read_ff_stream_meta
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::integer[]) AS u(partition_key, execution_id, attempt_index)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.attempt_index, e.last_ts_ms, e.last_seq, e.frame_count,
    e.lasting_count, e.total_bytes, e.cut_through, e.removed_through, e.retention_maxlen, e.maxlen_applied_last,
    e.ema_rate_uhz, e.last_best_effort_ms, e.expires_at_ms, e.expiry_check_at_ms, e.closed_at_ms, e.closed_reason,
    e.live
  FROM ff_stream_meta AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.attempt_index = u.attempt_index
    OFFSET 0) AS f;

-- read_ff_stream_meta_single
SELECT e.partition_key, e.execution_id, e.attempt_index, e.last_ts_ms, e.last_seq, e.frame_count, e.lasting_count,
    e.total_bytes, e.cut_through, e.removed_through, e.retention_maxlen, e.maxlen_applied_last, e.ema_rate_uhz,
    e.last_best_effort_ms, e.expires_at_ms, e.expiry_check_at_ms, e.closed_at_ms, e.closed_reason, e.live
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id, $3::integer AS attempt_index) AS u,
    ff_stream_meta AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.attempt_index = u.attempt_index;

-- find_owned_ff_stream_meta
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.attempt_index, e.last_ts_ms, e.last_seq, e.frame_count,
    e.lasting_count, e.total_bytes, e.cut_through, e.removed_through, e.retention_maxlen, e.maxlen_applied_last,
    e.ema_rate_uhz, e.last_best_effort_ms, e.expires_at_ms, e.expiry_check_at_ms, e.closed_at_ms, e.closed_reason,
    e.live
  FROM ff_stream_meta AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.live OFFSET 0) AS f;

-- find_owned_ff_stream_meta_single
SELECT e.partition_key, e.execution_id, e.attempt_index, e.last_ts_ms, e.last_seq, e.frame_count, e.lasting_count,
    e.total_bytes, e.cut_through, e.removed_through, e.retention_maxlen, e.maxlen_applied_last, e.ema_rate_uhz,
    e.last_best_effort_ms, e.expires_at_ms, e.expiry_check_at_ms, e.closed_at_ms, e.closed_reason, e.live
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_stream_meta AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.live;

-- read_owned_ff_stream_meta
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.attempt_index, e.last_ts_ms, e.last_seq, e.frame_count,
    e.lasting_count, e.total_bytes, e.cut_through, e.removed_through, e.retention_maxlen, e.maxlen_applied_last,
    e.ema_rate_uhz, e.last_best_effort_ms, e.expires_at_ms, e.expiry_check_at_ms, e.closed_at_ms, e.closed_reason,
    e.live
  FROM ff_stream_meta AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- read_owned_ff_stream_meta_single
SELECT e.partition_key, e.execution_id, e.attempt_index, e.last_ts_ms, e.last_seq, e.frame_count, e.lasting_count,
    e.total_bytes, e.cut_through, e.removed_through, e.retention_maxlen, e.maxlen_applied_last, e.ema_rate_uhz,
    e.last_best_effort_ms, e.expires_at_ms, e.expiry_check_at_ms, e.closed_at_ms, e.closed_reason, e.live
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_stream_meta AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- read_all_ff_stream_meta
SELECT e.partition_key, e.execution_id, e.attempt_index, e.last_ts_ms, e.last_seq, e.frame_count, e.lasting_count,
    e.total_bytes, e.cut_through, e.removed_through, e.retention_maxlen, e.maxlen_applied_last, e.ema_rate_uhz,
    e.last_best_effort_ms, e.expires_at_ms, e.expiry_check_at_ms, e.closed_at_ms, e.closed_reason, e.live
  FROM ff_stream_meta AS e
  ORDER BY partition_key, execution_id, attempt_index;

-- lock_ff_stream_meta
LOCK TABLE ff_stream_meta IN EXCLUSIVE MODE;

-- insert_ff_stream_meta
INSERT INTO ff_stream_meta (partition_key, execution_id, attempt_index, last_ts_ms, last_seq, frame_count,
    lasting_count, total_bytes, cut_through, removed_through, retention_maxlen, maxlen_applied_last, ema_rate_uhz,
    last_best_effort_ms, expires_at_ms, expiry_check_at_ms, closed_at_ms, closed_reason, live)
  SELECT u.partition_key, u.execution_id, u.attempt_index, u.last_ts_ms, u.last_seq, u.frame_count, u.lasting_count,
    u.total_bytes, u.cut_through, u.removed_through, u.retention_maxlen, u.maxlen_applied_last, u.ema_rate_uhz,
    u.last_best_effort_ms, u.expires_at_ms, u.expiry_check_at_ms, u.closed_at_ms, u.closed_reason, u.live
  FROM unnest($1::smallint[], $2::uuid[], $3::integer[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
    $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[],
    $15::bigint[], $16::bigint[], $17::bigint[], $18::text[], $19::boolean[]) AS u(partition_key, execution_id,
    attempt_index, last_ts_ms, last_seq, frame_count, lasting_count, total_bytes, cut_through, removed_through,
    retention_maxlen, maxlen_applied_last, ema_rate_uhz, last_best_effort_ms, expires_at_ms, expiry_check_at_ms,
    closed_at_ms, closed_reason, live);

-- insert_ff_stream_meta_single
INSERT INTO ff_stream_meta (partition_key, execution_id, attempt_index, last_ts_ms, last_seq, frame_count,
    lasting_count, total_bytes, cut_through, removed_through, retention_maxlen, maxlen_applied_last, ema_rate_uhz,
    last_best_effort_ms, expires_at_ms, expiry_check_at_ms, closed_at_ms, closed_reason, live)
  SELECT $1::smallint, $2::uuid, $3::integer, $4::bigint, $5::bigint, $6::bigint, $7::bigint, $8::bigint, $9::bigint,
    $10::bigint, $11::bigint, $12::bigint, $13::bigint, $14::bigint, $15::bigint, $16::bigint, $17::bigint, $18::text,
    $19::boolean;

-- upsert_ff_stream_meta
INSERT INTO ff_stream_meta (partition_key, execution_id, attempt_index, last_ts_ms, last_seq, frame_count,
    lasting_count, total_bytes, cut_through, removed_through, retention_maxlen, maxlen_applied_last, ema_rate_uhz,
    last_best_effort_ms, expires_at_ms, expiry_check_at_ms, closed_at_ms, closed_reason, live)
  SELECT u.partition_key, u.execution_id, u.attempt_index, u.last_ts_ms, u.last_seq, u.frame_count, u.lasting_count,
    u.total_bytes, u.cut_through, u.removed_through, u.retention_maxlen, u.maxlen_applied_last, u.ema_rate_uhz,
    u.last_best_effort_ms, u.expires_at_ms, u.expiry_check_at_ms, u.closed_at_ms, u.closed_reason, u.live
  FROM unnest($1::smallint[], $2::uuid[], $3::integer[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
    $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[],
    $15::bigint[], $16::bigint[], $17::bigint[], $18::text[], $19::boolean[]) AS u(partition_key, execution_id,
    attempt_index, last_ts_ms, last_seq, frame_count, lasting_count, total_bytes, cut_through, removed_through,
    retention_maxlen, maxlen_applied_last, ema_rate_uhz, last_best_effort_ms, expires_at_ms, expiry_check_at_ms,
    closed_at_ms, closed_reason, live)
  ON CONFLICT (partition_key, execution_id, attempt_index) DO UPDATE
  SET last_ts_ms = excluded.last_ts_ms, last_seq = excluded.last_seq, frame_count = excluded.frame_count, lasting_count
    = excluded.lasting_count, total_bytes = excluded.total_bytes, cut_through = excluded.cut_through, removed_through =
    excluded.removed_through, retention_maxlen = excluded.retention_maxlen, maxlen_applied_last =
    excluded.maxlen_applied_last, ema_rate_uhz = excluded.ema_rate_uhz, last_best_effort_ms =
    excluded.last_best_effort_ms, expires_at_ms = excluded.expires_at_ms, expiry_check_at_ms =
    excluded.expiry_check_at_ms, closed_at_ms = excluded.closed_at_ms, closed_reason = excluded.closed_reason, live =
    excluded.live;

-- upsert_ff_stream_meta_single
INSERT INTO ff_stream_meta (partition_key, execution_id, attempt_index, last_ts_ms, last_seq, frame_count,
    lasting_count, total_bytes, cut_through, removed_through, retention_maxlen, maxlen_applied_last, ema_rate_uhz,
    last_best_effort_ms, expires_at_ms, expiry_check_at_ms, closed_at_ms, closed_reason, live)
  SELECT $1::smallint, $2::uuid, $3::integer, $4::bigint, $5::bigint, $6::bigint, $7::bigint, $8::bigint, $9::bigint,
    $10::bigint, $11::bigint, $12::bigint, $13::bigint, $14::bigint, $15::bigint, $16::bigint, $17::bigint, $18::text,
    $19::boolean
  ON CONFLICT (partition_key, execution_id, attempt_index) DO UPDATE
  SET last_ts_ms = excluded.last_ts_ms, last_seq = excluded.last_seq, frame_count = excluded.frame_count, lasting_count
    = excluded.lasting_count, total_bytes = excluded.total_bytes, cut_through = excluded.cut_through, removed_through =
    excluded.removed_through, retention_maxlen = excluded.retention_maxlen, maxlen_applied_last =
    excluded.maxlen_applied_last, ema_rate_uhz = excluded.ema_rate_uhz, last_best_effort_ms =
    excluded.last_best_effort_ms, expires_at_ms = excluded.expires_at_ms, expiry_check_at_ms =
    excluded.expiry_check_at_ms, closed_at_ms = excluded.closed_at_ms, closed_reason = excluded.closed_reason, live =
    excluded.live;

-- erase_ff_stream_meta
DELETE
  FROM ff_stream_meta
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::integer[]) AS u(partition_key, execution_id, attempt_index)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_stream_meta AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.attempt_index = u.attempt_index
    OFFSET 0) AS f));

-- erase_owned_ff_stream_meta
DELETE
  FROM ff_stream_meta
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_stream_meta AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f));

-- find_ff_stream_summary
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::integer[]) AS u(partition_key, execution_id, attempt_index)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.attempt_index, e.document, e.version, e.patch_kind,
    e.first_applied_ms, e.last_updated_ms
  FROM ff_stream_summary AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.attempt_index = u.attempt_index
    OFFSET 0) AS f;

-- find_ff_stream_summary_single
SELECT e.partition_key, e.execution_id, e.attempt_index, e.document, e.version, e.patch_kind, e.first_applied_ms,
    e.last_updated_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id, $3::integer AS attempt_index) AS u,
    ff_stream_summary AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.attempt_index = u.attempt_index;

-- read_ff_stream_summary
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::integer[]) AS u(partition_key, execution_id, attempt_index)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.attempt_index, e.document, e.version, e.patch_kind,
    e.first_applied_ms, e.last_updated_ms
  FROM ff_stream_summary AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.attempt_index = u.attempt_index
    OFFSET 0) AS f;

-- read_ff_stream_summary_single
SELECT e.partition_key, e.execution_id, e.attempt_index, e.document, e.version, e.patch_kind, e.first_applied_ms,
    e.last_updated_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id, $3::integer AS attempt_index) AS u,
    ff_stream_summary AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.attempt_index = u.attempt_index;

-- find_owned_ff_stream_summary
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.attempt_index, e.document, e.version, e.patch_kind,
    e.first_applied_ms, e.last_updated_ms
  FROM ff_stream_summary AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- find_owned_ff_stream_summary_single
SELECT e.partition_key, e.execution_id, e.attempt_index, e.document, e.version, e.patch_kind, e.first_applied_ms,
    e.last_updated_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_stream_summary AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- read_owned_ff_stream_summary
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.attempt_index, e.document, e.version, e.patch_kind,
    e.first_applied_ms, e.last_updated_ms
  FROM ff_stream_summary AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- read_owned_ff_stream_summary_single
SELECT e.partition_key, e.execution_id, e.attempt_index, e.document, e.version, e.patch_kind, e.first_applied_ms,
    e.last_updated_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_stream_summary AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- read_all_ff_stream_summary
SELECT e.partition_key, e.execution_id, e.attempt_index, e.document, e.version, e.patch_kind, e.first_applied_ms,
    e.last_updated_ms
  FROM ff_stream_summary AS e
  ORDER BY partition_key, execution_id, attempt_index;

-- lock_ff_stream_summary
LOCK TABLE ff_stream_summary IN EXCLUSIVE MODE;

-- insert_ff_stream_summary
INSERT INTO ff_stream_summary (partition_key, execution_id, attempt_index, document, version, patch_kind,
    first_applied_ms, last_updated_ms)
  SELECT u.partition_key, u.execution_id, u.attempt_index, u.document, u.version, u.patch_kind, u.first_applied_ms,
    u.last_updated_ms
  FROM unnest($1::smallint[], $2::uuid[], $3::integer[], $4::text[], $5::bigint[], $6::text[], $7::bigint[],
    $8::bigint[]) AS u(partition_key, execution_id, attempt_index, document, version, patch_kind, first_applied_ms,
    last_updated_ms);

-- insert_ff_stream_summary_single
INSERT INTO ff_stream_summary (partition_key, execution_id, attempt_index, document, version, patch_kind,
    first_applied_ms, last_updated_ms)
  SELECT $1::smallint, $2::uuid, $3::integer, $4::text, $5::bigint, $6::text, $7::bigint, $8::bigint;

-- upsert_ff_stream_summary
INSERT INTO ff_stream_summary (partition_key, execution_id, attempt_index, document, version, patch_kind,
    first_applied_ms, last_updated_ms)
  SELECT u.partition_key, u.execution_id, u.attempt_index, u.document, u.version, u.patch_kind, u.first_applied_ms,
    u.last_updated_ms
  FROM unnest($1::smallint[], $2::uuid[], $3::integer[], $4::text[], $5::bigint[], $6::text[], $7::bigint[],
    $8::bigint[]) AS u(partition_key, execution_id, attempt_index, document, version, patch_kind, first_applied_ms,
    last_updated_ms)
  ON CONFLICT (partition_key, execution_id, attempt_index) DO UPDATE
  SET document = excluded.document, version = excluded.version, patch_kind = excluded.patch_kind, first_applied_ms =
    excluded.first_applied_ms, last_updated_ms = excluded.last_updated_ms;

-- upsert_ff_stream_summary_single
INSERT INTO ff_stream_summary (partition_key, execution_id, attempt_index, document, version, patch_kind,
    first_applied_ms, last_updated_ms)
  SELECT $1::smallint, $2::uuid, $3::integer, $4::text, $5::bigint, $6::text, $7::bigint, $8::bigint
  ON CONFLICT (partition_key, execution_id, attempt_index) DO UPDATE
  SET document = excluded.document, version = excluded.version, patch_kind = excluded.patch_kind, first_applied_ms =
    excluded.first_applied_ms, last_updated_ms = excluded.last_updated_ms;

-- erase_ff_stream_summary
DELETE
  FROM ff_stream_summary
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::integer[]) AS u(partition_key, execution_id, attempt_index)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_stream_summary AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.attempt_index = u.attempt_index
    OFFSET 0) AS f));

-- erase_owned_ff_stream_summary
DELETE
  FROM ff_stream_summary
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_stream_summary AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f));

-- find_ff_stream_frame
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::integer[], $4::bigint[], $5::bigint[]) AS u(partition_key, execution_id,
    attempt_index, ts_ms, seq)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.attempt_index, e.ts_ms, e.seq, e.frame_no, e.created_at_ms,
    e.mode, e.frame_type, e.correlation_id, e.summary_version, e.ttl_ms, e.payload_encoding, e.payload
  FROM ff_stream_frame AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.attempt_index = u.attempt_index AND
    e.ts_ms = u.ts_ms AND e.seq = u.seq OFFSET 0) AS f;

-- find_ff_stream_frame_single
SELECT e.partition_key, e.execution_id, e.attempt_index, e.ts_ms, e.seq, e.frame_no, e.created_at_ms, e.mode,
    e.frame_type, e.correlation_id, e.summary_version, e.ttl_ms, e.payload_encoding, e.payload
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id, $3::integer AS attempt_index, $4::bigint AS
    ts_ms, $5::bigint AS seq) AS u, ff_stream_frame AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.attempt_index = u.attempt_index AND
    e.ts_ms = u.ts_ms AND e.seq = u.seq;

-- read_ff_stream_frame
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::integer[], $4::bigint[], $5::bigint[]) AS u(partition_key, execution_id,
    attempt_index, ts_ms, seq)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.attempt_index, e.ts_ms, e.seq, e.frame_no, e.created_at_ms,
    e.mode, e.frame_type, e.correlation_id, e.summary_version, e.ttl_ms, e.payload_encoding, e.payload
  FROM ff_stream_frame AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.attempt_index = u.attempt_index AND
    e.ts_ms = u.ts_ms AND e.seq = u.seq OFFSET 0) AS f;

-- read_ff_stream_frame_single
SELECT e.partition_key, e.execution_id, e.attempt_index, e.ts_ms, e.seq, e.frame_no, e.created_at_ms, e.mode,
    e.frame_type, e.correlation_id, e.summary_version, e.ttl_ms, e.payload_encoding, e.payload
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id, $3::integer AS attempt_index, $4::bigint AS
    ts_ms, $5::bigint AS seq) AS u, ff_stream_frame AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.attempt_index = u.attempt_index AND
    e.ts_ms = u.ts_ms AND e.seq = u.seq;

-- find_owned_ff_stream_frame
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.attempt_index, e.ts_ms, e.seq, e.frame_no, e.created_at_ms,
    e.mode, e.frame_type, e.correlation_id, e.summary_version, e.ttl_ms, e.payload_encoding, e.payload
  FROM ff_stream_frame AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- find_owned_ff_stream_frame_single
SELECT e.partition_key, e.execution_id, e.attempt_index, e.ts_ms, e.seq, e.frame_no, e.created_at_ms, e.mode,
    e.frame_type, e.correlation_id, e.summary_version, e.ttl_ms, e.payload_encoding, e.payload
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_stream_frame AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- read_owned_ff_stream_frame
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.attempt_index, e.ts_ms, e.seq, e.frame_no, e.created_at_ms,
    e.mode, e.frame_type, e.correlation_id, e.summary_version, e.ttl_ms, e.payload_encoding, e.payload
  FROM ff_stream_frame AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- read_owned_ff_stream_frame_single
SELECT e.partition_key, e.execution_id, e.attempt_index, e.ts_ms, e.seq, e.frame_no, e.created_at_ms, e.mode,
    e.frame_type, e.correlation_id, e.summary_version, e.ttl_ms, e.payload_encoding, e.payload
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_stream_frame AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- read_all_ff_stream_frame
SELECT e.partition_key, e.execution_id, e.attempt_index, e.ts_ms, e.seq, e.frame_no, e.created_at_ms, e.mode,
    e.frame_type, e.correlation_id, e.summary_version, e.ttl_ms, e.payload_encoding, e.payload
  FROM ff_stream_frame AS e
  ORDER BY partition_key, execution_id, attempt_index, ts_ms, seq;

-- lock_ff_stream_frame
LOCK TABLE ff_stream_frame IN EXCLUSIVE MODE;

-- insert_ff_stream_frame
INSERT INTO ff_stream_frame (partition_key, execution_id, attempt_index, ts_ms, seq, frame_no, created_at_ms, mode,
    frame_type, correlation_id, summary_version, ttl_ms, payload_encoding, payload)
  SELECT u.partition_key, u.execution_id, u.attempt_index, u.ts_ms, u.seq, u.frame_no, u.created_at_ms, u.mode,
    u.frame_type, u.correlation_id, u.summary_version, u.ttl_ms, u.payload_encoding, u.payload
  FROM unnest($1::smallint[], $2::uuid[], $3::integer[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
    $8::text[], $9::text[], $10::text[], $11::bigint[], $12::bigint[], $13::text[], $14::bytea[]) AS u(partition_key,
    execution_id, attempt_index, ts_ms, seq, frame_no, created_at_ms, mode, frame_type, correlation_id, summary_version,
    ttl_ms, payload_encoding, payload);

-- insert_ff_stream_frame_single
INSERT INTO ff_stream_frame (partition_key, execution_id, attempt_index, ts_ms, seq, frame_no, created_at_ms, mode,
    frame_type, correlation_id, summary_version, ttl_ms, payload_encoding, payload)
  SELECT $1::smallint, $2::uuid, $3::integer, $4::bigint, $5::bigint, $6::bigint, $7::bigint, $8::text, $9::text,
    $10::text, $11::bigint, $12::bigint, $13::text, $14::bytea;

-- upsert_ff_stream_frame
INSERT INTO ff_stream_frame (partition_key, execution_id, attempt_index, ts_ms, seq, frame_no, created_at_ms, mode,
    frame_type, correlation_id, summary_version, ttl_ms, payload_encoding, payload)
  SELECT u.partition_key, u.execution_id, u.attempt_index, u.ts_ms, u.seq, u.frame_no, u.created_at_ms, u.mode,
    u.frame_type, u.correlation_id, u.summary_version, u.ttl_ms, u.payload_encoding, u.payload
  FROM unnest($1::smallint[], $2::uuid[], $3::integer[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
    $8::text[], $9::text[], $10::text[], $11::bigint[], $12::bigint[], $13::text[], $14::bytea[]) AS u(partition_key,
    execution_id, attempt_index, ts_ms, seq, frame_no, created_at_ms, mode, frame_type, correlation_id, summary_version,
    ttl_ms, payload_encoding, payload)
  ON CONFLICT (partition_key, execution_id, attempt_index, ts_ms, seq) DO UPDATE
  SET frame_no = excluded.frame_no, created_at_ms = excluded.created_at_ms, mode = excluded.mode, frame_type =
    excluded.frame_type, correlation_id = excluded.correlation_id, summary_version = excluded.summary_version, ttl_ms =
    excluded.ttl_ms, payload_encoding = excluded.payload_encoding, payload = excluded.payload;

-- upsert_ff_stream_frame_single
INSERT INTO ff_stream_frame (partition_key, execution_id, attempt_index, ts_ms, seq, frame_no, created_at_ms, mode,
    frame_type, correlation_id, summary_version, ttl_ms, payload_encoding, payload)
  SELECT $1::smallint, $2::uuid, $3::integer, $4::bigint, $5::bigint, $6::bigint, $7::bigint, $8::text, $9::text,
    $10::text, $11::bigint, $12::bigint, $13::text, $14::bytea
  ON CONFLICT (partition_key, execution_id, attempt_index, ts_ms, seq) DO UPDATE
  SET frame_no = excluded.frame_no, created_at_ms = excluded.created_at_ms, mode = excluded.mode, frame_type =
    excluded.frame_type, correlation_id = excluded.correlation_id, summary_version = excluded.summary_version, ttl_ms =
    excluded.ttl_ms, payload_encoding = excluded.payload_encoding, payload = excluded.payload;

-- erase_ff_stream_frame
DELETE
  FROM ff_stream_frame
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::integer[], $4::bigint[], $5::bigint[]) AS u(partition_key, execution_id,
    attempt_index, ts_ms, seq)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_stream_frame AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.attempt_index = u.attempt_index AND
    e.ts_ms = u.ts_ms AND e.seq = u.seq OFFSET 0) AS f));

-- erase_owned_ff_stream_frame
DELETE
  FROM ff_stream_frame
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_stream_frame AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f));

-- cut_ff_stream_frame
DELETE
  FROM ff_stream_frame
  WHERE ctid = ANY (ARRAY(SELECT f.ctid
  FROM unnest($1::smallint[], $2::uuid[], $3::integer[], $4::bigint[]) AS u(partition_key, execution_id, attempt_index,
    through)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_stream_frame AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.attempt_index = u.attempt_index AND
    e.frame_no <= u.through OFFSET 0) AS f));

-- find_ff_claim_grant
SELECT f.*
  FROM unnest($1::smallint[], $2::bytea[]) AS u(partition_key, grant_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.grant_id, e.execution_id, e.kind, e.worker_id, e.worker_instance_id,
    e.lane_id, e.capability_hash, e.worker_capabilities, e.route_snapshot_json, e.admission_summary, e.grant_ttl_ms,
    e.issued_at_ms, e.expires_at_ms
  FROM ff_claim_grant AS e
  WHERE e.partition_key = u.partition_key AND e.grant_id = u.grant_id OFFSET 0) AS f;

-- find_ff_claim_grant_single
SELECT e.partition_key, e.grant_id, e.execution_id, e.kind, e.worker_id, e.worker_instance_id, e.lane_id,
    e.capability_hash, e.worker_capabilities, e.route_snapshot_json, e.admission_summary, e.grant_ttl_ms,
    e.issued_at_ms, e.expires_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::bytea AS grant_id) AS u, ff_claim_grant AS e
  WHERE e.partition_key = u.partition_key AND e.grant_id = u.grant_id;

-- read_ff_claim_grant
SELECT f.*
  FROM unnest($1::smallint[], $2::bytea[]) AS u(partition_key, grant_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.grant_id, e.execution_id, e.kind, e.worker_id, e.worker_instance_id,
    e.lane_id, e.capability_hash, e.worker_capabilities, e.route_snapshot_json, e.admission_summary, e.grant_ttl_ms,
    e.issued_at_ms, e.expires_at_ms
  FROM ff_claim_grant AS e
  WHERE e.partition_key = u.partition_key AND e.grant_id = u.grant_id OFFSET 0) AS f;

-- read_ff_claim_grant_single
SELECT e.partition_key, e.grant_id, e.execution_id, e.kind, e.worker_id, e.worker_instance_id, e.lane_id,
    e.capability_hash, e.worker_capabilities, e.route_snapshot_json, e.admission_summary, e.grant_ttl_ms,
    e.issued_at_ms, e.expires_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::bytea AS grant_id) AS u, ff_claim_grant AS e
  WHERE e.partition_key = u.partition_key AND e.grant_id = u.grant_id;

-- find_owned_ff_claim_grant
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.grant_id, e.execution_id, e.kind, e.worker_id, e.worker_instance_id,
    e.lane_id, e.capability_hash, e.worker_capabilities, e.route_snapshot_json, e.admission_summary, e.grant_ttl_ms,
    e.issued_at_ms, e.expires_at_ms
  FROM ff_claim_grant AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- find_owned_ff_claim_grant_single
SELECT e.partition_key, e.grant_id, e.execution_id, e.kind, e.worker_id, e.worker_instance_id, e.lane_id,
    e.capability_hash, e.worker_capabilities, e.route_snapshot_json, e.admission_summary, e.grant_ttl_ms,
    e.issued_at_ms, e.expires_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_claim_grant AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- read_owned_ff_claim_grant
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.grant_id, e.execution_id, e.kind, e.worker_id, e.worker_instance_id,
    e.lane_id, e.capability_hash, e.worker_capabilities, e.route_snapshot_json, e.admission_summary, e.grant_ttl_ms,
    e.issued_at_ms, e.expires_at_ms
  FROM ff_claim_grant AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- read_owned_ff_claim_grant_single
SELECT e.partition_key, e.grant_id, e.execution_id, e.kind, e.worker_id, e.worker_instance_id, e.lane_id,
    e.capability_hash, e.worker_capabilities, e.route_snapshot_json, e.admission_summary, e.grant_ttl_ms,
    e.issued_at_ms, e.expires_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_claim_grant AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- read_all_ff_claim_grant
SELECT e.partition_key, e.grant_id, e.execution_id, e.kind, e.worker_id, e.worker_instance_id, e.lane_id,
    e.capability_hash, e.worker_capabilities, e.route_snapshot_json, e.admission_summary, e.grant_ttl_ms,
    e.issued_at_ms, e.expires_at_ms
  FROM ff_claim_grant AS e
  ORDER BY partition_key, grant_id;

-- lock_ff_claim_grant
LOCK TABLE ff_claim_grant IN EXCLUSIVE MODE;

-- insert_ff_claim_grant
INSERT INTO ff_claim_grant (partition_key, grant_id, execution_id, kind, worker_id, worker_instance_id, lane_id,
    capability_hash, worker_capabilities, route_snapshot_json, admission_summary, grant_ttl_ms, issued_at_ms,
    expires_at_ms)
  SELECT u.partition_key, u.grant_id, u.execution_id, u.kind, u.worker_id, u.worker_instance_id, u.lane_id,
    u.capability_hash, u.worker_capabilities, u.route_snapshot_json, u.admission_summary, u.grant_ttl_ms,
    u.issued_at_ms, u.expires_at_ms
  FROM unnest($1::smallint[], $2::bytea[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::jsonb[], $10::text[], $11::text[], $12::bigint[], $13::bigint[], $14::bigint[]) AS u(partition_key, grant_id,
    execution_id, kind, worker_id, worker_instance_id, lane_id, capability_hash, worker_capabilities,
    route_snapshot_json, admission_summary, grant_ttl_ms, issued_at_ms, expires_at_ms);

-- insert_ff_claim_grant_single
INSERT INTO ff_claim_grant (partition_key, grant_id, execution_id, kind, worker_id, worker_instance_id, lane_id,
    capability_hash, worker_capabilities, route_snapshot_json, admission_summary, grant_ttl_ms, issued_at_ms,
    expires_at_ms)
  SELECT $1::smallint, $2::bytea, $3::uuid, $4::text, $5::text, $6::text, $7::text, $8::text, $9::jsonb, $10::text,
    $11::text, $12::bigint, $13::bigint, $14::bigint;

-- upsert_ff_claim_grant
INSERT INTO ff_claim_grant (partition_key, grant_id, execution_id, kind, worker_id, worker_instance_id, lane_id,
    capability_hash, worker_capabilities, route_snapshot_json, admission_summary, grant_ttl_ms, issued_at_ms,
    expires_at_ms)
  SELECT u.partition_key, u.grant_id, u.execution_id, u.kind, u.worker_id, u.worker_instance_id, u.lane_id,
    u.capability_hash, u.worker_capabilities, u.route_snapshot_json, u.admission_summary, u.grant_ttl_ms,
    u.issued_at_ms, u.expires_at_ms
  FROM unnest($1::smallint[], $2::bytea[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::jsonb[], $10::text[], $11::text[], $12::bigint[], $13::bigint[], $14::bigint[]) AS u(partition_key, grant_id,
    execution_id, kind, worker_id, worker_instance_id, lane_id, capability_hash, worker_capabilities,
    route_snapshot_json, admission_summary, grant_ttl_ms, issued_at_ms, expires_at_ms)
  ON CONFLICT (partition_key, grant_id) DO UPDATE
  SET execution_id = excluded.execution_id, kind = excluded.kind, worker_id = excluded.worker_id, worker_instance_id =
    excluded.worker_instance_id, lane_id = excluded.lane_id, capability_hash = excluded.capability_hash,
    worker_capabilities = excluded.worker_capabilities, route_snapshot_json = excluded.route_snapshot_json,
    admission_summary = excluded.admission_summary, grant_ttl_ms = excluded.grant_ttl_ms, issued_at_ms =
    excluded.issued_at_ms, expires_at_ms = excluded.expires_at_ms;

-- upsert_ff_claim_grant_single
INSERT INTO ff_claim_grant (partition_key, grant_id, execution_id, kind, worker_id, worker_instance_id, lane_id,
    capability_hash, worker_capabilities, route_snapshot_json, admission_summary, grant_ttl_ms, issued_at_ms,
    expires_at_ms)
  SELECT $1::smallint, $2::bytea, $3::uuid, $4::text, $5::text, $6::text, $7::text, $8::text, $9::jsonb, $10::text,
    $11::text, $12::bigint, $13::bigint, $14::bigint
  ON CONFLICT (partition_key, grant_id) DO UPDATE
  SET execution_id = excluded.execution_id, kind = excluded.kind, worker_id = excluded.worker_id, worker_instance_id =
    excluded.worker_instance_id, lane_id = excluded.lane_id, capability_hash = excluded.capability_hash,
    worker_capabilities = excluded.worker_capabilities, route_snapshot_json = excluded.route_snapshot_json,
    admission_summary = excluded.admission_summary, grant_ttl_ms = excluded.grant_ttl_ms, issued_at_ms =
    excluded.issued_at_ms, expires_at_ms = excluded.expires_at_ms;

-- erase_ff_claim_grant
DELETE
  FROM ff_claim_grant
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::bytea[]) AS u(partition_key, grant_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_claim_grant AS e
  WHERE e.partition_key = u.partition_key AND e.grant_id = u.grant_id OFFSET 0) AS f));

-- erase_owned_ff_claim_grant
DELETE
  FROM ff_claim_grant
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_claim_grant AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f));

-- find_ff_budget_policy
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, budget_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.budget_id, e.incarnation, e.policy_json, e.scope_type, e.scope_id,
    e.enforcement_mode, e.ancestors, e.child_count, e.dimension_count, e.created_at_ms, e.updated_at_ms, e.breach_count,
    e.soft_breach_count, e.last_breach_at_ms, e.last_breach_dim, e.hard_told, e.soft_told, e.reset_count,
    e.last_reset_at_ms, e.next_reset_at_ms
  FROM ff_budget_policy AS e
  WHERE e.partition_key = u.partition_key AND e.budget_id = u.budget_id
  FOR UPDATE OF e OFFSET 0) AS f;

-- find_ff_budget_policy_single
SELECT e.partition_key, e.budget_id, e.incarnation, e.policy_json, e.scope_type, e.scope_id, e.enforcement_mode,
    e.ancestors, e.child_count, e.dimension_count, e.created_at_ms, e.updated_at_ms, e.breach_count,
    e.soft_breach_count, e.last_breach_at_ms, e.last_breach_dim, e.hard_told, e.soft_told, e.reset_count,
    e.last_reset_at_ms, e.next_reset_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS budget_id) AS u, ff_budget_policy AS e
  WHERE e.partition_key = u.partition_key AND e.budget_id = u.budget_id
  FOR UPDATE OF e;

-- read_ff_budget_policy
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, budget_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.budget_id, e.incarnation, e.policy_json, e.scope_type, e.scope_id,
    e.enforcement_mode, e.ancestors, e.child_count, e.dimension_count, e.created_at_ms, e.updated_at_ms, e.breach_count,
    e.soft_breach_count, e.last_breach_at_ms, e.last_breach_dim, e.hard_told, e.soft_told, e.reset_count,
    e.last_reset_at_ms, e.next_reset_at_ms
  FROM ff_budget_policy AS e
  WHERE e.partition_key = u.partition_key AND e.budget_id = u.budget_id OFFSET 0) AS f;

-- read_ff_budget_policy_single
SELECT e.partition_key, e.budget_id, e.incarnation, e.policy_json, e.scope_type, e.scope_id, e.enforcement_mode,
    e.ancestors, e.child_count, e.dimension_count, e.created_at_ms, e.updated_at_ms, e.breach_count,
    e.soft_breach_count, e.last_breach_at_ms, e.last_breach_dim, e.hard_told, e.soft_told, e.reset_count,
    e.last_reset_at_ms, e.next_reset_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS budget_id) AS u, ff_budget_policy AS e
  WHERE e.partition_key = u.partition_key AND e.budget_id = u.budget_id;

-- read_all_ff_budget_policy
SELECT e.partition_key, e.budget_id, e.incarnation, e.policy_json, e.scope_type, e.scope_id, e.enforcement_mode,
    e.ancestors, e.child_count, e.dimension_count, e.created_at_ms, e.updated_at_ms, e.breach_count,
    e.soft_breach_count, e.last_breach_at_ms, e.last_breach_dim, e.hard_told, e.soft_told, e.reset_count,
    e.last_reset_at_ms, e.next_reset_at_ms
  FROM ff_budget_policy AS e
  ORDER BY partition_key, budget_id;

-- read_behind_ff_budget_policy
SELECT e.partition_key, e.budget_id, e.incarnation, e.policy_json, e.scope_type, e.scope_id, e.enforcement_mode,
    e.ancestors, e.child_count, e.dimension_count, e.created_at_ms, e.updated_at_ms, e.breach_count,
    e.soft_breach_count, e.last_breach_at_ms, e.last_breach_dim, e.hard_told, e.soft_told, e.reset_count,
    e.last_reset_at_ms, e.next_reset_at_ms
  FROM ff_budget_policy AS e
  WHERE e.partition_key = $1::smallint AND e.budget_id > $2::uuid
  ORDER BY e.budget_id
  LIMIT $3::bigint;

-- lock_ff_budget_policy
LOCK TABLE ff_budget_policy IN EXCLUSIVE MODE;

-- insert_ff_budget_policy
INSERT INTO ff_budget_policy (partition_key, budget_id, incarnation, policy_json, scope_type, scope_id,
    enforcement_mode, ancestors, child_count, dimension_count, created_at_ms, updated_at_ms, breach_count,
    soft_breach_count, last_breach_at_ms, last_breach_dim, hard_told, soft_told, reset_count, last_reset_at_ms,
    next_reset_at_ms)
  SELECT u.partition_key, u.budget_id, u.incarnation, u.policy_json, u.scope_type, u.scope_id, u.enforcement_mode,
    string_to_array(u.ancestors, '\n'), u.child_count, u.dimension_count, u.created_at_ms, u.updated_at_ms,
    u.breach_count, u.soft_breach_count, u.last_breach_at_ms, u.last_breach_dim, string_to_array(u.hard_told, '\n'),
    string_to_array(u.soft_told, '\n'), u.reset_count, u.last_reset_at_ms, u.next_reset_at_ms
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::jsonb[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::integer[], $10::integer[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[],
    $16::text[], $17::text[], $18::text[], $19::bigint[], $20::bigint[], $21::bigint[]) AS u(partition_key, budget_id,
    incarnation, policy_json, scope_type, scope_id, enforcement_mode, ancestors, child_count, dimension_count,
    created_at_ms, updated_at_ms, breach_count, soft_breach_count, last_breach_at_ms, last_breach_dim, hard_told,
    soft_told, reset_count, last_reset_at_ms, next_reset_at_ms);

-- insert_ff_budget_policy_single
INSERT INTO ff_budget_policy (partition_key, budget_id, incarnation, policy_json, scope_type, scope_id,
    enforcement_mode, ancestors, child_count, dimension_count, created_at_ms, updated_at_ms, breach_count,
    soft_breach_count, last_breach_at_ms, last_breach_dim, hard_told, soft_told, reset_count, last_reset_at_ms,
    next_reset_at_ms)
  SELECT $1::smallint, $2::uuid, $3::uuid, $4::jsonb, $5::text, $6::text, $7::text, string_to_array($8::text, '\n'),
    $9::integer, $10::integer, $11::bigint, $12::bigint, $13::bigint, $14::bigint, $15::bigint, $16::text,
    string_to_array($17::text, '\n'), string_to_array($18::text, '\n'), $19::bigint, $20::bigint, $21::bigint;

-- upsert_ff_budget_policy
INSERT INTO ff_budget_policy (partition_key, budget_id, incarnation, policy_json, scope_type, scope_id,
    enforcement_mode, ancestors, child_count, dimension_count, created_at_ms, updated_at_ms, breach_count,
    soft_breach_count, last_breach_at_ms, last_breach_dim, hard_told, soft_told, reset_count, last_reset_at_ms,
    next_reset_at_ms)
  SELECT u.partition_key, u.budget_id, u.incarnation, u.policy_json, u.scope_type, u.scope_id, u.enforcement_mode,
    string_to_array(u.ancestors, '\n'), u.child_count, u.dimension_count, u.created_at_ms, u.updated_at_ms,
    u.breach_count, u.soft_breach_count, u.last_breach_at_ms, u.last_breach_dim, string_to_array(u.hard_told, '\n'),
    string_to_array(u.soft_told, '\n'), u.reset_count, u.last_reset_at_ms, u.next_reset_at_ms
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::jsonb[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::integer[], $10::integer[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[],
    $16::text[], $17::text[], $18::text[], $19::bigint[], $20::bigint[], $21::bigint[]) AS u(partition_key, budget_id,
    incarnation, policy_json, scope_type, scope_id, enforcement_mode, ancestors, child_count, dimension_count,
    created_at_ms, updated_at_ms, breach_count, soft_breach_count, last_breach_at_ms, last_breach_dim, hard_told,
    soft_told, reset_count, last_reset_at_ms, next_reset_at_ms)
  ON CONFLICT (partition_key, budget_id) DO UPDATE
  SET incarnation = excluded.incarnation, policy_json = excluded.policy_json, scope_type = excluded.scope_type, scope_id
    = excluded.scope_id, enforcement_mode = excluded.enforcement_mode, ancestors = excluded.ancestors, child_count =
    excluded.child_count, dimension_count = excluded.dimension_count, created_at_ms = excluded.created_at_ms,
    updated_at_ms = excluded.updated_at_ms, breach_count = excluded.breach_count, soft_breach_count =
    excluded.soft_breach_count, last_breach_at_ms = excluded.last_breach_at_ms, last_breach_dim =
    excluded.last_breach_dim, hard_told = excluded.hard_told, soft_told = excluded.soft_told, reset_count =
    excluded.reset_count, last_reset_at_ms = excluded.last_reset_at_ms, next_reset_at_ms = excluded.next_reset_at_ms;

-- upsert_ff_budget_policy_single
INSERT INTO ff_budget_policy (partition_key, budget_id, incarnation, policy_json, scope_type, scope_id,
    enforcement_mode, ancestors, child_count, dimension_count, created_at_ms, updated_at_ms, breach_count,
    soft_breach_count, last_breach_at_ms, last_breach_dim, hard_told, soft_told, reset_count, last_reset_at_ms,
    next_reset_at_ms)
  SELECT $1::smallint, $2::uuid, $3::uuid, $4::jsonb, $5::text, $6::text, $7::text, string_to_array($8::text, '\n'),
    $9::integer, $10::integer, $11::bigint, $12::bigint, $13::bigint, $14::bigint, $15::bigint, $16::text,
    string_to_array($17::text, '\n'), string_to_array($18::text, '\n'), $19::bigint, $20::bigint, $21::bigint
  ON CONFLICT (partition_key, budget_id) DO UPDATE
  SET incarnation = excluded.incarnation, policy_json = excluded.policy_json, scope_type = excluded.scope_type, scope_id
    = excluded.scope_id, enforcement_mode = excluded.enforcement_mode, ancestors = excluded.ancestors, child_count =
    excluded.child_count, dimension_count = excluded.dimension_count, created_at_ms = excluded.created_at_ms,
    updated_at_ms = excluded.updated_at_ms, breach_count = excluded.breach_count, soft_breach_count =
    excluded.soft_breach_count, last_breach_at_ms = excluded.last_breach_at_ms, last_breach_dim =
    excluded.last_breach_dim, hard_told = excluded.hard_told, soft_told = excluded.soft_told, reset_count =
    excluded.reset_count, last_reset_at_ms = excluded.last_reset_at_ms, next_reset_at_ms = excluded.next_reset_at_ms;

-- erase_ff_budget_policy
DELETE
  FROM ff_budget_policy
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, budget_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_budget_policy AS e
  WHERE e.partition_key = u.partition_key AND e.budget_id = u.budget_id OFFSET 0) AS f));

-- find_ff_budget_usage
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::text[]) AS u(partition_key, budget_id, dimensions_key)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.budget_id, e.dimensions_key, e.current_value, e.last_reset_at_ms,
    e.updated_at_ms
  FROM ff_budget_usage AS e
  WHERE e.partition_key = u.partition_key AND e.budget_id = u.budget_id AND e.dimensions_key = u.dimensions_key OFFSET
    0) AS f;

-- find_ff_budget_usage_single
SELECT e.partition_key, e.budget_id, e.dimensions_key, e.current_value, e.last_reset_at_ms, e.updated_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS budget_id, $3::text AS dimensions_key) AS u, ff_budget_usage
    AS e
  WHERE e.partition_key = u.partition_key AND e.budget_id = u.budget_id AND e.dimensions_key = u.dimensions_key;

-- read_ff_budget_usage
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::text[]) AS u(partition_key, budget_id, dimensions_key)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.budget_id, e.dimensions_key, e.current_value, e.last_reset_at_ms,
    e.updated_at_ms
  FROM ff_budget_usage AS e
  WHERE e.partition_key = u.partition_key AND e.budget_id = u.budget_id AND e.dimensions_key = u.dimensions_key OFFSET
    0) AS f;

-- read_ff_budget_usage_single
SELECT e.partition_key, e.budget_id, e.dimensions_key, e.current_value, e.last_reset_at_ms, e.updated_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS budget_id, $3::text AS dimensions_key) AS u, ff_budget_usage
    AS e
  WHERE e.partition_key = u.partition_key AND e.budget_id = u.budget_id AND e.dimensions_key = u.dimensions_key;

-- read_all_ff_budget_usage
SELECT e.partition_key, e.budget_id, e.dimensions_key, e.current_value, e.last_reset_at_ms, e.updated_at_ms
  FROM ff_budget_usage AS e
  ORDER BY partition_key, budget_id, dimensions_key;

-- read_behind_ff_budget_usage
SELECT e.partition_key, e.budget_id, e.dimensions_key, e.current_value, e.last_reset_at_ms, e.updated_at_ms
  FROM ff_budget_usage AS e
  WHERE e.partition_key = $1::smallint AND e.budget_id = $2::uuid AND e.dimensions_key > $3::text
  ORDER BY e.dimensions_key
  LIMIT $4::bigint;

-- lock_ff_budget_usage
LOCK TABLE ff_budget_usage IN EXCLUSIVE MODE;

-- insert_ff_budget_usage
INSERT INTO ff_budget_usage (partition_key, budget_id, dimensions_key, current_value, last_reset_at_ms, updated_at_ms)
  SELECT u.partition_key, u.budget_id, u.dimensions_key, u.current_value, u.last_reset_at_ms, u.updated_at_ms
  FROM unnest($1::smallint[], $2::uuid[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[]) AS u(partition_key,
    budget_id, dimensions_key, current_value, last_reset_at_ms, updated_at_ms);

-- insert_ff_budget_usage_single
INSERT INTO ff_budget_usage (partition_key, budget_id, dimensions_key, current_value, last_reset_at_ms, updated_at_ms)
  SELECT $1::smallint, $2::uuid, $3::text, $4::bigint, $5::bigint, $6::bigint;

-- upsert_ff_budget_usage
INSERT INTO ff_budget_usage (partition_key, budget_id, dimensions_key, current_value, last_reset_at_ms, updated_at_ms)
  SELECT u.partition_key, u.budget_id, u.dimensions_key, u.current_value, u.last_reset_at_ms, u.updated_at_ms
  FROM unnest($1::smallint[], $2::uuid[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[]) AS u(partition_key,
    budget_id, dimensions_key, current_value, last_reset_at_ms, updated_at_ms)
  ON CONFLICT (partition_key, budget_id, dimensions_key) DO UPDATE
  SET current_value = excluded.current_value, last_reset_at_ms = excluded.last_reset_at_ms, updated_at_ms =
    excluded.updated_at_ms;

-- upsert_ff_budget_usage_single
INSERT INTO ff_budget_usage (partition_key, budget_id, dimensions_key, current_value, last_reset_at_ms, updated_at_ms)
  SELECT $1::smallint, $2::uuid, $3::text, $4::bigint, $5::bigint, $6::bigint
  ON CONFLICT (partition_key, budget_id, dimensions_key) DO UPDATE
  SET current_value = excluded.current_value, last_reset_at_ms = excluded.last_reset_at_ms, updated_at_ms =
    excluded.updated_at_ms;

-- erase_ff_budget_usage
DELETE
  FROM ff_budget_usage
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::text[]) AS u(partition_key, budget_id, dimensions_key)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_budget_usage AS e
  WHERE e.partition_key = u.partition_key AND e.budget_id = u.budget_id AND e.dimensions_key = u.dimensions_key OFFSET
    0) AS f));

-- find_ff_budget_usage_by_exec
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[]) AS u(partition_key, execution_id,
    spent_on, budget_id, dimensions_key)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.spent_on, e.budget_id, e.dimensions_key, e.delta_total,
    e.incarnation, e.reset_count, e.updated_at_ms
  FROM ff_budget_usage_by_exec AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.spent_on = u.spent_on AND
    e.budget_id = u.budget_id AND e.dimensions_key = u.dimensions_key OFFSET 0) AS f;

-- find_ff_budget_usage_by_exec_single
SELECT e.partition_key, e.execution_id, e.spent_on, e.budget_id, e.dimensions_key, e.delta_total, e.incarnation,
    e.reset_count, e.updated_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id, $3::uuid AS spent_on, $4::uuid AS budget_id,
    $5::text AS dimensions_key) AS u, ff_budget_usage_by_exec AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.spent_on = u.spent_on AND
    e.budget_id = u.budget_id AND e.dimensions_key = u.dimensions_key;

-- read_ff_budget_usage_by_exec
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[]) AS u(partition_key, execution_id,
    spent_on, budget_id, dimensions_key)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.spent_on, e.budget_id, e.dimensions_key, e.delta_total,
    e.incarnation, e.reset_count, e.updated_at_ms
  FROM ff_budget_usage_by_exec AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.spent_on = u.spent_on AND
    e.budget_id = u.budget_id AND e.dimensions_key = u.dimensions_key OFFSET 0) AS f;

-- read_ff_budget_usage_by_exec_single
SELECT e.partition_key, e.execution_id, e.spent_on, e.budget_id, e.dimensions_key, e.delta_total, e.incarnation,
    e.reset_count, e.updated_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id, $3::uuid AS spent_on, $4::uuid AS budget_id,
    $5::text AS dimensions_key) AS u, ff_budget_usage_by_exec AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.spent_on = u.spent_on AND
    e.budget_id = u.budget_id AND e.dimensions_key = u.dimensions_key;

-- find_owned_ff_budget_usage_by_exec
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.spent_on, e.budget_id, e.dimensions_key, e.delta_total,
    e.incarnation, e.reset_count, e.updated_at_ms
  FROM ff_budget_usage_by_exec AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- find_owned_ff_budget_usage_by_exec_single
SELECT e.partition_key, e.execution_id, e.spent_on, e.budget_id, e.dimensions_key, e.delta_total, e.incarnation,
    e.reset_count, e.updated_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_budget_usage_by_exec AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- read_owned_ff_budget_usage_by_exec
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.spent_on, e.budget_id, e.dimensions_key, e.delta_total,
    e.incarnation, e.reset_count, e.updated_at_ms
  FROM ff_budget_usage_by_exec AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- read_owned_ff_budget_usage_by_exec_single
SELECT e.partition_key, e.execution_id, e.spent_on, e.budget_id, e.dimensions_key, e.delta_total, e.incarnation,
    e.reset_count, e.updated_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_budget_usage_by_exec AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- read_all_ff_budget_usage_by_exec
SELECT e.partition_key, e.execution_id, e.spent_on, e.budget_id, e.dimensions_key, e.delta_total, e.incarnation,
    e.reset_count, e.updated_at_ms
  FROM ff_budget_usage_by_exec AS e
  ORDER BY partition_key, execution_id, spent_on, budget_id, dimensions_key;

-- lock_ff_budget_usage_by_exec
LOCK TABLE ff_budget_usage_by_exec IN EXCLUSIVE MODE;

-- insert_ff_budget_usage_by_exec
INSERT INTO ff_budget_usage_by_exec (partition_key, execution_id, spent_on, budget_id, dimensions_key, delta_total,
    incarnation, reset_count, updated_at_ms)
  SELECT u.partition_key, u.execution_id, u.spent_on, u.budget_id, u.dimensions_key, u.delta_total, u.incarnation,
    u.reset_count, u.updated_at_ms
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::bigint[], $7::uuid[], $8::bigint[],
    $9::bigint[]) AS u(partition_key, execution_id, spent_on, budget_id, dimensions_key, delta_total, incarnation,
    reset_count, updated_at_ms);

-- insert_ff_budget_usage_by_exec_single
INSERT INTO ff_budget_usage_by_exec (partition_key, execution_id, spent_on, budget_id, dimensions_key, delta_total,
    incarnation, reset_count, updated_at_ms)
  SELECT $1::smallint, $2::uuid, $3::uuid, $4::uuid, $5::text, $6::bigint, $7::uuid, $8::bigint, $9::bigint;

-- upsert_ff_budget_usage_by_exec
INSERT INTO ff_budget_usage_by_exec (partition_key, execution_id, spent_on, budget_id, dimensions_key, delta_total,
    incarnation, reset_count, updated_at_ms)
  SELECT u.partition_key, u.execution_id, u.spent_on, u.budget_id, u.dimensions_key, u.delta_total, u.incarnation,
    u.reset_count, u.updated_at_ms
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::bigint[], $7::uuid[], $8::bigint[],
    $9::bigint[]) AS u(partition_key, execution_id, spent_on, budget_id, dimensions_key, delta_total, incarnation,
    reset_count, updated_at_ms)
  ON CONFLICT (partition_key, execution_id, spent_on, budget_id, dimensions_key) DO UPDATE
  SET delta_total = excluded.delta_total, incarnation = excluded.incarnation, reset_count = excluded.reset_count,
    updated_at_ms = excluded.updated_at_ms;

-- upsert_ff_budget_usage_by_exec_single
INSERT INTO ff_budget_usage_by_exec (partition_key, execution_id, spent_on, budget_id, dimensions_key, delta_total,
    incarnation, reset_count, updated_at_ms)
  SELECT $1::smallint, $2::uuid, $3::uuid, $4::uuid, $5::text, $6::bigint, $7::uuid, $8::bigint, $9::bigint
  ON CONFLICT (partition_key, execution_id, spent_on, budget_id, dimensions_key) DO UPDATE
  SET delta_total = excluded.delta_total, incarnation = excluded.incarnation, reset_count = excluded.reset_count,
    updated_at_ms = excluded.updated_at_ms;

-- erase_ff_budget_usage_by_exec
DELETE
  FROM ff_budget_usage_by_exec
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[]) AS u(partition_key, execution_id,
    spent_on, budget_id, dimensions_key)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_budget_usage_by_exec AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.spent_on = u.spent_on AND
    e.budget_id = u.budget_id AND e.dimensions_key = u.dimensions_key OFFSET 0) AS f));

-- erase_owned_ff_budget_usage_by_exec
DELETE
  FROM ff_budget_usage_by_exec
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_budget_usage_by_exec AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f));

-- find_ff_budget_usage_dedup
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::text[], $4::text[]) AS u(partition_key, budget_id, operation_family,
    dedup_key)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.budget_id, e.operation_family, e.dedup_key, e.incarnation, e.applied_at_ms,
    e.expires_at_ms
  FROM ff_budget_usage_dedup AS e
  WHERE e.partition_key = u.partition_key AND e.budget_id = u.budget_id AND e.operation_family = u.operation_family AND
    e.dedup_key = u.dedup_key OFFSET 0) AS f;

-- find_ff_budget_usage_dedup_single
SELECT e.partition_key, e.budget_id, e.operation_family, e.dedup_key, e.incarnation, e.applied_at_ms, e.expires_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS budget_id, $3::text AS operation_family, $4::text AS
    dedup_key) AS u, ff_budget_usage_dedup AS e
  WHERE e.partition_key = u.partition_key AND e.budget_id = u.budget_id AND e.operation_family = u.operation_family AND
    e.dedup_key = u.dedup_key;

-- read_ff_budget_usage_dedup
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::text[], $4::text[]) AS u(partition_key, budget_id, operation_family,
    dedup_key)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.budget_id, e.operation_family, e.dedup_key, e.incarnation, e.applied_at_ms,
    e.expires_at_ms
  FROM ff_budget_usage_dedup AS e
  WHERE e.partition_key = u.partition_key AND e.budget_id = u.budget_id AND e.operation_family = u.operation_family AND
    e.dedup_key = u.dedup_key OFFSET 0) AS f;

-- read_ff_budget_usage_dedup_single
SELECT e.partition_key, e.budget_id, e.operation_family, e.dedup_key, e.incarnation, e.applied_at_ms, e.expires_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS budget_id, $3::text AS operation_family, $4::text AS
    dedup_key) AS u, ff_budget_usage_dedup AS e
  WHERE e.partition_key = u.partition_key AND e.budget_id = u.budget_id AND e.operation_family = u.operation_family AND
    e.dedup_key = u.dedup_key;

-- read_all_ff_budget_usage_dedup
SELECT e.partition_key, e.budget_id, e.operation_family, e.dedup_key, e.incarnation, e.applied_at_ms, e.expires_at_ms
  FROM ff_budget_usage_dedup AS e
  ORDER BY partition_key, budget_id, operation_family, dedup_key;

-- lock_ff_budget_usage_dedup
LOCK TABLE ff_budget_usage_dedup IN EXCLUSIVE MODE;

-- insert_ff_budget_usage_dedup
INSERT INTO ff_budget_usage_dedup (partition_key, budget_id, operation_family, dedup_key, incarnation, applied_at_ms,
    expires_at_ms)
  SELECT u.partition_key, u.budget_id, u.operation_family, u.dedup_key, u.incarnation, u.applied_at_ms, u.expires_at_ms
  FROM unnest($1::smallint[], $2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::bigint[], $7::bigint[]) AS
    u(partition_key, budget_id, operation_family, dedup_key, incarnation, applied_at_ms, expires_at_ms);

-- insert_ff_budget_usage_dedup_single
INSERT INTO ff_budget_usage_dedup (partition_key, budget_id, operation_family, dedup_key, incarnation, applied_at_ms,
    expires_at_ms)
  SELECT $1::smallint, $2::uuid, $3::text, $4::text, $5::uuid, $6::bigint, $7::bigint;

-- upsert_ff_budget_usage_dedup
INSERT INTO ff_budget_usage_dedup (partition_key, budget_id, operation_family, dedup_key, incarnation, applied_at_ms,
    expires_at_ms)
  SELECT u.partition_key, u.budget_id, u.operation_family, u.dedup_key, u.incarnation, u.applied_at_ms, u.expires_at_ms
  FROM unnest($1::smallint[], $2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::bigint[], $7::bigint[]) AS
    u(partition_key, budget_id, operation_family, dedup_key, incarnation, applied_at_ms, expires_at_ms)
  ON CONFLICT (partition_key, budget_id, operation_family, dedup_key) DO UPDATE
  SET incarnation = excluded.incarnation, applied_at_ms = excluded.applied_at_ms, expires_at_ms = excluded.expires_at_ms;

-- upsert_ff_budget_usage_dedup_single
INSERT INTO ff_budget_usage_dedup (partition_key, budget_id, operation_family, dedup_key, incarnation, applied_at_ms,
    expires_at_ms)
  SELECT $1::smallint, $2::uuid, $3::text, $4::text, $5::uuid, $6::bigint, $7::bigint
  ON CONFLICT (partition_key, budget_id, operation_family, dedup_key) DO UPDATE
  SET incarnation = excluded.incarnation, applied_at_ms = excluded.applied_at_ms, expires_at_ms = excluded.expires_at_ms;

-- erase_ff_budget_usage_dedup
DELETE
  FROM ff_budget_usage_dedup
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::text[], $4::text[]) AS u(partition_key, budget_id, operation_family,
    dedup_key)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_budget_usage_dedup AS e
  WHERE e.partition_key = u.partition_key AND e.budget_id = u.budget_id AND e.operation_family = u.operation_family AND
    e.dedup_key = u.dedup_key OFFSET 0) AS f));

-- find_ff_retention_due
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.remove_at_ms
  FROM ff_retention_due AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- find_ff_retention_due_single
SELECT e.partition_key, e.execution_id, e.remove_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_retention_due AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- read_ff_retention_due
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.remove_at_ms
  FROM ff_retention_due AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- read_ff_retention_due_single
SELECT e.partition_key, e.execution_id, e.remove_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_retention_due AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- find_owned_ff_retention_due
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.remove_at_ms
  FROM ff_retention_due AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- find_owned_ff_retention_due_single
SELECT e.partition_key, e.execution_id, e.remove_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_retention_due AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- read_owned_ff_retention_due
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.remove_at_ms
  FROM ff_retention_due AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- read_owned_ff_retention_due_single
SELECT e.partition_key, e.execution_id, e.remove_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_retention_due AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- read_all_ff_retention_due
SELECT e.partition_key, e.execution_id, e.remove_at_ms
  FROM ff_retention_due AS e
  ORDER BY partition_key, execution_id;

-- lock_ff_retention_due
LOCK TABLE ff_retention_due IN EXCLUSIVE MODE;

-- insert_ff_retention_due
INSERT INTO ff_retention_due (partition_key, execution_id, remove_at_ms)
  SELECT u.partition_key, u.execution_id, u.remove_at_ms
  FROM unnest($1::smallint[], $2::uuid[], $3::bigint[]) AS u(partition_key, execution_id, remove_at_ms);

-- insert_ff_retention_due_single
INSERT INTO ff_retention_due (partition_key, execution_id, remove_at_ms)
  SELECT $1::smallint, $2::uuid, $3::bigint;

-- upsert_ff_retention_due
INSERT INTO ff_retention_due (partition_key, execution_id, remove_at_ms)
  SELECT u.partition_key, u.execution_id, u.remove_at_ms
  FROM unnest($1::smallint[], $2::uuid[], $3::bigint[]) AS u(partition_key, execution_id, remove_at_ms)
  ON CONFLICT (partition_key, execution_id) DO UPDATE
  SET remove_at_ms = excluded.remove_at_ms;

-- upsert_ff_retention_due_single
INSERT INTO ff_retention_due (partition_key, execution_id, remove_at_ms)
  SELECT $1::smallint, $2::uuid, $3::bigint
  ON CONFLICT (partition_key, execution_id) DO UPDATE
  SET remove_at_ms = excluded.remove_at_ms;

-- erase_ff_retention_due
DELETE
  FROM ff_retention_due
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_retention_due AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f));

-- erase_owned_ff_retention_due
DELETE
  FROM ff_retention_due
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_retention_due AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f));

-- find_ff_search_term
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[]) AS u(partition_key, execution_id, term)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.term, e.created_at_ms
  FROM ff_search_term AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.term = u.term OFFSET 0) AS f;

-- find_ff_search_term_single
SELECT e.partition_key, e.execution_id, e.term, e.created_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id, $3::uuid AS term) AS u, ff_search_term AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.term = u.term;

-- read_ff_search_term
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[]) AS u(partition_key, execution_id, term)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.term, e.created_at_ms
  FROM ff_search_term AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.term = u.term OFFSET 0) AS f;

-- read_ff_search_term_single
SELECT e.partition_key, e.execution_id, e.term, e.created_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id, $3::uuid AS term) AS u, ff_search_term AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.term = u.term;

-- find_owned_ff_search_term
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.term, e.created_at_ms
  FROM ff_search_term AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- find_owned_ff_search_term_single
SELECT e.partition_key, e.execution_id, e.term, e.created_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_search_term AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- read_owned_ff_search_term
SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.execution_id, e.term, e.created_at_ms
  FROM ff_search_term AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f;

-- read_owned_ff_search_term_single
SELECT e.partition_key, e.execution_id, e.term, e.created_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::uuid AS execution_id) AS u, ff_search_term AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- read_all_ff_search_term
SELECT e.partition_key, e.execution_id, e.term, e.created_at_ms
  FROM ff_search_term AS e
  ORDER BY partition_key, execution_id, term;

-- lock_ff_search_term
LOCK TABLE ff_search_term IN EXCLUSIVE MODE;

-- insert_ff_search_term
INSERT INTO ff_search_term (partition_key, execution_id, term, created_at_ms)
  SELECT u.partition_key, u.execution_id, u.term, u.created_at_ms
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::bigint[]) AS u(partition_key, execution_id, term,
    created_at_ms);

-- insert_ff_search_term_single
INSERT INTO ff_search_term (partition_key, execution_id, term, created_at_ms)
  SELECT $1::smallint, $2::uuid, $3::uuid, $4::bigint;

-- upsert_ff_search_term
INSERT INTO ff_search_term (partition_key, execution_id, term, created_at_ms)
  SELECT u.partition_key, u.execution_id, u.term, u.created_at_ms
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::bigint[]) AS u(partition_key, execution_id, term,
    created_at_ms)
  ON CONFLICT (partition_key, execution_id, term) DO UPDATE
  SET created_at_ms = excluded.created_at_ms;

-- upsert_ff_search_term_single
INSERT INTO ff_search_term (partition_key, execution_id, term, created_at_ms)
  SELECT $1::smallint, $2::uuid, $3::uuid, $4::bigint
  ON CONFLICT (partition_key, execution_id, term) DO UPDATE
  SET created_at_ms = excluded.created_at_ms;

-- erase_ff_search_term
DELETE
  FROM ff_search_term
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[], $3::uuid[]) AS u(partition_key, execution_id, term)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_search_term AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id AND e.term = u.term OFFSET 0) AS f));

-- erase_owned_ff_search_term
DELETE
  FROM ff_search_term
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::uuid[]) AS u(partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_search_term AS e
  WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET 0) AS f));

-- find_ff_waitpoint_hmac
SELECT f.*
  FROM unnest($1::text[]) AS u(kid)
  CROSS
  JOIN LATERAL (SELECT e.kid, e.secret, e.rotated_at_ms, e.active, e.expires_at_ms
  FROM ff_waitpoint_hmac AS e
  WHERE e.kid = u.kid OFFSET 0) AS f;

-- find_ff_waitpoint_hmac_single
SELECT e.kid, e.secret, e.rotated_at_ms, e.active, e.expires_at_ms
  FROM (SELECT $1::text AS kid) AS u, ff_waitpoint_hmac AS e
  WHERE e.kid = u.kid;

-- read_ff_waitpoint_hmac
SELECT f.*
  FROM unnest($1::text[]) AS u(kid)
  CROSS
  JOIN LATERAL (SELECT e.kid, e.secret, e.rotated_at_ms, e.active, e.expires_at_ms
  FROM ff_waitpoint_hmac AS e
  WHERE e.kid = u.kid OFFSET 0) AS f;

-- read_ff_waitpoint_hmac_single
SELECT e.kid, e.secret, e.rotated_at_ms, e.active, e.expires_at_ms
  FROM (SELECT $1::text AS kid) AS u, ff_waitpoint_hmac AS e
  WHERE e.kid = u.kid;

-- read_all_ff_waitpoint_hmac
SELECT e.kid, e.secret, e.rotated_at_ms, e.active, e.expires_at_ms
  FROM ff_waitpoint_hmac AS e
  ORDER BY kid;

-- lock_ff_waitpoint_hmac
LOCK TABLE ff_waitpoint_hmac IN EXCLUSIVE MODE;

-- insert_ff_waitpoint_hmac
INSERT INTO ff_waitpoint_hmac (kid, secret, rotated_at_ms, active, expires_at_ms)
  SELECT u.kid, u.secret, u.rotated_at_ms, u.active, u.expires_at_ms
  FROM unnest($1::text[], $2::bytea[], $3::bigint[], $4::boolean[], $5::bigint[]) AS u(kid, secret, rotated_at_ms,
    active, expires_at_ms);

-- insert_ff_waitpoint_hmac_single
INSERT INTO ff_waitpoint_hmac (kid, secret, rotated_at_ms, active, expires_at_ms)
  SELECT $1::text, $2::bytea, $3::bigint, $4::boolean, $5::bigint;

-- upsert_ff_waitpoint_hmac
INSERT INTO ff_waitpoint_hmac (kid, secret, rotated_at_ms, active, expires_at_ms)
  SELECT u.kid, u.secret, u.rotated_at_ms, u.active, u.expires_at_ms
  FROM unnest($1::text[], $2::bytea[], $3::bigint[], $4::boolean[], $5::bigint[]) AS u(kid, secret, rotated_at_ms,
    active, expires_at_ms)
  ON CONFLICT (kid) DO UPDATE
  SET secret = excluded.secret, rotated_at_ms = excluded.rotated_at_ms, active = excluded.active, expires_at_ms =
    excluded.expires_at_ms;

-- upsert_ff_waitpoint_hmac_single
INSERT INTO ff_waitpoint_hmac (kid, secret, rotated_at_ms, active, expires_at_ms)
  SELECT $1::text, $2::bytea, $3::bigint, $4::boolean, $5::bigint
  ON CONFLICT (kid) DO UPDATE
  SET secret = excluded.secret, rotated_at_ms = excluded.rotated_at_ms, active = excluded.active, expires_at_ms =
    excluded.expires_at_ms;

-- erase_ff_waitpoint_hmac
DELETE
  FROM ff_waitpoint_hmac
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::text[]) AS u(kid)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_waitpoint_hmac AS e
  WHERE e.kid = u.kid OFFSET 0) AS f));

-- find_ff_setting
SELECT f.*
  FROM unnest($1::text[]) AS u(name)
  CROSS
  JOIN LATERAL (SELECT e.name, e.value, e.revision, e.updated_at_ms
  FROM ff_setting AS e
  WHERE e.name = u.name
  FOR UPDATE OF e OFFSET 0) AS f;

-- find_ff_setting_single
SELECT e.name, e.value, e.revision, e.updated_at_ms
  FROM (SELECT $1::text AS name) AS u, ff_setting AS e
  WHERE e.name = u.name
  FOR UPDATE OF e;

-- read_ff_setting
SELECT f.*
  FROM unnest($1::text[]) AS u(name)
  CROSS
  JOIN LATERAL (SELECT e.name, e.value, e.revision, e.updated_at_ms
  FROM ff_setting AS e
  WHERE e.name = u.name OFFSET 0) AS f;

-- read_ff_setting_single
SELECT e.name, e.value, e.revision, e.updated_at_ms
  FROM (SELECT $1::text AS name) AS u, ff_setting AS e
  WHERE e.name = u.name;

-- read_all_ff_setting
SELECT e.name, e.value, e.revision, e.updated_at_ms
  FROM ff_setting AS e
  ORDER BY name;

-- lock_ff_setting
LOCK TABLE ff_setting IN EXCLUSIVE MODE;

-- insert_ff_setting
INSERT INTO ff_setting (name, value, revision, updated_at_ms)
  SELECT u.name, u.value, u.revision, u.updated_at_ms
  FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS u(name, value, revision, updated_at_ms);

-- insert_ff_setting_single
INSERT INTO ff_setting (name, value, revision, updated_at_ms)
  SELECT $1::text, $2::text, $3::bigint, $4::bigint;

-- upsert_ff_setting
INSERT INTO ff_setting (name, value, revision, updated_at_ms)
  SELECT u.name, u.value, u.revision, u.updated_at_ms
  FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS u(name, value, revision, updated_at_ms)
  ON CONFLICT (name) DO UPDATE
  SET value = excluded.value, revision = excluded.revision, updated_at_ms = excluded.updated_at_ms;

-- upsert_ff_setting_single
INSERT INTO ff_setting (name, value, revision, updated_at_ms)
  SELECT $1::text, $2::text, $3::bigint, $4::bigint
  ON CONFLICT (name) DO UPDATE
  SET value = excluded.value, revision = excluded.revision, updated_at_ms = excluded.updated_at_ms;

-- erase_ff_setting
DELETE
  FROM ff_setting
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::text[]) AS u(name)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_setting AS e
  WHERE e.name = u.name OFFSET 0) AS f));

-- find_ff_api_token
SELECT f.*
  FROM unnest($1::text[]) AS u(name)
  CROSS
  JOIN LATERAL (SELECT e.name, e.secret_hash, e.previous_hash, e.previous_expires_at_ms, e.scopes, e.namespaces,
    e.rate_limit_per_s, e.created_at_ms, e.expires_at_ms, e.revoked_at_ms
  FROM ff_api_token AS e
  WHERE e.name = u.name
  FOR UPDATE OF e OFFSET 0) AS f;

-- find_ff_api_token_single
SELECT e.name, e.secret_hash, e.previous_hash, e.previous_expires_at_ms, e.scopes, e.namespaces, e.rate_limit_per_s,
    e.created_at_ms, e.expires_at_ms, e.revoked_at_ms
  FROM (SELECT $1::text AS name) AS u, ff_api_token AS e
  WHERE e.name = u.name
  FOR UPDATE OF e;

-- read_ff_api_token
SELECT f.*
  FROM unnest($1::text[]) AS u(name)
  CROSS
  JOIN LATERAL (SELECT e.name, e.secret_hash, e.previous_hash, e.previous_expires_at_ms, e.scopes, e.namespaces,
    e.rate_limit_per_s, e.created_at_ms, e.expires_at_ms, e.revoked_at_ms
  FROM ff_api_token AS e
  WHERE e.name = u.name OFFSET 0) AS f;

-- read_ff_api_token_single
SELECT e.name, e.secret_hash, e.previous_hash, e.previous_expires_at_ms, e.scopes, e.namespaces, e.rate_limit_per_s,
    e.created_at_ms, e.expires_at_ms, e.revoked_at_ms
  FROM (SELECT $1::text AS name) AS u, ff_api_token AS e
  WHERE e.name = u.name;

-- read_all_ff_api_token
SELECT e.name, e.secret_hash, e.previous_hash, e.previous_expires_at_ms, e.scopes, e.namespaces, e.rate_limit_per_s,
    e.created_at_ms, e.expires_at_ms, e.revoked_at_ms
  FROM ff_api_token AS e
  ORDER BY name;

-- lock_ff_api_token
LOCK TABLE ff_api_token IN EXCLUSIVE MODE;

-- insert_ff_api_token
INSERT INTO ff_api_token (name, secret_hash, previous_hash, previous_expires_at_ms, scopes, namespaces,
    rate_limit_per_s, created_at_ms, expires_at_ms, revoked_at_ms)
  SELECT u.name, u.secret_hash, u.previous_hash, u.previous_expires_at_ms, string_to_array(u.scopes, '\n'),
    string_to_array(u.namespaces, '\n'), u.rate_limit_per_s, u.created_at_ms, u.expires_at_ms, u.revoked_at_ms
  FROM unnest($1::text[], $2::bytea[], $3::bytea[], $4::bigint[], $5::text[], $6::text[], $7::integer[], $8::bigint[],
    $9::bigint[], $10::bigint[]) AS u(name, secret_hash, previous_hash, previous_expires_at_ms, scopes, namespaces,
    rate_limit_per_s, created_at_ms, expires_at_ms, revoked_at_ms);

-- insert_ff_api_token_single
INSERT INTO ff_api_token (name, secret_hash, previous_hash, previous_expires_at_ms, scopes, namespaces,
    rate_limit_per_s, created_at_ms, expires_at_ms, revoked_at_ms)
  SELECT $1::text, $2::bytea, $3::bytea, $4::bigint, string_to_array($5::text, '\n'), string_to_array($6::text, '\n'),
    $7::integer, $8::bigint, $9::bigint, $10::bigint;

-- upsert_ff_api_token
INSERT INTO ff_api_token (name, secret_hash, previous_hash, previous_expires_at_ms, scopes, namespaces,
    rate_limit_per_s, created_at_ms, expires_at_ms, revoked_at_ms)
  SELECT u.name, u.secret_hash, u.previous_hash, u.previous_expires_at_ms, string_to_array(u.scopes, '\n'),
    string_to_array(u.namespaces, '\n'), u.rate_limit_per_s, u.created_at_ms, u.expires_at_ms, u.revoked_at_ms
  FROM unnest($1::text[], $2::bytea[], $3::bytea[], $4::bigint[], $5::text[], $6::text[], $7::integer[], $8::bigint[],
    $9::bigint[], $10::bigint[]) AS u(name, secret_hash, previous_hash, previous_expires_at_ms, scopes, namespaces,
    rate_limit_per_s, created_at_ms, expires_at_ms, revoked_at_ms)
  ON CONFLICT (name) DO UPDATE
  SET secret_hash = excluded.secret_hash, previous_hash = excluded.previous_hash, previous_expires_at_ms =
    excluded.previous_expires_at_ms, scopes = excluded.scopes, namespaces = excluded.namespaces, rate_limit_per_s =
    excluded.rate_limit_per_s, created_at_ms = excluded.created_at_ms, expires_at_ms = excluded.expires_at_ms,
    revoked_at_ms = excluded.revoked_at_ms;

-- upsert_ff_api_token_single
INSERT INTO ff_api_token (name, secret_hash, previous_hash, previous_expires_at_ms, scopes, namespaces,
    rate_limit_per_s, created_at_ms, expires_at_ms, revoked_at_ms)
  SELECT $1::text, $2::bytea, $3::bytea, $4::bigint, string_to_array($5::text, '\n'), string_to_array($6::text, '\n'),
    $7::integer, $8::bigint, $9::bigint, $10::bigint
  ON CONFLICT (name) DO UPDATE
  SET secret_hash = excluded.secret_hash, previous_hash = excluded.previous_hash, previous_expires_at_ms =
    excluded.previous_expires_at_ms, scopes = excluded.scopes, namespaces = excluded.namespaces, rate_limit_per_s =
    excluded.rate_limit_per_s, created_at_ms = excluded.created_at_ms, expires_at_ms = excluded.expires_at_ms,
    revoked_at_ms = excluded.revoked_at_ms;

-- erase_ff_api_token
DELETE
  FROM ff_api_token
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::text[]) AS u(name)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_api_token AS e
  WHERE e.name = u.name OFFSET 0) AS f));

-- find_ff_worker_registry
SELECT f.*
  FROM unnest($1::smallint[], $2::text[], $3::text[]) AS u(partition_key, namespace, worker_instance_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.namespace, e.worker_instance_id, e.worker_id, e.lanes, e.capabilities_csv,
    e.last_heartbeat_ms, e.liveness_ttl_ms, e.registered_at_ms
  FROM ff_worker_registry AS e
  WHERE e.partition_key = u.partition_key AND e.namespace = u.namespace AND e.worker_instance_id = u.worker_instance_id
  FOR UPDATE OF e OFFSET 0) AS f;

-- find_ff_worker_registry_single
SELECT e.partition_key, e.namespace, e.worker_instance_id, e.worker_id, e.lanes, e.capabilities_csv,
    e.last_heartbeat_ms, e.liveness_ttl_ms, e.registered_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::text AS namespace, $3::text AS worker_instance_id) AS u,
    ff_worker_registry AS e
  WHERE e.partition_key = u.partition_key AND e.namespace = u.namespace AND e.worker_instance_id = u.worker_instance_id
  FOR UPDATE OF e;

-- read_ff_worker_registry
SELECT f.*
  FROM unnest($1::smallint[], $2::text[], $3::text[]) AS u(partition_key, namespace, worker_instance_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.namespace, e.worker_instance_id, e.worker_id, e.lanes, e.capabilities_csv,
    e.last_heartbeat_ms, e.liveness_ttl_ms, e.registered_at_ms
  FROM ff_worker_registry AS e
  WHERE e.partition_key = u.partition_key AND e.namespace = u.namespace AND e.worker_instance_id = u.worker_instance_id
    OFFSET 0) AS f;

-- read_ff_worker_registry_single
SELECT e.partition_key, e.namespace, e.worker_instance_id, e.worker_id, e.lanes, e.capabilities_csv,
    e.last_heartbeat_ms, e.liveness_ttl_ms, e.registered_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::text AS namespace, $3::text AS worker_instance_id) AS u,
    ff_worker_registry AS e
  WHERE e.partition_key = u.partition_key AND e.namespace = u.namespace AND e.worker_instance_id = u.worker_instance_id;

-- read_all_ff_worker_registry
SELECT e.partition_key, e.namespace, e.worker_instance_id, e.worker_id, e.lanes, e.capabilities_csv,
    e.last_heartbeat_ms, e.liveness_ttl_ms, e.registered_at_ms
  FROM ff_worker_registry AS e
  ORDER BY partition_key, namespace, worker_instance_id;

-- lock_ff_worker_registry
LOCK TABLE ff_worker_registry IN EXCLUSIVE MODE;

-- insert_ff_worker_registry
INSERT INTO ff_worker_registry (partition_key, namespace, worker_instance_id, worker_id, lanes, capabilities_csv,
    last_heartbeat_ms, liveness_ttl_ms, registered_at_ms)
  SELECT u.partition_key, u.namespace, u.worker_instance_id, u.worker_id, string_to_array(u.lanes, '\n'),
    u.capabilities_csv, u.last_heartbeat_ms, u.liveness_ttl_ms, u.registered_at_ms
  FROM unnest($1::smallint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[],
    $9::bigint[]) AS u(partition_key, namespace, worker_instance_id, worker_id, lanes, capabilities_csv,
    last_heartbeat_ms, liveness_ttl_ms, registered_at_ms);

-- insert_ff_worker_registry_single
INSERT INTO ff_worker_registry (partition_key, namespace, worker_instance_id, worker_id, lanes, capabilities_csv,
    last_heartbeat_ms, liveness_ttl_ms, registered_at_ms)
  SELECT $1::smallint, $2::text, $3::text, $4::text, string_to_array($5::text, '\n'), $6::text, $7::bigint, $8::bigint,
    $9::bigint;

-- upsert_ff_worker_registry
INSERT INTO ff_worker_registry (partition_key, namespace, worker_instance_id, worker_id, lanes, capabilities_csv,
    last_heartbeat_ms, liveness_ttl_ms, registered_at_ms)
  SELECT u.partition_key, u.namespace, u.worker_instance_id, u.worker_id, string_to_array(u.lanes, '\n'),
    u.capabilities_csv, u.last_heartbeat_ms, u.liveness_ttl_ms, u.registered_at_ms
  FROM unnest($1::smallint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[],
    $9::bigint[]) AS u(partition_key, namespace, worker_instance_id, worker_id, lanes, capabilities_csv,
    last_heartbeat_ms, liveness_ttl_ms, registered_at_ms)
  ON CONFLICT (partition_key, namespace, worker_instance_id) DO UPDATE
  SET worker_id = excluded.worker_id, lanes = excluded.lanes, capabilities_csv = excluded.capabilities_csv,
    last_heartbeat_ms = excluded.last_heartbeat_ms, liveness_ttl_ms = excluded.liveness_ttl_ms, registered_at_ms =
    excluded.registered_at_ms;

-- upsert_ff_worker_registry_single
INSERT INTO ff_worker_registry (partition_key, namespace, worker_instance_id, worker_id, lanes, capabilities_csv,
    last_heartbeat_ms, liveness_ttl_ms, registered_at_ms)
  SELECT $1::smallint, $2::text, $3::text, $4::text, string_to_array($5::text, '\n'), $6::text, $7::bigint, $8::bigint,
    $9::bigint
  ON CONFLICT (partition_key, namespace, worker_instance_id) DO UPDATE
  SET worker_id = excluded.worker_id, lanes = excluded.lanes, capabilities_csv = excluded.capabilities_csv,
    last_heartbeat_ms = excluded.last_heartbeat_ms, liveness_ttl_ms = excluded.liveness_ttl_ms, registered_at_ms =
    excluded.registered_at_ms;

-- erase_ff_worker_registry
DELETE
  FROM ff_worker_registry
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::text[], $3::text[]) AS u(partition_key, namespace, worker_instance_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_worker_registry AS e
  WHERE e.partition_key = u.partition_key AND e.namespace = u.namespace AND e.worker_instance_id = u.worker_instance_id
    OFFSET 0) AS f));

-- find_ff_worker_registry_event
SELECT f.*
  FROM unnest($1::smallint[], $2::text[], $3::text[], $4::bigint[], $5::text[]) AS u(partition_key, namespace,
    worker_instance_id, event_at_ms, event_kind)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.namespace, e.worker_instance_id, e.event_at_ms, e.event_kind, e.reason
  FROM ff_worker_registry_event AS e
  WHERE e.partition_key = u.partition_key AND e.namespace = u.namespace AND e.worker_instance_id = u.worker_instance_id
    AND e.event_at_ms = u.event_at_ms AND e.event_kind = u.event_kind OFFSET 0) AS f;

-- find_ff_worker_registry_event_single
SELECT e.partition_key, e.namespace, e.worker_instance_id, e.event_at_ms, e.event_kind, e.reason
  FROM (SELECT $1::smallint AS partition_key, $2::text AS namespace, $3::text AS worker_instance_id, $4::bigint AS
    event_at_ms, $5::text AS event_kind) AS u, ff_worker_registry_event AS e
  WHERE e.partition_key = u.partition_key AND e.namespace = u.namespace AND e.worker_instance_id = u.worker_instance_id
    AND e.event_at_ms = u.event_at_ms AND e.event_kind = u.event_kind;

-- read_ff_worker_registry_event
SELECT f.*
  FROM unnest($1::smallint[], $2::text[], $3::text[], $4::bigint[], $5::text[]) AS u(partition_key, namespace,
    worker_instance_id, event_at_ms, event_kind)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.namespace, e.worker_instance_id, e.event_at_ms, e.event_kind, e.reason
  FROM ff_worker_registry_event AS e
  WHERE e.partition_key = u.partition_key AND e.namespace = u.namespace AND e.worker_instance_id = u.worker_instance_id
    AND e.event_at_ms = u.event_at_ms AND e.event_kind = u.event_kind OFFSET 0) AS f;

-- read_ff_worker_registry_event_single
SELECT e.partition_key, e.namespace, e.worker_instance_id, e.event_at_ms, e.event_kind, e.reason
  FROM (SELECT $1::smallint AS partition_key, $2::text AS namespace, $3::text AS worker_instance_id, $4::bigint AS
    event_at_ms, $5::text AS event_kind) AS u, ff_worker_registry_event AS e
  WHERE e.partition_key = u.partition_key AND e.namespace = u.namespace AND e.worker_instance_id = u.worker_instance_id
    AND e.event_at_ms = u.event_at_ms AND e.event_kind = u.event_kind;

-- read_all_ff_worker_registry_event
SELECT e.partition_key, e.namespace, e.worker_instance_id, e.event_at_ms, e.event_kind, e.reason
  FROM ff_worker_registry_event AS e
  ORDER BY partition_key, namespace, worker_instance_id, event_at_ms, event_kind;

-- lock_ff_worker_registry_event
LOCK TABLE ff_worker_registry_event IN EXCLUSIVE MODE;

-- insert_ff_worker_registry_event
INSERT INTO ff_worker_registry_event (partition_key, namespace, worker_instance_id, event_at_ms, event_kind, reason)
  SELECT u.partition_key, u.namespace, u.worker_instance_id, u.event_at_ms, u.event_kind, u.reason
  FROM unnest($1::smallint[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[]) AS u(partition_key,
    namespace, worker_instance_id, event_at_ms, event_kind, reason);

-- insert_ff_worker_registry_event_single
INSERT INTO ff_worker_registry_event (partition_key, namespace, worker_instance_id, event_at_ms, event_kind, reason)
  SELECT $1::smallint, $2::text, $3::text, $4::bigint, $5::text, $6::text;

-- upsert_ff_worker_registry_event
INSERT INTO ff_worker_registry_event (partition_key, namespace, worker_instance_id, event_at_ms, event_kind, reason)
  SELECT u.partition_key, u.namespace, u.worker_instance_id, u.event_at_ms, u.event_kind, u.reason
  FROM unnest($1::smallint[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[]) AS u(partition_key,
    namespace, worker_instance_id, event_at_ms, event_kind, reason)
  ON CONFLICT (partition_key, namespace, worker_instance_id, event_at_ms, event_kind) DO UPDATE
  SET reason = excluded.reason;

-- upsert_ff_worker_registry_event_single
INSERT INTO ff_worker_registry_event (partition_key, namespace, worker_instance_id, event_at_ms, event_kind, reason)
  SELECT $1::smallint, $2::text, $3::text, $4::bigint, $5::text, $6::text
  ON CONFLICT (partition_key, namespace, worker_instance_id, event_at_ms, event_kind) DO UPDATE
  SET reason = excluded.reason;

-- erase_ff_worker_registry_event
DELETE
  FROM ff_worker_registry_event
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::text[], $3::text[], $4::bigint[], $5::text[]) AS u(partition_key, namespace,
    worker_instance_id, event_at_ms, event_kind)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_worker_registry_event AS e
  WHERE e.partition_key = u.partition_key AND e.namespace = u.namespace AND e.worker_instance_id = u.worker_instance_id
    AND e.event_at_ms = u.event_at_ms AND e.event_kind = u.event_kind OFFSET 0) AS f));

-- find_ff_worker_mode
SELECT f.*
  FROM unnest($1::smallint[], $2::text[], $3::text[], $4::text[]) AS u(partition_key, namespace, scope, name)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.namespace, e.scope, e.name, e.mode
  FROM ff_worker_mode AS e
  WHERE e.partition_key = u.partition_key AND e.namespace = u.namespace AND e.scope = u.scope AND e.name = u.name OFFSET
    0) AS f;

-- find_ff_worker_mode_single
SELECT e.partition_key, e.namespace, e.scope, e.name, e.mode
  FROM (SELECT $1::smallint AS partition_key, $2::text AS namespace, $3::text AS scope, $4::text AS name) AS u,
    ff_worker_mode AS e
  WHERE e.partition_key = u.partition_key AND e.namespace = u.namespace AND e.scope = u.scope AND e.name = u.name;

-- read_ff_worker_mode
SELECT f.*
  FROM unnest($1::smallint[], $2::text[], $3::text[], $4::text[]) AS u(partition_key, namespace, scope, name)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.namespace, e.scope, e.name, e.mode
  FROM ff_worker_mode AS e
  WHERE e.partition_key = u.partition_key AND e.namespace = u.namespace AND e.scope = u.scope AND e.name = u.name OFFSET
    0) AS f;

-- read_ff_worker_mode_single
SELECT e.partition_key, e.namespace, e.scope, e.name, e.mode
  FROM (SELECT $1::smallint AS partition_key, $2::text AS namespace, $3::text AS scope, $4::text AS name) AS u,
    ff_worker_mode AS e
  WHERE e.partition_key = u.partition_key AND e.namespace = u.namespace AND e.scope = u.scope AND e.name = u.name;

-- read_all_ff_worker_mode
SELECT e.partition_key, e.namespace, e.scope, e.name, e.mode
  FROM ff_worker_mode AS e
  ORDER BY partition_key, namespace, scope, name;

-- lock_ff_worker_mode
LOCK TABLE ff_worker_mode IN EXCLUSIVE MODE;

-- insert_ff_worker_mode
INSERT INTO ff_worker_mode (partition_key, namespace, scope, name, mode)
  SELECT u.partition_key, u.namespace, u.scope, u.name, u.mode
  FROM unnest($1::smallint[], $2::text[], $3::text[], $4::text[], $5::text[]) AS u(partition_key, namespace, scope,
    name, mode);

-- insert_ff_worker_mode_single
INSERT INTO ff_worker_mode (partition_key, namespace, scope, name, mode)
  SELECT $1::smallint, $2::text, $3::text, $4::text, $5::text;

-- upsert_ff_worker_mode
INSERT INTO ff_worker_mode (partition_key, namespace, scope, name, mode)
  SELECT u.partition_key, u.namespace, u.scope, u.name, u.mode
  FROM unnest($1::smallint[], $2::text[], $3::text[], $4::text[], $5::text[]) AS u(partition_key, namespace, scope,
    name, mode)
  ON CONFLICT (partition_key, namespace, scope, name) DO UPDATE
  SET mode = excluded.mode;

-- upsert_ff_worker_mode_single
INSERT INTO ff_worker_mode (partition_key, namespace, scope, name, mode)
  SELECT $1::smallint, $2::text, $3::text, $4::text, $5::text
  ON CONFLICT (partition_key, namespace, scope, name) DO UPDATE
  SET mode = excluded.mode;

-- erase_ff_worker_mode
DELETE
  FROM ff_worker_mode
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::text[], $3::text[], $4::text[]) AS u(partition_key, namespace, scope, name)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_worker_mode AS e
  WHERE e.partition_key = u.partition_key AND e.namespace = u.namespace AND e.scope = u.scope AND e.name = u.name OFFSET
    0) AS f));

-- find_ff_claim_request
SELECT f.*
  FROM unnest($1::smallint[], $2::text[], $3::text[]) AS u(partition_key, worker_instance_id, request_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.worker_instance_id, e.request_id, e.leases, e.expires_at_ms
  FROM ff_claim_request AS e
  WHERE e.partition_key = u.partition_key AND e.worker_instance_id = u.worker_instance_id AND e.request_id =
    u.request_id
  FOR UPDATE OF e OFFSET 0) AS f;

-- find_ff_claim_request_single
SELECT e.partition_key, e.worker_instance_id, e.request_id, e.leases, e.expires_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::text AS worker_instance_id, $3::text AS request_id) AS u,
    ff_claim_request AS e
  WHERE e.partition_key = u.partition_key AND e.worker_instance_id = u.worker_instance_id AND e.request_id =
    u.request_id
  FOR UPDATE OF e;

-- read_ff_claim_request
SELECT f.*
  FROM unnest($1::smallint[], $2::text[], $3::text[]) AS u(partition_key, worker_instance_id, request_id)
  CROSS
  JOIN LATERAL (SELECT e.partition_key, e.worker_instance_id, e.request_id, e.leases, e.expires_at_ms
  FROM ff_claim_request AS e
  WHERE e.partition_key = u.partition_key AND e.worker_instance_id = u.worker_instance_id AND e.request_id =
    u.request_id OFFSET 0) AS f;

-- read_ff_claim_request_single
SELECT e.partition_key, e.worker_instance_id, e.request_id, e.leases, e.expires_at_ms
  FROM (SELECT $1::smallint AS partition_key, $2::text AS worker_instance_id, $3::text AS request_id) AS u,
    ff_claim_request AS e
  WHERE e.partition_key = u.partition_key AND e.worker_instance_id = u.worker_instance_id AND e.request_id =
    u.request_id;

-- read_all_ff_claim_request
SELECT e.partition_key, e.worker_instance_id, e.request_id, e.leases, e.expires_at_ms
  FROM ff_claim_request AS e
  ORDER BY partition_key, worker_instance_id, request_id;

-- lock_ff_claim_request
LOCK TABLE ff_claim_request IN EXCLUSIVE MODE;

-- insert_ff_claim_request
INSERT INTO ff_claim_request (partition_key, worker_instance_id, request_id, leases, expires_at_ms)
  SELECT u.partition_key, u.worker_instance_id, u.request_id, u.leases, u.expires_at_ms
  FROM unnest($1::smallint[], $2::text[], $3::text[], $4::bytea[], $5::bigint[]) AS u(partition_key, worker_instance_id,
    request_id, leases, expires_at_ms);

-- insert_ff_claim_request_single
INSERT INTO ff_claim_request (partition_key, worker_instance_id, request_id, leases, expires_at_ms)
  SELECT $1::smallint, $2::text, $3::text, $4::bytea, $5::bigint;

-- upsert_ff_claim_request
INSERT INTO ff_claim_request (partition_key, worker_instance_id, request_id, leases, expires_at_ms)
  SELECT u.partition_key, u.worker_instance_id, u.request_id, u.leases, u.expires_at_ms
  FROM unnest($1::smallint[], $2::text[], $3::text[], $4::bytea[], $5::bigint[]) AS u(partition_key, worker_instance_id,
    request_id, leases, expires_at_ms)
  ON CONFLICT (partition_key, worker_instance_id, request_id) DO UPDATE
  SET leases = excluded.leases, expires_at_ms = excluded.expires_at_ms;

-- upsert_ff_claim_request_single
INSERT INTO ff_claim_request (partition_key, worker_instance_id, request_id, leases, expires_at_ms)
  SELECT $1::smallint, $2::text, $3::text, $4::bytea, $5::bigint
  ON CONFLICT (partition_key, worker_instance_id, request_id) DO UPDATE
  SET leases = excluded.leases, expires_at_ms = excluded.expires_at_ms;

-- erase_ff_claim_request
DELETE
  FROM ff_claim_request
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::smallint[], $2::text[], $3::text[]) AS u(partition_key, worker_instance_id, request_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_claim_request AS e
  WHERE e.partition_key = u.partition_key AND e.worker_instance_id = u.worker_instance_id AND e.request_id =
    u.request_id OFFSET 0) AS f));

-- find_ff_bulk_operation
SELECT f.*
  FROM unnest($1::uuid[]) AS u(operation_id)
  CROSS
  JOIN LATERAL (SELECT e.operation_id, e.due_at_ms, e.action, e.reason, e.requester, e.state, e.created_at_ms,
    e.ended_at_ms, e.lane_id, e.states, e.execution_kind, e.tag_key, e.tag_value, e.created_after_ms,
    e.created_before_ms, e.namespace, e.flow_id, e.searched_to_ms, e.searched_to_partition, e.searched_to_id,
    e.searched, e.open_count, e.done_count, e.skipped_count, e.failed_count
  FROM ff_bulk_operation AS e
  WHERE e.operation_id = u.operation_id
  FOR UPDATE OF e OFFSET 0) AS f;

-- find_ff_bulk_operation_single
SELECT e.operation_id, e.due_at_ms, e.action, e.reason, e.requester, e.state, e.created_at_ms, e.ended_at_ms, e.lane_id,
    e.states, e.execution_kind, e.tag_key, e.tag_value, e.created_after_ms, e.created_before_ms, e.namespace, e.flow_id,
    e.searched_to_ms, e.searched_to_partition, e.searched_to_id, e.searched, e.open_count, e.done_count,
    e.skipped_count, e.failed_count
  FROM (SELECT $1::uuid AS operation_id) AS u, ff_bulk_operation AS e
  WHERE e.operation_id = u.operation_id
  FOR UPDATE OF e;

-- read_ff_bulk_operation
SELECT f.*
  FROM unnest($1::uuid[]) AS u(operation_id)
  CROSS
  JOIN LATERAL (SELECT e.operation_id, e.due_at_ms, e.action, e.reason, e.requester, e.state, e.created_at_ms,
    e.ended_at_ms, e.lane_id, e.states, e.execution_kind, e.tag_key, e.tag_value, e.created_after_ms,
    e.created_before_ms, e.namespace, e.flow_id, e.searched_to_ms, e.searched_to_partition, e.searched_to_id,
    e.searched, e.open_count, e.done_count, e.skipped_count, e.failed_count
  FROM ff_bulk_operation AS e
  WHERE e.operation_id = u.operation_id OFFSET 0) AS f;

-- read_ff_bulk_operation_single
SELECT e.operation_id, e.due_at_ms, e.action, e.reason, e.requester, e.state, e.created_at_ms, e.ended_at_ms, e.lane_id,
    e.states, e.execution_kind, e.tag_key, e.tag_value, e.created_after_ms, e.created_before_ms, e.namespace, e.flow_id,
    e.searched_to_ms, e.searched_to_partition, e.searched_to_id, e.searched, e.open_count, e.done_count,
    e.skipped_count, e.failed_count
  FROM (SELECT $1::uuid AS operation_id) AS u, ff_bulk_operation AS e
  WHERE e.operation_id = u.operation_id;

-- read_all_ff_bulk_operation
SELECT e.operation_id, e.due_at_ms, e.action, e.reason, e.requester, e.state, e.created_at_ms, e.ended_at_ms, e.lane_id,
    e.states, e.execution_kind, e.tag_key, e.tag_value, e.created_after_ms, e.created_before_ms, e.namespace, e.flow_id,
    e.searched_to_ms, e.searched_to_partition, e.searched_to_id, e.searched, e.open_count, e.done_count,
    e.skipped_count, e.failed_count
  FROM ff_bulk_operation AS e
  ORDER BY operation_id;

-- read_first_ff_bulk_operation
SELECT e.operation_id, e.due_at_ms, e.action, e.reason, e.requester, e.state, e.created_at_ms, e.ended_at_ms, e.lane_id,
    e.states, e.execution_kind, e.tag_key, e.tag_value, e.created_after_ms, e.created_before_ms, e.namespace, e.flow_id,
    e.searched_to_ms, e.searched_to_partition, e.searched_to_id, e.searched, e.open_count, e.done_count,
    e.skipped_count, e.failed_count
  FROM ff_bulk_operation AS e
  ORDER BY e.due_at_ms, e.operation_id
  LIMIT $1::bigint;

-- lock_ff_bulk_operation
LOCK TABLE ff_bulk_operation IN EXCLUSIVE MODE;

-- insert_ff_bulk_operation
INSERT INTO ff_bulk_operation (operation_id, due_at_ms, action, reason, requester, state, created_at_ms, ended_at_ms,
    lane_id, states, execution_kind, tag_key, tag_value, created_after_ms, created_before_ms, namespace, flow_id,
    searched_to_ms, searched_to_partition, searched_to_id, searched, open_count, done_count, skipped_count,
    failed_count)
  SELECT u.operation_id, u.due_at_ms, u.action, u.reason, u.requester, u.state, u.created_at_ms, u.ended_at_ms,
    u.lane_id, string_to_array(u.states, '\n'), u.execution_kind, u.tag_key, u.tag_value, u.created_after_ms,
    u.created_before_ms, u.namespace, u.flow_id, u.searched_to_ms, u.searched_to_partition, u.searched_to_id,
    u.searched, u.open_count, u.done_count, u.skipped_count, u.failed_count
  FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[],
    $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::bigint[], $15::bigint[], $16::text[],
    $17::uuid[], $18::bigint[], $19::smallint[], $20::uuid[], $21::boolean[], $22::bigint[], $23::bigint[],
    $24::bigint[], $25::bigint[]) AS u(operation_id, due_at_ms, action, reason, requester, state, created_at_ms,
    ended_at_ms, lane_id, states, execution_kind, tag_key, tag_value, created_after_ms, created_before_ms, namespace,
    flow_id, searched_to_ms, searched_to_partition, searched_to_id, searched, open_count, done_count, skipped_count,
    failed_count);

-- insert_ff_bulk_operation_single
INSERT INTO ff_bulk_operation (operation_id, due_at_ms, action, reason, requester, state, created_at_ms, ended_at_ms,
    lane_id, states, execution_kind, tag_key, tag_value, created_after_ms, created_before_ms, namespace, flow_id,
    searched_to_ms, searched_to_partition, searched_to_id, searched, open_count, done_count, skipped_count,
    failed_count)
  SELECT $1::uuid, $2::bigint, $3::text, $4::text, $5::text, $6::text, $7::bigint, $8::bigint, $9::text,
    string_to_array($10::text, '\n'), $11::text, $12::text, $13::text, $14::bigint, $15::bigint, $16::text, $17::uuid,
    $18::bigint, $19::smallint, $20::uuid, $21::boolean, $22::bigint, $23::bigint, $24::bigint, $25::bigint;

-- upsert_ff_bulk_operation
INSERT INTO ff_bulk_operation (operation_id, due_at_ms, action, reason, requester, state, created_at_ms, ended_at_ms,
    lane_id, states, execution_kind, tag_key, tag_value, created_after_ms, created_before_ms, namespace, flow_id,
    searched_to_ms, searched_to_partition, searched_to_id, searched, open_count, done_count, skipped_count,
    failed_count)
  SELECT u.operation_id, u.due_at_ms, u.action, u.reason, u.requester, u.state, u.created_at_ms, u.ended_at_ms,
    u.lane_id, string_to_array(u.states, '\n'), u.execution_kind, u.tag_key, u.tag_value, u.created_after_ms,
    u.created_before_ms, u.namespace, u.flow_id, u.searched_to_ms, u.searched_to_partition, u.searched_to_id,
    u.searched, u.open_count, u.done_count, u.skipped_count, u.failed_count
  FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[],
    $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::bigint[], $15::bigint[], $16::text[],
    $17::uuid[], $18::bigint[], $19::smallint[], $20::uuid[], $21::boolean[], $22::bigint[], $23::bigint[],
    $24::bigint[], $25::bigint[]) AS u(operation_id, due_at_ms, action, reason, requester, state, created_at_ms,
    ended_at_ms, lane_id, states, execution_kind, tag_key, tag_value, created_after_ms, created_before_ms, namespace,
    flow_id, searched_to_ms, searched_to_partition, searched_to_id, searched, open_count, done_count, skipped_count,
    failed_count)
  ON CONFLICT (operation_id) DO UPDATE
  SET due_at_ms = excluded.due_at_ms, action = excluded.action, reason = excluded.reason, requester =
    excluded.requester, state = excluded.state, created_at_ms = excluded.created_at_ms, ended_at_ms =
    excluded.ended_at_ms, lane_id = excluded.lane_id, states = excluded.states, execution_kind =
    excluded.execution_kind, tag_key = excluded.tag_key, tag_value = excluded.tag_value, created_after_ms =
    excluded.created_after_ms, created_before_ms = excluded.created_before_ms, namespace = excluded.namespace, flow_id =
    excluded.flow_id, searched_to_ms = excluded.searched_to_ms, searched_to_partition = excluded.searched_to_partition,
    searched_to_id = excluded.searched_to_id, searched = excluded.searched, open_count = excluded.open_count, done_count
    = excluded.done_count, skipped_count = excluded.skipped_count, failed_count = excluded.failed_count;

-- upsert_ff_bulk_operation_single
INSERT INTO ff_bulk_operation (operation_id, due_at_ms, action, reason, requester, state, created_at_ms, ended_at_ms,
    lane_id, states, execution_kind, tag_key, tag_value, created_after_ms, created_before_ms, namespace, flow_id,
    searched_to_ms, searched_to_partition, searched_to_id, searched, open_count, done_count, skipped_count,
    failed_count)
  SELECT $1::uuid, $2::bigint, $3::text, $4::text, $5::text, $6::text, $7::bigint, $8::bigint, $9::text,
    string_to_array($10::text, '\n'), $11::text, $12::text, $13::text, $14::bigint, $15::bigint, $16::text, $17::uuid,
    $18::bigint, $19::smallint, $20::uuid, $21::boolean, $22::bigint, $23::bigint, $24::bigint, $25::bigint
  ON CONFLICT (operation_id) DO UPDATE
  SET due_at_ms = excluded.due_at_ms, action = excluded.action, reason = excluded.reason, requester =
    excluded.requester, state = excluded.state, created_at_ms = excluded.created_at_ms, ended_at_ms =
    excluded.ended_at_ms, lane_id = excluded.lane_id, states = excluded.states, execution_kind =
    excluded.execution_kind, tag_key = excluded.tag_key, tag_value = excluded.tag_value, created_after_ms =
    excluded.created_after_ms, created_before_ms = excluded.created_before_ms, namespace = excluded.namespace, flow_id =
    excluded.flow_id, searched_to_ms = excluded.searched_to_ms, searched_to_partition = excluded.searched_to_partition,
    searched_to_id = excluded.searched_to_id, searched = excluded.searched, open_count = excluded.open_count, done_count
    = excluded.done_count, skipped_count = excluded.skipped_count, failed_count = excluded.failed_count;

-- erase_ff_bulk_operation
DELETE
  FROM ff_bulk_operation
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::uuid[]) AS u(operation_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_bulk_operation AS e
  WHERE e.operation_id = u.operation_id OFFSET 0) AS f));

-- find_ff_bulk_item
SELECT f.*
  FROM unnest($1::uuid[], $2::smallint[], $3::uuid[]) AS u(operation_id, partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.operation_id, e.partition_key, e.execution_id, e.found_at_ms
  FROM ff_bulk_item AS e
  WHERE e.operation_id = u.operation_id AND e.partition_key = u.partition_key AND e.execution_id = u.execution_id
  FOR UPDATE OF e OFFSET 0) AS f;

-- find_ff_bulk_item_single
SELECT e.operation_id, e.partition_key, e.execution_id, e.found_at_ms
  FROM (SELECT $1::uuid AS operation_id, $2::smallint AS partition_key, $3::uuid AS execution_id) AS u, ff_bulk_item AS
    e
  WHERE e.operation_id = u.operation_id AND e.partition_key = u.partition_key AND e.execution_id = u.execution_id
  FOR UPDATE OF e;

-- read_ff_bulk_item
SELECT f.*
  FROM unnest($1::uuid[], $2::smallint[], $3::uuid[]) AS u(operation_id, partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.operation_id, e.partition_key, e.execution_id, e.found_at_ms
  FROM ff_bulk_item AS e
  WHERE e.operation_id = u.operation_id AND e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET
    0) AS f;

-- read_ff_bulk_item_single
SELECT e.operation_id, e.partition_key, e.execution_id, e.found_at_ms
  FROM (SELECT $1::uuid AS operation_id, $2::smallint AS partition_key, $3::uuid AS execution_id) AS u, ff_bulk_item AS
    e
  WHERE e.operation_id = u.operation_id AND e.partition_key = u.partition_key AND e.execution_id = u.execution_id;

-- read_all_ff_bulk_item
SELECT e.operation_id, e.partition_key, e.execution_id, e.found_at_ms
  FROM ff_bulk_item AS e
  ORDER BY operation_id, partition_key, execution_id;

-- read_first_ff_bulk_item
SELECT e.operation_id, e.partition_key, e.execution_id, e.found_at_ms
  FROM ff_bulk_item AS e
  ORDER BY e.found_at_ms, e.operation_id, e.partition_key, e.execution_id
  LIMIT $1::bigint;

-- lock_ff_bulk_item
LOCK TABLE ff_bulk_item IN EXCLUSIVE MODE;

-- insert_ff_bulk_item
INSERT INTO ff_bulk_item (operation_id, partition_key, execution_id, found_at_ms)
  SELECT u.operation_id, u.partition_key, u.execution_id, u.found_at_ms
  FROM unnest($1::uuid[], $2::smallint[], $3::uuid[], $4::bigint[]) AS u(operation_id, partition_key, execution_id,
    found_at_ms);

-- insert_ff_bulk_item_single
INSERT INTO ff_bulk_item (operation_id, partition_key, execution_id, found_at_ms)
  SELECT $1::uuid, $2::smallint, $3::uuid, $4::bigint;

-- upsert_ff_bulk_item
INSERT INTO ff_bulk_item (operation_id, partition_key, execution_id, found_at_ms)
  SELECT u.operation_id, u.partition_key, u.execution_id, u.found_at_ms
  FROM unnest($1::uuid[], $2::smallint[], $3::uuid[], $4::bigint[]) AS u(operation_id, partition_key, execution_id,
    found_at_ms)
  ON CONFLICT (operation_id, partition_key, execution_id) DO UPDATE
  SET found_at_ms = excluded.found_at_ms;

-- upsert_ff_bulk_item_single
INSERT INTO ff_bulk_item (operation_id, partition_key, execution_id, found_at_ms)
  SELECT $1::uuid, $2::smallint, $3::uuid, $4::bigint
  ON CONFLICT (operation_id, partition_key, execution_id) DO UPDATE
  SET found_at_ms = excluded.found_at_ms;

-- erase_ff_bulk_item
DELETE
  FROM ff_bulk_item
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::uuid[], $2::smallint[], $3::uuid[]) AS u(operation_id, partition_key, execution_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_bulk_item AS e
  WHERE e.operation_id = u.operation_id AND e.partition_key = u.partition_key AND e.execution_id = u.execution_id OFFSET
    0) AS f));

-- find_ff_webhook
SELECT f.*
  FROM unnest($1::text[]) AS u(name)
  CROSS
  JOIN LATERAL (SELECT e.name, e.url, e.channel, e.namespace, e.types, e.max_batch, e.source, e.secret,
    e.previous_secret, e.previous_expires_at_ms, e.created_at_ms, e.state, e.stopped_at_event_id, e.owner,
    e.owned_until_ms, e.attempts, e.refused_in_turn, e.failing_since_ms, e.next_attempt_at_ms, e.last_error,
    e.last_delivered_at_ms, e.delivered_count, e.failed_count, e.set_aside_count, e.redelivering_count
  FROM ff_webhook AS e
  WHERE e.name = u.name
  FOR UPDATE OF e OFFSET 0) AS f;

-- find_ff_webhook_single
SELECT e.name, e.url, e.channel, e.namespace, e.types, e.max_batch, e.source, e.secret, e.previous_secret,
    e.previous_expires_at_ms, e.created_at_ms, e.state, e.stopped_at_event_id, e.owner, e.owned_until_ms, e.attempts,
    e.refused_in_turn, e.failing_since_ms, e.next_attempt_at_ms, e.last_error, e.last_delivered_at_ms,
    e.delivered_count, e.failed_count, e.set_aside_count, e.redelivering_count
  FROM (SELECT $1::text AS name) AS u, ff_webhook AS e
  WHERE e.name = u.name
  FOR UPDATE OF e;

-- read_ff_webhook
SELECT f.*
  FROM unnest($1::text[]) AS u(name)
  CROSS
  JOIN LATERAL (SELECT e.name, e.url, e.channel, e.namespace, e.types, e.max_batch, e.source, e.secret,
    e.previous_secret, e.previous_expires_at_ms, e.created_at_ms, e.state, e.stopped_at_event_id, e.owner,
    e.owned_until_ms, e.attempts, e.refused_in_turn, e.failing_since_ms, e.next_attempt_at_ms, e.last_error,
    e.last_delivered_at_ms, e.delivered_count, e.failed_count, e.set_aside_count, e.redelivering_count
  FROM ff_webhook AS e
  WHERE e.name = u.name OFFSET 0) AS f;

-- read_ff_webhook_single
SELECT e.name, e.url, e.channel, e.namespace, e.types, e.max_batch, e.source, e.secret, e.previous_secret,
    e.previous_expires_at_ms, e.created_at_ms, e.state, e.stopped_at_event_id, e.owner, e.owned_until_ms, e.attempts,
    e.refused_in_turn, e.failing_since_ms, e.next_attempt_at_ms, e.last_error, e.last_delivered_at_ms,
    e.delivered_count, e.failed_count, e.set_aside_count, e.redelivering_count
  FROM (SELECT $1::text AS name) AS u, ff_webhook AS e
  WHERE e.name = u.name;

-- read_all_ff_webhook
SELECT e.name, e.url, e.channel, e.namespace, e.types, e.max_batch, e.source, e.secret, e.previous_secret,
    e.previous_expires_at_ms, e.created_at_ms, e.state, e.stopped_at_event_id, e.owner, e.owned_until_ms, e.attempts,
    e.refused_in_turn, e.failing_since_ms, e.next_attempt_at_ms, e.last_error, e.last_delivered_at_ms,
    e.delivered_count, e.failed_count, e.set_aside_count, e.redelivering_count
  FROM ff_webhook AS e
  ORDER BY name;

-- lock_ff_webhook
LOCK TABLE ff_webhook IN EXCLUSIVE MODE;

-- insert_ff_webhook
INSERT INTO ff_webhook (name, url, channel, namespace, types, max_batch, source, secret, previous_secret,
    previous_expires_at_ms, created_at_ms, state, stopped_at_event_id, owner, owned_until_ms, attempts, refused_in_turn,
    failing_since_ms, next_attempt_at_ms, last_error, last_delivered_at_ms, delivered_count, failed_count,
    set_aside_count, redelivering_count)
  SELECT u.name, u.url, u.channel, u.namespace, string_to_array(u.types, '\n'), u.max_batch, u.source, u.secret,
    u.previous_secret, u.previous_expires_at_ms, u.created_at_ms, u.state, u.stopped_at_event_id, u.owner,
    u.owned_until_ms, u.attempts, u.refused_in_turn, u.failing_since_ms, u.next_attempt_at_ms, u.last_error,
    u.last_delivered_at_ms, u.delivered_count, u.failed_count, u.set_aside_count, u.redelivering_count
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::integer[], $7::text[], $8::bytea[],
    $9::bytea[], $10::bigint[], $11::bigint[], $12::text[], $13::bigint[], $14::text[], $15::bigint[], $16::integer[],
    $17::integer[], $18::bigint[], $19::bigint[], $20::text[], $21::bigint[], $22::bigint[], $23::bigint[],
    $24::integer[], $25::integer[]) AS u(name, url, channel, namespace, types, max_batch, source, secret,
    previous_secret, previous_expires_at_ms, created_at_ms, state, stopped_at_event_id, owner, owned_until_ms, attempts,
    refused_in_turn, failing_since_ms, next_attempt_at_ms, last_error, last_delivered_at_ms, delivered_count,
    failed_count, set_aside_count, redelivering_count);

-- insert_ff_webhook_single
INSERT INTO ff_webhook (name, url, channel, namespace, types, max_batch, source, secret, previous_secret,
    previous_expires_at_ms, created_at_ms, state, stopped_at_event_id, owner, owned_until_ms, attempts, refused_in_turn,
    failing_since_ms, next_attempt_at_ms, last_error, last_delivered_at_ms, delivered_count, failed_count,
    set_aside_count, redelivering_count)
  SELECT $1::text, $2::text, $3::text, $4::text, string_to_array($5::text, '\n'), $6::integer, $7::text, $8::bytea,
    $9::bytea, $10::bigint, $11::bigint, $12::text, $13::bigint, $14::text, $15::bigint, $16::integer, $17::integer,
    $18::bigint, $19::bigint, $20::text, $21::bigint, $22::bigint, $23::bigint, $24::integer, $25::integer;

-- upsert_ff_webhook
INSERT INTO ff_webhook (name, url, channel, namespace, types, max_batch, source, secret, previous_secret,
    previous_expires_at_ms, created_at_ms, state, stopped_at_event_id, owner, owned_until_ms, attempts, refused_in_turn,
    failing_since_ms, next_attempt_at_ms, last_error, last_delivered_at_ms, delivered_count, failed_count,
    set_aside_count, redelivering_count)
  SELECT u.name, u.url, u.channel, u.namespace, string_to_array(u.types, '\n'), u.max_batch, u.source, u.secret,
    u.previous_secret, u.previous_expires_at_ms, u.created_at_ms, u.state, u.stopped_at_event_id, u.owner,
    u.owned_until_ms, u.attempts, u.refused_in_turn, u.failing_since_ms, u.next_attempt_at_ms, u.last_error,
    u.last_delivered_at_ms, u.delivered_count, u.failed_count, u.set_aside_count, u.redelivering_count
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::integer[], $7::text[], $8::bytea[],
    $9::bytea[], $10::bigint[], $11::bigint[], $12::text[], $13::bigint[], $14::text[], $15::bigint[], $16::integer[],
    $17::integer[], $18::bigint[], $19::bigint[], $20::text[], $21::bigint[], $22::bigint[], $23::bigint[],
    $24::integer[], $25::integer[]) AS u(name, url, channel, namespace, types, max_batch, source, secret,
    previous_secret, previous_expires_at_ms, created_at_ms, state, stopped_at_event_id, owner, owned_until_ms, attempts,
    refused_in_turn, failing_since_ms, next_attempt_at_ms, last_error, last_delivered_at_ms, delivered_count,
    failed_count, set_aside_count, redelivering_count)
  ON CONFLICT (name) DO UPDATE
  SET url = excluded.url, channel = excluded.channel, namespace = excluded.namespace, types = excluded.types, max_batch
    = excluded.max_batch, source = excluded.source, secret = excluded.secret, previous_secret =
    excluded.previous_secret, previous_expires_at_ms = excluded.previous_expires_at_ms, created_at_ms =
    excluded.created_at_ms, state = excluded.state, stopped_at_event_id = excluded.stopped_at_event_id, owner =
    excluded.owner, owned_until_ms = excluded.owned_until_ms, attempts = excluded.attempts, refused_in_turn =
    excluded.refused_in_turn, failing_since_ms = excluded.failing_since_ms, next_attempt_at_ms =
    excluded.next_attempt_at_ms, last_error = excluded.last_error, last_delivered_at_ms = excluded.last_delivered_at_ms,
    delivered_count = excluded.delivered_count, failed_count = excluded.failed_count, set_aside_count =
    excluded.set_aside_count, redelivering_count = excluded.redelivering_count;

-- upsert_ff_webhook_single
INSERT INTO ff_webhook (name, url, channel, namespace, types, max_batch, source, secret, previous_secret,
    previous_expires_at_ms, created_at_ms, state, stopped_at_event_id, owner, owned_until_ms, attempts, refused_in_turn,
    failing_since_ms, next_attempt_at_ms, last_error, last_delivered_at_ms, delivered_count, failed_count,
    set_aside_count, redelivering_count)
  SELECT $1::text, $2::text, $3::text, $4::text, string_to_array($5::text, '\n'), $6::integer, $7::text, $8::bytea,
    $9::bytea, $10::bigint, $11::bigint, $12::text, $13::bigint, $14::text, $15::bigint, $16::integer, $17::integer,
    $18::bigint, $19::bigint, $20::text, $21::bigint, $22::bigint, $23::bigint, $24::integer, $25::integer
  ON CONFLICT (name) DO UPDATE
  SET url = excluded.url, channel = excluded.channel, namespace = excluded.namespace, types = excluded.types, max_batch
    = excluded.max_batch, source = excluded.source, secret = excluded.secret, previous_secret =
    excluded.previous_secret, previous_expires_at_ms = excluded.previous_expires_at_ms, created_at_ms =
    excluded.created_at_ms, state = excluded.state, stopped_at_event_id = excluded.stopped_at_event_id, owner =
    excluded.owner, owned_until_ms = excluded.owned_until_ms, attempts = excluded.attempts, refused_in_turn =
    excluded.refused_in_turn, failing_since_ms = excluded.failing_since_ms, next_attempt_at_ms =
    excluded.next_attempt_at_ms, last_error = excluded.last_error, last_delivered_at_ms = excluded.last_delivered_at_ms,
    delivered_count = excluded.delivered_count, failed_count = excluded.failed_count, set_aside_count =
    excluded.set_aside_count, redelivering_count = excluded.redelivering_count;

-- erase_ff_webhook
DELETE
  FROM ff_webhook
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::text[]) AS u(name)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_webhook AS e
  WHERE e.name = u.name OFFSET 0) AS f));

-- find_ff_webhook_failure
SELECT f.*
  FROM unnest($1::text[], $2::bigint[]) AS u(webhook, event_id)
  CROSS
  JOIN LATERAL (SELECT e.webhook, e.event_id, e.due_at_ms, e.event, e.error, e.failed_at_ms, e.redelivering
  FROM ff_webhook_failure AS e
  WHERE e.webhook = u.webhook AND e.event_id = u.event_id OFFSET 0) AS f;

-- find_ff_webhook_failure_single
SELECT e.webhook, e.event_id, e.due_at_ms, e.event, e.error, e.failed_at_ms, e.redelivering
  FROM (SELECT $1::text AS webhook, $2::bigint AS event_id) AS u, ff_webhook_failure AS e
  WHERE e.webhook = u.webhook AND e.event_id = u.event_id;

-- read_ff_webhook_failure
SELECT f.*
  FROM unnest($1::text[], $2::bigint[]) AS u(webhook, event_id)
  CROSS
  JOIN LATERAL (SELECT e.webhook, e.event_id, e.due_at_ms, e.event, e.error, e.failed_at_ms, e.redelivering
  FROM ff_webhook_failure AS e
  WHERE e.webhook = u.webhook AND e.event_id = u.event_id OFFSET 0) AS f;

-- read_ff_webhook_failure_single
SELECT e.webhook, e.event_id, e.due_at_ms, e.event, e.error, e.failed_at_ms, e.redelivering
  FROM (SELECT $1::text AS webhook, $2::bigint AS event_id) AS u, ff_webhook_failure AS e
  WHERE e.webhook = u.webhook AND e.event_id = u.event_id;

-- read_all_ff_webhook_failure
SELECT e.webhook, e.event_id, e.due_at_ms, e.event, e.error, e.failed_at_ms, e.redelivering
  FROM ff_webhook_failure AS e
  ORDER BY webhook, event_id;

-- read_first_ff_webhook_failure
SELECT e.webhook, e.event_id, e.due_at_ms, e.event, e.error, e.failed_at_ms, e.redelivering
  FROM ff_webhook_failure AS e
  ORDER BY e.due_at_ms, e.webhook, e.event_id
  LIMIT $1::bigint;

-- read_behind_ff_webhook_failure
SELECT e.webhook, e.event_id, e.due_at_ms, e.event, e.error, e.failed_at_ms, e.redelivering
  FROM ff_webhook_failure AS e
  WHERE e.webhook = $1::text AND e.event_id > $2::bigint
  ORDER BY e.event_id
  LIMIT $3::bigint;

-- lock_ff_webhook_failure
LOCK TABLE ff_webhook_failure IN EXCLUSIVE MODE;

-- insert_ff_webhook_failure
INSERT INTO ff_webhook_failure (webhook, event_id, due_at_ms, event, error, failed_at_ms, redelivering)
  SELECT u.webhook, u.event_id, u.due_at_ms, u.event, u.error, u.failed_at_ms, u.redelivering
  FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::boolean[]) AS u(webhook,
    event_id, due_at_ms, event, error, failed_at_ms, redelivering);

-- insert_ff_webhook_failure_single
INSERT INTO ff_webhook_failure (webhook, event_id, due_at_ms, event, error, failed_at_ms, redelivering)
  SELECT $1::text, $2::bigint, $3::bigint, $4::text, $5::text, $6::bigint, $7::boolean;

-- upsert_ff_webhook_failure
INSERT INTO ff_webhook_failure (webhook, event_id, due_at_ms, event, error, failed_at_ms, redelivering)
  SELECT u.webhook, u.event_id, u.due_at_ms, u.event, u.error, u.failed_at_ms, u.redelivering
  FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::boolean[]) AS u(webhook,
    event_id, due_at_ms, event, error, failed_at_ms, redelivering)
  ON CONFLICT (webhook, event_id) DO UPDATE
  SET due_at_ms = excluded.due_at_ms, event = excluded.event, error = excluded.error, failed_at_ms =
    excluded.failed_at_ms, redelivering = excluded.redelivering;

-- upsert_ff_webhook_failure_single
INSERT INTO ff_webhook_failure (webhook, event_id, due_at_ms, event, error, failed_at_ms, redelivering)
  SELECT $1::text, $2::bigint, $3::bigint, $4::text, $5::text, $6::bigint, $7::boolean
  ON CONFLICT (webhook, event_id) DO UPDATE
  SET due_at_ms = excluded.due_at_ms, event = excluded.event, error = excluded.error, failed_at_ms =
    excluded.failed_at_ms, redelivering = excluded.redelivering;

-- erase_ff_webhook_failure
DELETE
  FROM ff_webhook_failure
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::text[], $2::bigint[]) AS u(webhook, event_id)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_webhook_failure AS e
  WHERE e.webhook = u.webhook AND e.event_id = u.event_id OFFSET 0) AS f));

-- find_ff_event_consumer
SELECT f.*
  FROM unnest($1::text[], $2::text[]) AS u(channel, consumer)
  CROSS
  JOIN LATERAL (SELECT e.channel, e.consumer, e.event_id, e.registered_at_ms, e.acknowledged_at_ms
  FROM ff_event_consumer AS e
  WHERE e.channel = u.channel AND e.consumer = u.consumer OFFSET 0) AS f;

-- find_ff_event_consumer_single
SELECT e.channel, e.consumer, e.event_id, e.registered_at_ms, e.acknowledged_at_ms
  FROM (SELECT $1::text AS channel, $2::text AS consumer) AS u, ff_event_consumer AS e
  WHERE e.channel = u.channel AND e.consumer = u.consumer;

-- read_ff_event_consumer
SELECT f.*
  FROM unnest($1::text[], $2::text[]) AS u(channel, consumer)
  CROSS
  JOIN LATERAL (SELECT e.channel, e.consumer, e.event_id, e.registered_at_ms, e.acknowledged_at_ms
  FROM ff_event_consumer AS e
  WHERE e.channel = u.channel AND e.consumer = u.consumer OFFSET 0) AS f;

-- read_ff_event_consumer_single
SELECT e.channel, e.consumer, e.event_id, e.registered_at_ms, e.acknowledged_at_ms
  FROM (SELECT $1::text AS channel, $2::text AS consumer) AS u, ff_event_consumer AS e
  WHERE e.channel = u.channel AND e.consumer = u.consumer;

-- read_all_ff_event_consumer
SELECT e.channel, e.consumer, e.event_id, e.registered_at_ms, e.acknowledged_at_ms
  FROM ff_event_consumer AS e
  ORDER BY channel, consumer;

-- lock_ff_event_consumer
LOCK TABLE ff_event_consumer IN EXCLUSIVE MODE;

-- insert_ff_event_consumer
INSERT INTO ff_event_consumer (channel, consumer, event_id, registered_at_ms, acknowledged_at_ms)
  SELECT u.channel, u.consumer, u.event_id, u.registered_at_ms, u.acknowledged_at_ms
  FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[]) AS u(channel, consumer, event_id,
    registered_at_ms, acknowledged_at_ms);

-- insert_ff_event_consumer_single
INSERT INTO ff_event_consumer (channel, consumer, event_id, registered_at_ms, acknowledged_at_ms)
  SELECT $1::text, $2::text, $3::bigint, $4::bigint, $5::bigint;

-- upsert_ff_event_consumer
INSERT INTO ff_event_consumer (channel, consumer, event_id, registered_at_ms, acknowledged_at_ms)
  SELECT u.channel, u.consumer, u.event_id, u.registered_at_ms, u.acknowledged_at_ms
  FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[]) AS u(channel, consumer, event_id,
    registered_at_ms, acknowledged_at_ms)
  ON CONFLICT (channel, consumer) DO UPDATE
  SET event_id = excluded.event_id, registered_at_ms = excluded.registered_at_ms, acknowledged_at_ms =
    excluded.acknowledged_at_ms;

-- upsert_ff_event_consumer_single
INSERT INTO ff_event_consumer (channel, consumer, event_id, registered_at_ms, acknowledged_at_ms)
  SELECT $1::text, $2::text, $3::bigint, $4::bigint, $5::bigint
  ON CONFLICT (channel, consumer) DO UPDATE
  SET event_id = excluded.event_id, registered_at_ms = excluded.registered_at_ms, acknowledged_at_ms =
    excluded.acknowledged_at_ms;

-- erase_ff_event_consumer
DELETE
  FROM ff_event_consumer
  WHERE ctid = ANY (ARRAY(SELECT f.*
  FROM unnest($1::text[], $2::text[]) AS u(channel, consumer)
  CROSS
  JOIN LATERAL (SELECT e.ctid
  FROM ff_event_consumer AS e
  WHERE e.channel = u.channel AND e.consumer = u.consumer OFFSET 0) AS f));

