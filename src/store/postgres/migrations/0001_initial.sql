-- The first schema: executions with their lease and open attempt, ended attempts, the outboxes, registries.
--
-- Everything lives in the current schema. `partition_key` is a logical column and leads every primary key; the tables
-- are plain, except for the outboxes, which are partitioned by event_id so that retention drops instead of deletes.

-- ---- executions -----------------------------------------------------------------------------------------------------

-- Only legal vectors are stored, and only the literals that they are made of. One CASE, so that a row pays for its own
-- phase alone; the arguments are NOT NULL and every CASE ends in false, so nothing passes as unknown.
--
-- A function, because a CHECK's own expression is read back from its stored text by every statement: 95 us for this
-- one, a sixth of the server's time when batches are small. A function is compiled once per session.
CREATE FUNCTION ff_is_legal_vector(lifecycle_phase text, ownership_state text, eligibility_state text,
                                   public_state text, attempt_state text, blocking_reason text, terminal_outcome text)
RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN
        CASE lifecycle_phase
        WHEN 'active' THEN
            public_state = 'active' AND eligibility_state = 'not_applicable' AND terminal_outcome = 'none'
            AND CASE ownership_state
                WHEN 'leased' THEN
                    attempt_state = 'running_attempt' AND blocking_reason = 'none'
                ELSE
                    ownership_state IN ('lease_expired_reclaimable', 'lease_revoked')
                    AND attempt_state = 'attempt_interrupted' AND blocking_reason = 'waiting_for_worker'
                END
        WHEN 'terminal' THEN
            ownership_state = 'unowned' AND eligibility_state = 'not_applicable' AND blocking_reason = 'none'
            AND attempt_state IN ('attempt_terminal', 'none')
            AND CASE terminal_outcome
                WHEN 'success' THEN public_state = 'completed'
                ELSE terminal_outcome IN ('failed', 'cancelled', 'expired', 'skipped')
                     AND public_state = terminal_outcome
                END
        WHEN 'runnable' THEN
            ownership_state = 'unowned' AND terminal_outcome = 'none'
            AND attempt_state IN ('pending_first_attempt', 'pending_retry_attempt', 'pending_replay_attempt',
                                  'attempt_interrupted')
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
            ownership_state = 'unowned' AND eligibility_state = 'not_applicable' AND terminal_outcome = 'none'
            AND attempt_state = 'attempt_interrupted' AND public_state = 'suspended'
            AND blocking_reason IN ('waiting_for_signal', 'waiting_for_approval', 'waiting_for_callback',
                                    'waiting_for_tool_result', 'waiting_for_budget', 'paused_by_operator',
                                    'paused_by_policy', 'paused_by_flow_cancel')
        ELSE false
        END;
END
$$;

-- Column order: what an insert fixes for good, what rare updates change, what claim, renew and complete change. An
-- update's WAL record leaves out the bytes that both row versions begin with, which here is most of the row.
-- fillfactor 35 leaves every row room for two more versions on its page: a complete that follows its claim at once finds
-- the first version not prunable yet, and would leave the page (and HOT) without it.
CREATE TABLE ff_exec_core (
    partition_key            smallint NOT NULL CHECK (partition_key >= 0),
    execution_id             uuid     NOT NULL,
    created_at_ms            bigint   NOT NULL,
    class_id                 integer  NOT NULL,
    flow_id                  uuid,
    lane_id                  text     NOT NULL,
    namespace                text     NOT NULL,
    execution_kind           text     NOT NULL,
    creator_identity         text     NOT NULL,
    idempotency_key          text,
    payload_encoding         text,
    required_capabilities    text[]   NOT NULL,
    policy                   jsonb,
    payload                  bytea,

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
    result_encoding          text,
    result                   bytea,

    lifecycle_phase          text     NOT NULL,
    ownership_state          text     NOT NULL,
    eligibility_state        text     NOT NULL,
    public_state             text     NOT NULL,
    attempt_state            text     NOT NULL,
    blocking_reason          text     NOT NULL,
    terminal_outcome         text     NOT NULL,
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
    lease_check_at_ms        bigint,
    reclaimable_since_ms     bigint,
    delay_until_ms           bigint,
    attempt_deadline_at_ms   bigint,
    started_at_ms            bigint,
    terminal_at_ms           bigint,
    last_transition_at_ms    bigint   NOT NULL,
    last_mutation_at_ms      bigint   NOT NULL,

    PRIMARY KEY (partition_key, execution_id),

    CONSTRAINT ff_exec_core_legal_vector CHECK (
        ff_is_legal_vector(lifecycle_phase, ownership_state, eligibility_state, public_state, attempt_state,
                           blocking_reason, terminal_outcome)),
    CONSTRAINT ff_exec_core_attempt_type CHECK (
        attempt_type IN ('initial', 'retry', 'reclaim', 'replay', 'fallback'))
) WITH (fillfactor = 35);

