-- Suspensions, waitpoints and signals.

ALTER TABLE ff_exec_core
    ADD COLUMN has_waitpoints        boolean NOT NULL DEFAULT false,
    ADD COLUMN signal_count          integer NOT NULL DEFAULT 0,
    ADD COLUMN current_suspension_id uuid,
    ADD COLUMN current_waitpoint_id  uuid;

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
    state                 text     NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'active', 'closed')),
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
CREATE INDEX ff_waitpoint_pending_execution ON ff_waitpoint_pending (partition_key, execution_id);
CREATE INDEX ff_waitpoint_pending_open ON ff_waitpoint_pending (partition_key, execution_id) WHERE state <> 'closed';
CREATE INDEX ff_waitpoint_pending_expiry ON ff_waitpoint_pending (expires_at_ms) WHERE state = 'pending';

-- Every signal that was accepted, in order. `live`: its waitpoint is open, so that it counts for a condition.
CREATE TABLE ff_signal (
    partition_key    smallint NOT NULL,
    execution_id     uuid     NOT NULL,
    seq              integer  NOT NULL,
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
    matched          boolean  NOT NULL,
    live             boolean  NOT NULL,

    PRIMARY KEY (partition_key, execution_id, seq)
);
CREATE INDEX ff_signal_live ON ff_signal (partition_key, execution_id) WHERE live;

CREATE TABLE ff_signal_payload (
    partition_key smallint NOT NULL,
    execution_id  uuid     NOT NULL,
    seq           integer  NOT NULL,
    payload       bytea    NOT NULL,

    PRIMARY KEY (partition_key, execution_id, seq)
);

CREATE TABLE ff_signal_dedup (
    partition_key   smallint NOT NULL,
    waitpoint_id    uuid     NOT NULL,
    idempotency_key text     NOT NULL,
    execution_id    uuid     NOT NULL,
    signal_id       uuid     NOT NULL,
    expires_at_ms   bigint   NOT NULL,

    PRIMARY KEY (partition_key, waitpoint_id, idempotency_key)
);
CREATE INDEX ff_signal_dedup_execution ON ff_signal_dedup (partition_key, execution_id);
CREATE INDEX ff_signal_dedup_expiry ON ff_signal_dedup (expires_at_ms);

CREATE TABLE ff_suspend_dedup (
    partition_key   smallint NOT NULL,
    execution_id    uuid     NOT NULL,
    idempotency_key text     NOT NULL,
    outcome_json    jsonb    NOT NULL,
    created_at_ms   bigint   NOT NULL,
    expires_at_ms   bigint   NOT NULL,

    PRIMARY KEY (partition_key, execution_id, idempotency_key)
);
CREATE INDEX ff_suspend_dedup_expiry ON ff_suspend_dedup (expires_at_ms);
