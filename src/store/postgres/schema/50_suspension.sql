-- Suspensions, waitpoints and signals.
--
-- Here and in 60_flows.sql and 70_workers.sql an index that a look-up by key could take instead of the primary key has
-- no column of it: a writer that plans while a table is empty sees no difference between the two, and would go on
-- looking rows up by their partition alone. What these indexes find is unique enough without.

-- The last suspension of each execution that ever was suspended.
CREATE TABLE ff_suspension_current (
    partition_key        smallint NOT NULL,
    execution_id         uuid     NOT NULL,
    suspension_id        uuid     NOT NULL,
    attempt_index        integer  NOT NULL,
    suspended_at_ms      bigint   NOT NULL,
    timeout_at_ms        bigint,
    reason_code          text     NOT NULL,
    condition            jsonb    NOT NULL,
    satisfied_set        jsonb    NOT NULL DEFAULT '[]',
    timeout_behavior     text,
    resume_policy        jsonb    NOT NULL,
    requested_by         text     NOT NULL,
    continuation_pointer text,
    satisfied_at_ms      bigint,
    closer_signal_id     uuid,
    closed_at_ms         bigint,
    close_reason         text,

    PRIMARY KEY (partition_key, execution_id)
);
CREATE INDEX ff_suspension_current_open ON ff_suspension_current (suspended_at_ms, partition_key, execution_id)
    WHERE closed_at_ms IS NULL;
CREATE INDEX ff_suspension_current_timeout ON ff_suspension_current (timeout_at_ms) WHERE timeout_at_ms IS NOT NULL;

CREATE TABLE ff_waitpoint_pending (
    partition_key         smallint NOT NULL,
    waitpoint_id          uuid     NOT NULL,
    execution_id          uuid     NOT NULL,
    suspension_id         uuid,
    attempt_index         integer  NOT NULL,
    waitpoint_key         text     NOT NULL DEFAULT '',
    state                 text     NOT NULL DEFAULT 'pending'
                          CHECK (state = ANY ('{pending,active,closed}'::text[])),
    token_kid             text     NOT NULL,
    token_fingerprint     text     NOT NULL,
    required_signal_names text[]   NOT NULL DEFAULT '{}',
    created_at_ms         bigint   NOT NULL,
    activated_at_ms       bigint,
    expires_at_ms         bigint,
    closed_at_ms          bigint,
    close_reason          text,
    signal_count          integer  NOT NULL DEFAULT 0,
    matched_signal_count  integer  NOT NULL DEFAULT 0,
    last_signal_at_ms     bigint,

    PRIMARY KEY (partition_key, waitpoint_id)
);
CREATE INDEX ff_waitpoint_pending_execution ON ff_waitpoint_pending (execution_id);
CREATE INDEX ff_waitpoint_pending_open ON ff_waitpoint_pending (execution_id) WHERE state <> 'closed';
CREATE INDEX ff_waitpoint_pending_expiry ON ff_waitpoint_pending (expires_at_ms) WHERE state = 'pending';

-- Every signal that was accepted, in order; they belong to the execution. `replay_count` and `suspension_id`: which run
-- of the execution accepted it, for which suspension. `satisfied`: it satisfied that suspension's condition. `live`:
-- its waitpoint is open, so that it counts for a condition.
CREATE TABLE ff_signal (
    partition_key    smallint NOT NULL,
    execution_id     uuid     NOT NULL,
    seq              integer  NOT NULL,
    replay_count     integer  NOT NULL DEFAULT 0,
    signal_id        uuid     NOT NULL,
    waitpoint_id     uuid     NOT NULL,
    waitpoint_key    text     NOT NULL,
    signal_name      text     NOT NULL,
    signal_category  text     NOT NULL,
    source_type      text     NOT NULL,
    source_identity  text     NOT NULL,
    correlation_id   text,
    idempotency_key  text,
    payload_encoding text     NOT NULL,
    target_scope     text     NOT NULL,
    created_at_ms    bigint,
    accepted_at_ms   bigint   NOT NULL,
    observed_effect  text     NOT NULL,
    suspension_id    uuid,
    matched          boolean  NOT NULL,
    satisfied        boolean  NOT NULL DEFAULT false,
    live             boolean  NOT NULL,

    PRIMARY KEY (partition_key, execution_id, seq)
);
CREATE INDEX ff_signal_live ON ff_signal (partition_key, execution_id) WHERE live;

-- Apart, because conditions do without.
CREATE TABLE ff_signal_payload (
    partition_key smallint NOT NULL,
    execution_id  uuid     NOT NULL,
    seq           integer  NOT NULL,
    payload       bytea    NOT NULL,

    PRIMARY KEY (partition_key, execution_id, seq)
);

-- Idempotency keys of signals, until they lapse.
CREATE TABLE ff_signal_dedup (
    partition_key   smallint NOT NULL,
    waitpoint_id    uuid     NOT NULL,
    idempotency_key text     NOT NULL,
    execution_id    uuid     NOT NULL,
    signal_id       uuid     NOT NULL,
    expires_at_ms   bigint   NOT NULL,

    PRIMARY KEY (partition_key, waitpoint_id, idempotency_key)
);
CREATE INDEX ff_signal_dedup_execution ON ff_signal_dedup (execution_id);
CREATE INDEX ff_signal_dedup_expiry ON ff_signal_dedup (expires_at_ms);

-- Idempotency keys of suspensions: present while the suspension is open, and from its satisfaction to the end of the
-- execution; so nothing lapses.
CREATE TABLE ff_suspend_dedup (
    partition_key   smallint NOT NULL,
    execution_id    uuid     NOT NULL,
    idempotency_key text     NOT NULL,
    replay_count    integer  NOT NULL DEFAULT 0,
    created_at_ms   bigint   NOT NULL,
    expires_at_ms   bigint   NOT NULL,
    outcome_json    jsonb    NOT NULL,
    satisfied_at_ms bigint,

    PRIMARY KEY (partition_key, execution_id, idempotency_key)
);