-- Payloads are opaque and written once: compressing them would burn time inside the batch that stores them.
ALTER TABLE ff_exec_core ALTER COLUMN payload SET STORAGE EXTERNAL;
ALTER TABLE ff_exec_core ALTER COLUMN result SET STORAGE EXTERNAL;

-- No index mentions, as key or in its predicate, a column that renew or complete changes, so that both stay HOT; a
-- claim changes eligibility_state and lease_check_at_ms. Each index holds live work only, never history.
CREATE INDEX ff_exec_core_claim ON ff_exec_core (class_id, priority DESC, created_at_ms, execution_id)
    WHERE eligibility_state = 'eligible_now';
CREATE INDEX ff_exec_core_reclaim ON ff_exec_core (class_id, priority DESC, created_at_ms, execution_id)
    WHERE reclaimable_since_ms IS NOT NULL;
CREATE INDEX ff_exec_core_lease_check ON ff_exec_core (lease_check_at_ms) WHERE lease_check_at_ms IS NOT NULL;
CREATE INDEX ff_exec_core_delay ON ff_exec_core (delay_until_ms) WHERE delay_until_ms IS NOT NULL;
CREATE INDEX ff_exec_core_attempt_deadline ON ff_exec_core (attempt_deadline_at_ms)
    WHERE attempt_deadline_at_ms IS NOT NULL;
CREATE INDEX ff_exec_core_deadline_check ON ff_exec_core (deadline_check_at_ms)
    WHERE deadline_check_at_ms IS NOT NULL;
CREATE INDEX ff_exec_core_flow ON ff_exec_core (partition_key, flow_id) WHERE flow_id IS NOT NULL;

-- Ended attempts: one insert each, never changed. The open attempt is on the execution row.
CREATE TABLE ff_attempt (
    partition_key          smallint NOT NULL,
    execution_id           uuid     NOT NULL,
    attempt_index          integer  NOT NULL,
    attempt_id             uuid     NOT NULL,
    attempt_type           text     NOT NULL CHECK (attempt_type IN ('initial', 'retry', 'reclaim', 'replay',
                                                                     'fallback')),
    worker_id              text     NOT NULL,
    worker_instance_id     text     NOT NULL,
    lease_id               uuid     NOT NULL,
    lease_epoch            bigint   NOT NULL,
    started_at_ms          bigint   NOT NULL,
    terminal_at_ms         bigint   NOT NULL,
    outcome                text     NOT NULL CHECK (outcome IN ('ended_success', 'ended_failure', 'ended_cancelled',
                                                                'interrupted_reclaimed')),
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

    PRIMARY KEY (partition_key, namespace, idempotency_key)
);

-- ---- outboxes -------------------------------------------------------------------------------------------------------

