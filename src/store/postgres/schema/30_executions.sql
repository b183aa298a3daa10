-- Executions with their lease and open attempt, their ended attempts and their idempotency keys.

-- Only legal vectors are stored, only the literals that they are made of, and claim_class as the state asks for. One
-- CASE, so that a row pays for its own phase alone; the states are NOT NULL and every CASE ends in false, so nothing
-- passes as unknown.
--
-- A function, because a CHECK's own expression is read back from its stored text by every statement: 95 us for this
-- one, a sixth of the server's time when batches are small. A function is compiled once per session.
CREATE FUNCTION ff_is_legal_execution(
    lifecycle_phase text, ownership_state text, eligibility_state text, public_state text, attempt_state text,
    blocking_reason text, terminal_outcome text, class_id integer, claim_class integer
) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN
        CASE lifecycle_phase
        WHEN 'active' THEN
            claim_class IS NULL AND public_state = 'active' AND eligibility_state = 'not_applicable'
            AND terminal_outcome = 'none'
            AND CASE ownership_state
                WHEN 'leased' THEN
                    attempt_state = 'running_attempt' AND blocking_reason = 'none'
                ELSE
                    ownership_state IN ('lease_expired_reclaimable', 'lease_revoked')
                    AND attempt_state = 'attempt_interrupted' AND blocking_reason = 'waiting_for_worker'
                END
        WHEN 'terminal' THEN
            claim_class IS NULL AND ownership_state = 'unowned' AND eligibility_state = 'not_applicable'
            AND blocking_reason = 'none' AND attempt_state IN ('attempt_terminal', 'none')
            AND CASE terminal_outcome
                WHEN 'success' THEN public_state = 'completed'
                ELSE terminal_outcome IN ('failed', 'cancelled', 'expired', 'skipped')
                     AND public_state = terminal_outcome
                END
        WHEN 'runnable' THEN
            ownership_state = 'unowned' AND terminal_outcome = 'none'
            AND attempt_state IN ('pending_first_attempt', 'pending_retry_attempt', 'pending_replay_attempt',
                                  'attempt_interrupted')
            AND claim_class IS NOT DISTINCT FROM CASE
                WHEN eligibility_state = 'eligible_now' THEN class_id
                WHEN eligibility_state NOT IN ('not_eligible_until_time', 'blocked_by_dependencies') THEN 0
                END
            AND CASE eligibility_state
                WHEN 'eligible_now' THEN
                    blocking_reason = 'waiting_for_worker'
                    AND public_state = CASE attempt_state WHEN 'attempt_interrupted' THEN 'resumable'
                                                          ELSE 'waiting' END
                WHEN 'not_eligible_until_time' THEN
                    public_state = 'delayed' AND blocking_reason IN ('waiting_for_delay', 'waiting_for_retry_backoff',
                                                                     'waiting_for_resume_delay')
                WHEN 'blocked_by_dependencies' THEN
                    public_state = 'waiting_children' AND blocking_reason = 'waiting_for_children'
                WHEN 'blocked_by_budget' THEN
                    public_state = 'rate_limited' AND blocking_reason = 'waiting_for_budget'
                WHEN 'blocked_by_quota' THEN
                    public_state = 'rate_limited' AND blocking_reason = 'waiting_for_quota'
                WHEN 'blocked_by_route' THEN
                    public_state = 'waiting' AND blocking_reason IN ('waiting_for_capable_worker',
                                                                     'waiting_for_locality_match')
                ELSE
                    eligibility_state IN ('blocked_by_lane_state', 'blocked_by_operator') AND public_state = 'waiting'
                    AND blocking_reason IN ('paused_by_policy', 'paused_by_operator', 'paused_by_flow_cancel')
                END
        WHEN 'suspended' THEN
            claim_class IS NULL AND ownership_state = 'unowned' AND eligibility_state = 'not_applicable'
            AND terminal_outcome = 'none' AND attempt_state = 'attempt_interrupted' AND public_state = 'suspended'
            AND blocking_reason IN ('waiting_for_signal', 'waiting_for_approval', 'waiting_for_callback',
                                    'waiting_for_tool_result', 'waiting_for_budget', 'paused_by_operator',
                                    'paused_by_policy', 'paused_by_flow_cancel')
        ELSE false
        END;
END
$$;

