-- Executions with their lease and open attempt, their payloads, their ended attempts and their idempotency keys.

-- Columns: fixed at insert, rarely changed, changed by claim, renew and complete.
CREATE TABLE ff_exec_core (
    partition_key            INTEGER NOT NULL,
    execution_id             BLOB    NOT NULL,
    created_at_ms            INTEGER NOT NULL,
    class_id                 INTEGER NOT NULL,
    lane_id                  TEXT    NOT NULL,
    namespace                TEXT    NOT NULL,
    execution_kind           TEXT    NOT NULL,
    creator_identity         TEXT    NOT NULL,
    idempotency_key          TEXT,
    payload_encoding         TEXT,
    required_capabilities    TEXT    NOT NULL,
    policy                   TEXT,
    own_retention_ms         INTEGER,
    node_name                TEXT,
    traceparent              TEXT,               -- of the request that asked for it
    tracestate               TEXT,

    flow_id                  BLOB,
    priority                 INTEGER NOT NULL,
    tags                     TEXT    NOT NULL,
    instance_tag             TEXT,
    deadline_at_ms           INTEGER,
    deadline_check_at_ms     INTEGER,
    retry_count              INTEGER NOT NULL,
    replay_count             INTEGER NOT NULL,
    lease_reclaim_count      INTEGER NOT NULL,
    deps_blocked             INTEGER NOT NULL CHECK (deps_blocked = 0 OR deps_blocked = 1),
    blocking_detail          TEXT,
    failure_reason           TEXT,
    failure_category         TEXT,
    cancellation_reason      TEXT,
    cancelled_by             TEXT,
    cancellation_cause       TEXT CHECK (cancellation_cause = 'request' OR cancellation_cause = 'flow'
                                         OR cancellation_cause = 'sibling' OR cancellation_cause = 'timeout'),
    progress_pct             INTEGER,
    progress_message         TEXT,
    progress_updated_at_ms   INTEGER,
    activity_epoch           INTEGER,
    attempt_time_left_ms     INTEGER,
    last_release             TEXT,
    grant_until_ms           INTEGER,
    has_waitpoints           INTEGER NOT NULL DEFAULT 0,
    signal_count             INTEGER NOT NULL DEFAULT 0,
    has_stream               INTEGER NOT NULL DEFAULT 0,
    current_suspension_id    BLOB,
    current_waitpoint_id     BLOB,
    result_encoding          TEXT,

    lifecycle_phase          TEXT    NOT NULL,
    ownership_state          TEXT    NOT NULL,
    eligibility_state        TEXT    NOT NULL,
    public_state             TEXT    NOT NULL,
    attempt_state            TEXT    NOT NULL,
    blocking_reason          TEXT    NOT NULL,
    terminal_outcome         TEXT    NOT NULL,
    attempt_index            INTEGER NOT NULL,
    total_attempt_count      INTEGER NOT NULL,
    lease_epoch              INTEGER NOT NULL,
    attempt_id               BLOB,
    attempt_type             TEXT CHECK (attempt_type = 'initial' OR attempt_type = 'retry' OR attempt_type = 'reclaim'
                                         OR attempt_type = 'replay' OR attempt_type = 'fallback'),
    attempt_started_at_ms    INTEGER,
    previous_attempt_index   INTEGER,
    interrupt_cause          TEXT,
    lease_id                 BLOB,
    worker_id                TEXT,
    worker_instance_id       TEXT,
    lease_acquired_at_ms     INTEGER,
    lease_expires_at_ms      INTEGER,
    lease_last_renewed_at_ms INTEGER,
    lease_check_at_ms        INTEGER,
    reclaimable_since_ms     INTEGER,
    delay_until_ms           INTEGER,
    attempt_deadline_at_ms   INTEGER,
    started_at_ms            INTEGER,
    terminal_at_ms           INTEGER,
    last_transition_at_ms    INTEGER NOT NULL,
    last_mutation_at_ms      INTEGER NOT NULL,

    PRIMARY KEY (partition_key, execution_id),

    -- The legal state vectors and with them every literal; anything else is corruption.
    CONSTRAINT legal_vector CHECK (
        CASE lifecycle_phase
        WHEN 'runnable' THEN
            ownership_state = 'unowned' AND terminal_outcome = 'none'
            AND (attempt_state = 'pending_first_attempt' OR attempt_state = 'pending_retry_attempt'
                 OR attempt_state = 'pending_replay_attempt' OR attempt_state = 'attempt_interrupted')
            AND CASE eligibility_state
                WHEN 'eligible_now' THEN
                    blocking_reason = 'waiting_for_worker'
                    AND public_state = CASE attempt_state WHEN 'attempt_interrupted' THEN 'resumable' ELSE 'waiting' END
                WHEN 'not_eligible_until_time' THEN
                    public_state = 'delayed'
                    AND (blocking_reason = 'waiting_for_delay' OR blocking_reason = 'waiting_for_retry_backoff'
                         OR blocking_reason = 'waiting_for_resume_delay')
                WHEN 'blocked_by_dependencies' THEN
                    public_state = 'waiting_children' AND blocking_reason = 'waiting_for_children'
                WHEN 'blocked_by_budget' THEN
                    public_state = 'rate_limited' AND blocking_reason = 'waiting_for_budget'
                WHEN 'blocked_by_quota' THEN
                    public_state = 'rate_limited' AND blocking_reason = 'waiting_for_quota'
                WHEN 'blocked_by_route' THEN
                    public_state = 'waiting'
                    AND (blocking_reason = 'waiting_for_capable_worker'
                         OR blocking_reason = 'waiting_for_locality_match')
                WHEN 'blocked_by_lane_state' THEN
                    public_state = 'waiting'
                    AND (blocking_reason = 'paused_by_policy' OR blocking_reason = 'paused_by_operator'
                         OR blocking_reason = 'paused_by_flow_cancel')
                WHEN 'blocked_by_operator' THEN
                    public_state = 'waiting'
                    AND (blocking_reason = 'paused_by_policy' OR blocking_reason = 'paused_by_operator'
                         OR blocking_reason = 'paused_by_flow_cancel')
                ELSE 0 END
        WHEN 'active' THEN
            eligibility_state = 'not_applicable' AND terminal_outcome = 'none' AND public_state = 'active'
            AND CASE ownership_state
                WHEN 'leased' THEN blocking_reason = 'none' AND attempt_state = 'running_attempt'
                WHEN 'lease_expired_reclaimable' THEN
                    blocking_reason = 'waiting_for_worker' AND attempt_state = 'attempt_interrupted'
                WHEN 'lease_revoked' THEN
                    blocking_reason = 'waiting_for_worker' AND attempt_state = 'attempt_interrupted'
                ELSE 0 END
        WHEN 'suspended' THEN
            ownership_state = 'unowned' AND eligibility_state = 'not_applicable' AND terminal_outcome = 'none'
            AND attempt_state = 'attempt_interrupted' AND public_state = 'suspended'
            AND (blocking_reason = 'waiting_for_signal' OR blocking_reason = 'waiting_for_approval'
                 OR blocking_reason = 'waiting_for_callback' OR blocking_reason = 'waiting_for_tool_result'
                 OR blocking_reason = 'waiting_for_budget' OR blocking_reason = 'paused_by_operator'
                 OR blocking_reason = 'paused_by_policy' OR blocking_reason = 'paused_by_flow_cancel')
        WHEN 'terminal' THEN
            ownership_state = 'unowned' AND eligibility_state = 'not_applicable' AND blocking_reason = 'none'
            AND (attempt_state = 'attempt_terminal' OR attempt_state = 'none')
            AND public_state = CASE terminal_outcome
                WHEN 'success' THEN 'completed'
                WHEN 'failed' THEN 'failed'
                WHEN 'cancelled' THEN 'cancelled'
                WHEN 'expired' THEN 'expired'
                WHEN 'skipped' THEN 'skipped'
                ELSE 'no such outcome' END
        ELSE 0 END)
) STRICT;