-- CACHE 1, because the watermark of a channel rests on this: whoever may still fill a gap at or below last_value holds
-- a lock on the sequence. Ids are unique by construction and every tail reads by id, so one plain index is enough.
CREATE SEQUENCE ff_lease_event_event_id_seq CACHE 1;
CREATE TABLE ff_lease_event (
    event_id                bigint   NOT NULL DEFAULT nextval('ff_lease_event_event_id_seq'),
    partition_key           smallint NOT NULL,
    execution_id            uuid     NOT NULL,
    namespace               text     NOT NULL,
    instance_tag            text,
    event_type              text     NOT NULL CHECK (event_type IN ('acquired', 'renewed', 'reclaimed', 'released',
                                                                    'expired', 'revoked')),
    lease_id                uuid     NOT NULL,
    lease_epoch             bigint   NOT NULL,
    attempt_index           integer  NOT NULL,
    attempt_id              uuid     NOT NULL,
    worker_id               text     NOT NULL,
    worker_instance_id      text     NOT NULL,
    prev_worker_instance_id text,
    reason                  text,
    revoked_by              text     CHECK (revoked_by IN ('operator', 'backend', 'reconciler')),
    occurred_at_ms          bigint   NOT NULL
) PARTITION BY RANGE (event_id);
ALTER SEQUENCE ff_lease_event_event_id_seq OWNED BY ff_lease_event.event_id;
CREATE INDEX ff_lease_event_event_id ON ff_lease_event (event_id);

CREATE SEQUENCE ff_completion_event_event_id_seq CACHE 1;
CREATE TABLE ff_completion_event (
    event_id         bigint   NOT NULL DEFAULT nextval('ff_completion_event_event_id_seq'),
    partition_key    smallint NOT NULL,
    execution_id     uuid     NOT NULL,
    namespace        text     NOT NULL,
    instance_tag     text,
    flow_id          uuid,
    outcome          text     NOT NULL CHECK (outcome IN ('success', 'failed', 'cancelled', 'expired', 'skipped')),
    occurred_at_ms   bigint   NOT NULL,
    dispatched_at_ms bigint
) PARTITION BY RANGE (event_id);
ALTER SEQUENCE ff_completion_event_event_id_seq OWNED BY ff_completion_event.event_id;
CREATE INDEX ff_completion_event_event_id ON ff_completion_event (event_id);
-- Completions of flow members that still have edges to resolve; every other row is born dispatched.
CREATE INDEX ff_completion_event_undispatched ON ff_completion_event (event_id) WHERE dispatched_at_ms IS NULL;

CREATE SEQUENCE ff_signal_event_event_id_seq CACHE 1;
CREATE TABLE ff_signal_event (
    event_id        bigint   NOT NULL DEFAULT nextval('ff_signal_event_event_id_seq'),
    partition_key   smallint NOT NULL,
    execution_id    uuid     NOT NULL,
    namespace       text,
    instance_tag    text,
    signal_id       uuid     NOT NULL,
    waitpoint_id    uuid     NOT NULL,
    source_identity text,
    effect          text     NOT NULL,
    delivered_at_ms bigint   NOT NULL
) PARTITION BY RANGE (event_id);
ALTER SEQUENCE ff_signal_event_event_id_seq OWNED BY ff_signal_event.event_id;
CREATE INDEX ff_signal_event_event_id ON ff_signal_event (event_id);

-- execution_id is the subject's: an execution, a flow or a budget; a lane has none and is named in details.
CREATE SEQUENCE ff_operator_event_event_id_seq CACHE 1;
CREATE TABLE ff_operator_event (
    event_id       bigint   NOT NULL DEFAULT nextval('ff_operator_event_event_id_seq'),
    partition_key  smallint NOT NULL,
    execution_id   uuid,
    namespace      text,
    instance_tag   text,
    subject_kind   text     NOT NULL CHECK (subject_kind IN ('execution', 'flow', 'budget', 'lane')),
    event_type     text     NOT NULL CHECK (event_type IN (
        'priority_changed', 'replayed', 'flow_cancel_requested', 'execution_cancelled', 'lease_revoked',
        'execution_claimed', 'execution_resumed', 'suspension_escalated', 'lane_state_changed', 'budget_breached',
        'budget_reset')),
    details        jsonb    NOT NULL,
    occurred_at_ms bigint   NOT NULL
) PARTITION BY RANGE (event_id);
ALTER SEQUENCE ff_operator_event_event_id_seq OWNED BY ff_operator_event.event_id;
CREATE INDEX ff_operator_event_event_id ON ff_operator_event (event_id);

