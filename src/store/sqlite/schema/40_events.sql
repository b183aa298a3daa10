-- The outboxes: what happened, in the transaction in which it happened; who follows them, and how far they are trimmed.

-- AUTOINCREMENT: an id that retention has removed is never issued again, and sqlite_sequence is the watermark.
CREATE TABLE ff_lease_event (
    event_id                INTEGER PRIMARY KEY AUTOINCREMENT,
    partition_key           INTEGER NOT NULL,
    execution_id            BLOB    NOT NULL,
    namespace               TEXT,
    instance_tag            TEXT,
    event_type              TEXT    NOT NULL CHECK (event_type = 'acquired' OR event_type = 'released'
                                                    OR event_type = 'renewed' OR event_type = 'reclaimed'
                                                    OR event_type = 'expired' OR event_type = 'revoked'),
    lease_id                BLOB    NOT NULL,
    lease_epoch             INTEGER NOT NULL,
    attempt_index           INTEGER NOT NULL,
    attempt_id              BLOB    NOT NULL,
    worker_id               TEXT    NOT NULL,
    worker_instance_id      TEXT    NOT NULL,
    prev_worker_instance_id TEXT,
    reason                  TEXT,
    revoked_by              TEXT,
    occurred_at_ms          INTEGER NOT NULL
) STRICT;

CREATE TABLE ff_completion_event (
    event_id           INTEGER PRIMARY KEY AUTOINCREMENT,
    partition_key      INTEGER NOT NULL,
    execution_id       BLOB    NOT NULL,
    namespace          TEXT,
    instance_tag       TEXT,
    flow_id            BLOB,
    outcome            TEXT    NOT NULL CHECK (outcome = 'success' OR outcome = 'failed' OR outcome = 'cancelled'
                                               OR outcome = 'expired' OR outcome = 'skipped'),
    cancellation_cause TEXT,
    occurred_at_ms     INTEGER NOT NULL,
    dispatched_at_ms   INTEGER
) STRICT;
-- Completions of flow members that still have edges to resolve; every other row is born dispatched.
CREATE INDEX ff_completion_event_undispatched ON ff_completion_event (event_id) WHERE dispatched_at_ms IS NULL;

CREATE TABLE ff_signal_event (
    event_id        INTEGER PRIMARY KEY AUTOINCREMENT,
    partition_key   INTEGER NOT NULL,
    execution_id    BLOB    NOT NULL,
    namespace       TEXT,
    instance_tag    TEXT,
    signal_id       BLOB    NOT NULL,
    waitpoint_id    BLOB    NOT NULL,
    source_identity TEXT,
    effect          TEXT    NOT NULL,
    delivered_at_ms INTEGER NOT NULL
) STRICT;

-- execution_id is the subject's: an execution, a flow or a budget. A lane or a setting has none; details name it.
CREATE TABLE ff_operator_event (
    event_id       INTEGER PRIMARY KEY AUTOINCREMENT,
    partition_key  INTEGER NOT NULL,
    execution_id   BLOB,
    namespace      TEXT,
    instance_tag   TEXT,
    subject_kind   TEXT    NOT NULL CHECK (subject_kind = 'execution' OR subject_kind = 'flow'
                                           OR subject_kind = 'budget' OR subject_kind = 'lane'
                                           OR subject_kind = 'setting'),
    event_type     TEXT    NOT NULL,
    details        TEXT    NOT NULL,
    occurred_at_ms INTEGER NOT NULL
) STRICT;

-- What operators asked for, and what came of it.
CREATE TABLE ff_audit_event (
    event_id       INTEGER PRIMARY KEY AUTOINCREMENT,
    actor          TEXT    NOT NULL,
    action         TEXT    NOT NULL,
    subject        TEXT,
    request_id     TEXT,
    status         INTEGER NOT NULL,
    occurred_at_ms INTEGER NOT NULL
) STRICT;

-- How far each outbox has been trimmed.
CREATE TABLE ff_outbox (
    channel TEXT    NOT NULL PRIMARY KEY,
    trimmed INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
INSERT INTO ff_outbox (channel) VALUES ('lease'), ('completion'), ('signal'), ('operator'), ('audit');

-- Consumers that are known by name: how far each has acknowledged, beyond which nothing is trimmed.
CREATE TABLE ff_event_consumer (
    channel            TEXT    NOT NULL,
    consumer           TEXT    NOT NULL,
    event_id           INTEGER NOT NULL,
    registered_at_ms   INTEGER NOT NULL,
    acknowledged_at_ms INTEGER NOT NULL,

    PRIMARY KEY (channel, consumer)
) STRICT, WITHOUT ROWID;