-- Claim order. The planner uses an index with a predicate only where the statement repeats the predicate.
CREATE INDEX ff_exec_core_claim ON ff_exec_core (class_id, priority DESC, created_at_ms, execution_id)
    WHERE eligibility_state = 'eligible_now';
CREATE INDEX ff_exec_core_reclaim ON ff_exec_core (class_id, priority DESC, created_at_ms, execution_id)
    WHERE reclaimable_since_ms IS NOT NULL;
-- One timer each, holding only the rows that have it.
CREATE INDEX ff_exec_core_lease_check ON ff_exec_core (lease_check_at_ms) WHERE lease_check_at_ms IS NOT NULL;
CREATE INDEX ff_exec_core_delay ON ff_exec_core (delay_until_ms) WHERE delay_until_ms IS NOT NULL;
CREATE INDEX ff_exec_core_attempt_deadline ON ff_exec_core (attempt_deadline_at_ms)
    WHERE attempt_deadline_at_ms IS NOT NULL;
CREATE INDEX ff_exec_core_deadline_check ON ff_exec_core (deadline_check_at_ms)
    WHERE deadline_check_at_ms IS NOT NULL;
-- Whatever waits for anything but a worker or a time; the range covers every literal that starts with blocked_by_.
CREATE INDEX ff_exec_core_blocked ON ff_exec_core (eligibility_state)
    WHERE eligibility_state > 'blocked_by_' AND eligibility_state < 'blocked_by`';