-- Operator events are rare, so they may notify inside their transaction; the other channels do so behind COMMIT.
CREATE FUNCTION ff_operator_event_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('ff_operator_event', max(event_id)::text) FROM inserted HAVING count(*) > 0;
    RETURN NULL;
END
$$;
CREATE TRIGGER ff_operator_event_notify_trg AFTER INSERT ON ff_operator_event
    REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION ff_operator_event_notify();

-- The safety net: no insert fails for want of a partition.
CREATE TABLE ff_lease_event_default PARTITION OF ff_lease_event DEFAULT;
CREATE TABLE ff_completion_event_default PARTITION OF ff_completion_event DEFAULT;
CREATE TABLE ff_signal_event_default PARTITION OF ff_signal_event DEFAULT;
CREATE TABLE ff_operator_event_default PARTITION OF ff_operator_event DEFAULT;

-- Keeps, for every outbox, the slice of 2^24 ids in use and two more; returns how many were missing. One caller works,
-- others return at once. ATTACH does not block writers; it needs a moment's lock on the default partition and gives up
-- rather than let readers queue behind it.
CREATE FUNCTION ff_extend_outboxes() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    outbox  text;
    current bigint;
    slice   bigint;
    part    text;
    added   integer := 0;
BEGIN
    IF NOT pg_try_advisory_xact_lock(5063511405218291) THEN
        RETURN 0;
    END IF;
    PERFORM set_config('lock_timeout', '200ms', true);
    FOREACH outbox IN ARRAY ARRAY['ff_lease_event', 'ff_completion_event', 'ff_signal_event', 'ff_operator_event'] LOOP
        EXECUTE format('SELECT last_value >> 24 FROM %I', outbox || '_event_id_seq') INTO current;
        FOR slice IN current .. current + 2 LOOP
            part := outbox || '_p' || slice;
            CONTINUE WHEN to_regclass(quote_ident(part)) IS NOT NULL;
            EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES)',
                           part, outbox);
            EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)',
                           outbox, part, slice << 24, (slice + 1) << 24);
            added := added + 1;
        END LOOP;
    END LOOP;
    RETURN added;
END
$$;
SELECT ff_extend_outboxes();

-- ---- registries -----------------------------------------------------------------------------------------------------

CREATE TABLE ff_lane_registry (
    lane_id          text   PRIMARY KEY,
    registered_at_ms bigint NOT NULL,
    registered_by    text   NOT NULL,
    lane_state       text   NOT NULL DEFAULT 'active'
                     CHECK (lane_state IN ('active', 'paused', 'draining', 'disabled'))
);

-- What claims are routed by: a lane and the capabilities (sorted) that its work asks for.
CREATE TABLE ff_claim_class (
    class_id              integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    lane_id               text    NOT NULL,
    required_capabilities text[]  NOT NULL,

    UNIQUE (lane_id, required_capabilities)
);

-- One row: what every engine on this database must agree on.
CREATE TABLE ff_partition_config (
    singleton             boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    num_flow_partitions   integer NOT NULL CHECK (num_flow_partitions > 0),
    num_budget_partitions integer NOT NULL CHECK (num_budget_partitions > 0),
    num_quota_partitions  integer NOT NULL CHECK (num_quota_partitions > 0),
    ff_version            text    NOT NULL
);

-- One row per writing connection, advanced by every batch, so that a lost reply to COMMIT can be looked up. A retired
-- row takes no further batch; it stays, so that asking twice gives the same answer.
CREATE TABLE ff_writer (
    writer_id     uuid    PRIMARY KEY DEFAULT gen_random_uuid(),
    batch_no      bigint  NOT NULL DEFAULT 0,
    touched_at_ms bigint  NOT NULL,
    retired       boolean NOT NULL DEFAULT false
) WITH (fillfactor = 35);
