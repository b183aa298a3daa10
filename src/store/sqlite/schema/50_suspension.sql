-- Suspensions, waitpoints and signals.

-- The last suspension of each execution that ever was suspended.
CREATE TABLE ff_suspension_current (
    partition_key        INTEGER NOT NULL,
    execution_id         BLOB    NOT NULL,
    suspension_id        BLOB    NOT NULL,
    attempt_index        INTEGER NOT NULL,
    suspended_at_ms      INTEGER NOT NULL,
    timeout_at_ms        INTEGER,
    reason_code          TEXT    NOT NULL,
    condition            TEXT    NOT NULL,
    satisfied_set        TEXT    NOT NULL DEFAULT '[]',
    timeout_behavior     TEXT,
    resume_policy        TEXT    NOT NULL,
    requested_by         TEXT    NOT NULL,
    continuation_pointer TEXT,
    satisfied_at_ms      INTEGER,
    closer_signal_id     BLOB,
    closed_at_ms         INTEGER,
    close_reason         TEXT,

    PRIMARY KEY (partition_key, execution_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX ff_suspension_current_open ON ff_suspension_current (suspended_at_ms, partition_key, execution_id)
    WHERE closed_at_ms IS NULL;
CREATE INDEX ff_suspension_current_timeout ON ff_suspension_current (timeout_at_ms) WHERE timeout_at_ms IS NOT NULL;

CREATE TABLE ff_waitpoint_pending (
    partition_key         INTEGER NOT NULL,
    waitpoint_id          BLOB    NOT NULL,
    execution_id          BLOB    NOT NULL,
    suspension_id         BLOB,
    attempt_index         INTEGER NOT NULL,
    waitpoint_key         TEXT    NOT NULL DEFAULT '',
    state                 TEXT    NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'active', 'closed')),
    token_kid             TEXT    NOT NULL,
    token_fingerprint     TEXT    NOT NULL,
    required_signal_names TEXT    NOT NULL DEFAULT '',
    created_at_ms         INTEGER NOT NULL,
    activated_at_ms       INTEGER,
    expires_at_ms         INTEGER,
    closed_at_ms          INTEGER,
    close_reason          TEXT,
    signal_count          INTEGER NOT NULL DEFAULT 0,
    matched_signal_count  INTEGER NOT NULL DEFAULT 0,
    last_signal_at_ms     INTEGER,

    PRIMARY KEY (partition_key, waitpoint_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX ff_waitpoint_pending_execution ON ff_waitpoint_pending (partition_key, execution_id);
CREATE INDEX ff_waitpoint_pending_open ON ff_waitpoint_pending (partition_key, execution_id) WHERE state <> 'closed';
CREATE INDEX ff_waitpoint_pending_expiry ON ff_waitpoint_pending (expires_at_ms) WHERE state = 'pending';

-- Every signal that was accepted, in order; they belong to the execution. `replay_count` and `suspension_id`: which run
-- of the execution accepted it, for which suspension. `satisfied`: it satisfied that suspension's condition. `live`:
-- its waitpoint is open, so that it counts for a condition.
CREATE TABLE ff_signal (
    partition_key    INTEGER NOT NULL,
    execution_id     BLOB    NOT NULL,
    seq              INTEGER NOT NULL,
    replay_count     INTEGER NOT NULL DEFAULT 0,
    signal_id        BLOB    NOT NULL,
    waitpoint_id     BLOB    NOT NULL,
    waitpoint_key    TEXT    NOT NULL,
    signal_name      TEXT    NOT NULL,
    signal_category  TEXT    NOT NULL,
    source_type      TEXT    NOT NULL,
    source_identity  TEXT    NOT NULL,
    correlation_id   TEXT,
    idempotency_key  TEXT,
    payload_encoding TEXT    NOT NULL,
    target_scope     TEXT    NOT NULL,
    created_at_ms    INTEGER,
    accepted_at_ms   INTEGER NOT NULL,
    observed_effect  TEXT    NOT NULL,
    suspension_id    BLOB,
    matched          INTEGER NOT NULL,
    satisfied        INTEGER NOT NULL DEFAULT 0,
    live             INTEGER NOT NULL,

    PRIMARY KEY (partition_key, execution_id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX ff_signal_live ON ff_signal (partition_key, execution_id) WHERE live;

-- Apart, because conditions do without.
CREATE TABLE ff_signal_payload (
    partition_key INTEGER NOT NULL,
    execution_id  BLOB    NOT NULL,
    seq           INTEGER NOT NULL,
    payload       BLOB    NOT NULL,

    PRIMARY KEY (partition_key, execution_id, seq)
) STRICT, WITHOUT ROWID;

-- Idempotency keys of signals, until they lapse.
CREATE TABLE ff_signal_dedup (
    partition_key   INTEGER NOT NULL,
    waitpoint_id    BLOB    NOT NULL,
    idempotency_key TEXT    NOT NULL,
    execution_id    BLOB    NOT NULL,
    signal_id       BLOB    NOT NULL,
    expires_at_ms   INTEGER NOT NULL,

    PRIMARY KEY (partition_key, waitpoint_id, idempotency_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX ff_signal_dedup_execution ON ff_signal_dedup (partition_key, execution_id);
CREATE INDEX ff_signal_dedup_expiry ON ff_signal_dedup (expires_at_ms);

-- Idempotency keys of suspensions: present while the suspension is open, and from its satisfaction to the end of the
-- execution; so nothing lapses.
CREATE TABLE ff_suspend_dedup (
    partition_key   INTEGER NOT NULL,
    execution_id    BLOB    NOT NULL,
    idempotency_key TEXT    NOT NULL,
    replay_count    INTEGER NOT NULL DEFAULT 0,
    created_at_ms   INTEGER NOT NULL,
    expires_at_ms   INTEGER NOT NULL,
    outcome_json    TEXT    NOT NULL,
    satisfied_at_ms INTEGER,

    PRIMARY KEY (partition_key, execution_id, idempotency_key)
) STRICT, WITHOUT ROWID;