-- Column order: what an insert fixes for good, what rare updates change, what claim, renew and complete change. An
-- update's WAL record leaves out the bytes that both row versions begin with, which here is most of the row. The result
-- is the last of the second group, because a complete writes it.
--
-- fillfactor 35 leaves every row room for two more versions on its page: a complete that follows its claim at once
-- finds the first version not prunable yet, and would leave the page (and HOT) without it.
CREATE TABLE ff_exec_core (
    partition_key            smallint NOT NULL CHECK (partition_key >= 0),
    execution_id             uuid     NOT NULL,
    created_at_ms            bigint   NOT NULL,
    class_id                 integer  NOT NULL,  -- of ff_claim_class
    lane_id                  text     NOT NULL,
    namespace                text     NOT NULL,
    execution_kind           text     NOT NULL,
    creator_identity         text     NOT NULL,
    idempotency_key          text,
    payload_encoding         text,
    required_capabilities    text[]   NOT NULL,
    policy                   jsonb,
    own_retention_ms         bigint,             -- that the policy asks for; 0: for ever, NULL: the store's setting
    node_name                text,               -- of a member that came with its flow
    traceparent              text,               -- of the request that asked for it
    tracestate               text,
    payload                  bytea,

    flow_id                  uuid,
    priority                 integer  NOT NULL,
    tags                     jsonb    NOT NULL,
    instance_tag             text,
    deadline_at_ms           bigint,
    deadline_check_at_ms     bigint,
    retry_count              integer  NOT NULL,
    replay_count             integer  NOT NULL,
    lease_reclaim_count      integer  NOT NULL,
    deps_blocked             boolean  NOT NULL,
    blocking_detail          text,
    failure_reason           text,
    failure_category         text,
    cancellation_reason      text,
    cancelled_by             text,
    cancellation_cause       text,               -- says whether its flow fails by it; the reason is the caller's text
    progress_pct             integer,
    progress_message         text,
    progress_updated_at_ms   bigint,
    activity_epoch           bigint,
    attempt_time_left_ms     bigint,
    last_release             text,
    grant_until_ms           bigint,             -- of its grant: claims by others pass it over until then
    has_waitpoints           boolean  NOT NULL DEFAULT false,
    signal_count             integer  NOT NULL DEFAULT 0,
    has_stream               boolean  NOT NULL DEFAULT false,
    current_suspension_id    uuid,
    current_waitpoint_id     uuid,
    result_encoding          text,
    result                   bytea,

    lifecycle_phase          text     NOT NULL,
    ownership_state          text     NOT NULL,
    eligibility_state        text     NOT NULL,
    public_state             text     NOT NULL,
    attempt_state            text     NOT NULL,
    blocking_reason          text     NOT NULL,
    terminal_outcome         text     NOT NULL,
    -- The class whose workers may claim it; 0 while a budget, a quota, a route, a lane or an operator holds it back;
    -- NULL in any other state.
    claim_class              integer,
    attempt_index            integer  NOT NULL,
    total_attempt_count      integer  NOT NULL,
    lease_epoch              bigint   NOT NULL,
    attempt_id               uuid,
    attempt_type             text,
    attempt_started_at_ms    bigint,
    previous_attempt_index   integer,
    interrupt_cause          text,
    lease_id                 uuid,
    worker_id                text,
    worker_instance_id       text,
    lease_acquired_at_ms     bigint,
    lease_expires_at_ms      bigint,
    lease_last_renewed_at_ms bigint,
    lease_check_at_ms        bigint,             -- when the scanner looks next; renew and complete leave it alone
    reclaimable_since_ms     bigint,
    delay_until_ms           bigint,
    attempt_deadline_at_ms   bigint,
    started_at_ms            bigint,
    terminal_at_ms           bigint,
    last_transition_at_ms    bigint   NOT NULL,
    last_mutation_at_ms      bigint   NOT NULL,

    PRIMARY KEY (partition_key, execution_id),

    CONSTRAINT ff_exec_core_legal_vector CHECK (
        ff_is_legal_execution(lifecycle_phase, ownership_state, eligibility_state, public_state, attempt_state,
                              blocking_reason, terminal_outcome, class_id, claim_class)),
    CONSTRAINT ff_exec_core_attempt_type CHECK (
        attempt_type = ANY ('{initial,retry,reclaim,replay,fallback}'::text[])),
    CONSTRAINT ff_exec_core_cancellation_cause CHECK (
        cancellation_cause = ANY ('{request,flow,sibling,timeout}'::text[]))
) WITH (fillfactor = 35);

-- Payloads are opaque and written once: compressing them would burn time inside the batch that stores them.
ALTER TABLE ff_exec_core ALTER COLUMN payload SET STORAGE EXTERNAL;
ALTER TABLE ff_exec_core ALTER COLUMN result SET STORAGE EXTERNAL;