-- The members of a flow, page by page.
CREATE INDEX ff_exec_core_flow ON ff_exec_core (flow_id, execution_id) WHERE flow_id IS NOT NULL;

-- Searches go from new to old along one of these; their columns never change.
CREATE INDEX ff_exec_core_time ON ff_exec_core (created_at_ms, partition_key, execution_id);
CREATE INDEX ff_exec_core_lane ON ff_exec_core (lane_id, created_at_ms, partition_key, execution_id);
CREATE INDEX ff_exec_core_namespace ON ff_exec_core (namespace, created_at_ms, partition_key, execution_id);
CREATE INDEX ff_exec_core_kind ON ff_exec_core (execution_kind, created_at_ms, partition_key, execution_id);

-- What few executions have and are found by: each of their tags, and that they have failed.
CREATE TABLE ff_search_term (
    partition_key INTEGER NOT NULL,
    execution_id  BLOB    NOT NULL,
    term          BLOB    NOT NULL,
    created_at_ms INTEGER NOT NULL,

    PRIMARY KEY (partition_key, execution_id, term)
) STRICT, WITHOUT ROWID;
CREATE INDEX ff_search_term_walk ON ff_search_term (term, created_at_ms, partition_key, execution_id);

-- Payloads stand apart, because SQLite rewrites the whole row at every change. An empty input has no row.
CREATE TABLE ff_exec_input (
    partition_key INTEGER NOT NULL,
    execution_id  BLOB    NOT NULL,
    payload       BLOB    NOT NULL,
    PRIMARY KEY (partition_key, execution_id)
) STRICT;

CREATE TABLE ff_exec_result (
    partition_key INTEGER NOT NULL,
    execution_id  BLOB    NOT NULL,
    result        BLOB    NOT NULL,
    PRIMARY KEY (partition_key, execution_id)
) STRICT;

-- Ended attempts; the open one is on the execution row.
CREATE TABLE ff_attempt (
    partition_key          INTEGER NOT NULL,
    execution_id           BLOB    NOT NULL,
    attempt_index          INTEGER NOT NULL,
    attempt_id             BLOB    NOT NULL,
    attempt_type           TEXT    NOT NULL CHECK (attempt_type = 'initial' OR attempt_type = 'retry'
                                                   OR attempt_type = 'reclaim' OR attempt_type = 'replay'
                                                   OR attempt_type = 'fallback'),
    worker_id              TEXT    NOT NULL,
    worker_instance_id     TEXT    NOT NULL,
    lease_id               BLOB    NOT NULL,
    lease_epoch            INTEGER NOT NULL,
    started_at_ms          INTEGER NOT NULL,
    terminal_at_ms         INTEGER NOT NULL,
    outcome                TEXT    NOT NULL CHECK (outcome = 'ended_success' OR outcome = 'ended_failure'
                                                   OR outcome = 'ended_cancelled'
                                                   OR outcome = 'interrupted_reclaimed'),
    failure_reason         TEXT,
    failure_category       TEXT,
    previous_attempt_index INTEGER,
    PRIMARY KEY (partition_key, execution_id, attempt_index)
) STRICT;

CREATE TABLE ff_idempotency_key (
    partition_key       INTEGER NOT NULL,
    namespace           TEXT    NOT NULL,
    idempotency_key     TEXT    NOT NULL,
    execution_id        BLOB    NOT NULL,
    execution_partition INTEGER NOT NULL,
    expires_at_ms       INTEGER NOT NULL,
    request_digest      TEXT,     -- what a repeat must have as well
    first_state         TEXT,     -- that the request was answered with, beside a digest
    PRIMARY KEY (partition_key, namespace, idempotency_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX ff_idempotency_key_expiry ON ff_idempotency_key (expires_at_ms);