-- No index mentions, as key or in its predicate, a column that renew or complete changes, so that both stay HOT; a
-- claim changes claim_class and lease_check_at_ms. Each of these indexes holds live work only, never history.
--
-- The claim index goes by claim_class, not by eligibility_state: so the end of a member that waits for others, which
-- nobody can claim before or after it, writes to no index. Such members have no index either; they are listed through
-- their flows.
CREATE INDEX ff_exec_core_claim ON ff_exec_core (claim_class, priority DESC, created_at_ms, execution_id)
    WHERE claim_class IS NOT NULL;
CREATE INDEX ff_exec_core_reclaim ON ff_exec_core (class_id, priority DESC, created_at_ms, execution_id)
    WHERE reclaimable_since_ms IS NOT NULL;
-- One timer each, holding only the rows that have it.
CREATE INDEX ff_exec_core_lease_check ON ff_exec_core (lease_check_at_ms) WHERE lease_check_at_ms IS NOT NULL;
CREATE INDEX ff_exec_core_delay ON ff_exec_core (delay_until_ms) WHERE delay_until_ms IS NOT NULL;
CREATE INDEX ff_exec_core_attempt_deadline ON ff_exec_core (attempt_deadline_at_ms)
    WHERE attempt_deadline_at_ms IS NOT NULL;
CREATE INDEX ff_exec_core_deadline_check ON ff_exec_core (deadline_check_at_ms)
    WHERE deadline_check_at_ms IS NOT NULL;
-- The members of a flow, page by page. Its predicate keeps look-ups by key off it.
CREATE INDEX ff_exec_core_flow ON ff_exec_core (partition_key, flow_id, execution_id) WHERE flow_id IS NOT NULL;

-- Searches go from new to old along one of these, whichever names what is asked for; they hold history too, and
-- columns that never change, so that they cost an insert and nothing after it. Every row meets their predicate; it
-- keeps look-ups by key off them, which name no time.
CREATE INDEX ff_exec_core_time ON ff_exec_core (created_at_ms, partition_key, execution_id)
    WHERE created_at_ms IS NOT NULL;
CREATE INDEX ff_exec_core_lane ON ff_exec_core (lane_id, created_at_ms, partition_key, execution_id)
    WHERE created_at_ms IS NOT NULL;
CREATE INDEX ff_exec_core_namespace ON ff_exec_core (namespace, created_at_ms, partition_key, execution_id)
    WHERE created_at_ms IS NOT NULL;
CREATE INDEX ff_exec_core_kind ON ff_exec_core (execution_kind, created_at_ms, partition_key, execution_id)
    WHERE created_at_ms IS NOT NULL;

-- What few executions have and are found by: each of their tags, and that they have failed. A term is a hash
-- (src/core/search/search_term_row.hpp).
CREATE TABLE ff_search_term (
    partition_key smallint NOT NULL,
    execution_id  uuid     NOT NULL,
    term          uuid     NOT NULL,
    created_at_ms bigint   NOT NULL,

    PRIMARY KEY (partition_key, execution_id, term)
);
CREATE INDEX ff_search_term_walk ON ff_search_term (term, created_at_ms, partition_key, execution_id)
    WHERE created_at_ms IS NOT NULL;

-- Ended attempts: one insert each, never changed. The open attempt is on the execution row.
CREATE TABLE ff_attempt (
    partition_key          smallint NOT NULL,
    execution_id           uuid     NOT NULL,
    attempt_index          integer  NOT NULL,
    attempt_id             uuid     NOT NULL,
    attempt_type           text     NOT NULL
                           CHECK (attempt_type = ANY ('{initial,retry,reclaim,replay,fallback}'::text[])),
    worker_id              text     NOT NULL,
    worker_instance_id     text     NOT NULL,
    lease_id               uuid     NOT NULL,
    lease_epoch            bigint   NOT NULL,
    started_at_ms          bigint   NOT NULL,
    terminal_at_ms         bigint   NOT NULL,
    outcome                text     NOT NULL
                           CHECK (outcome = ANY ('{ended_success,ended_failure,ended_cancelled,
                                                   interrupted_reclaimed}'::text[])),
    failure_reason         text,
    failure_category       text,
    previous_attempt_index integer,

    PRIMARY KEY (partition_key, execution_id, attempt_index)
);

-- A key belongs to one execution until it lapses; then another may take it over.
CREATE TABLE ff_idempotency_key (
    partition_key       smallint NOT NULL,
    namespace           text     NOT NULL,
    idempotency_key     text     NOT NULL,
    execution_id        uuid     NOT NULL,
    execution_partition smallint NOT NULL,
    expires_at_ms       bigint   NOT NULL,
    request_digest      text,     -- what a repeat must have as well
    first_state         text,     -- that the request was answered with, beside a digest

    PRIMARY KEY (partition_key, namespace, idempotency_key)
);
CREATE INDEX ff_idempotency_key_expiry ON ff_idempotency_key (expires_at_ms);
