-- Streams: what attempts put out, frame by frame.

-- What holds of a stream; it stays as long as its execution.
CREATE TABLE ff_stream_meta (
    partition_key       INTEGER NOT NULL,
    execution_id        BLOB    NOT NULL,
    attempt_index       INTEGER NOT NULL,
    last_ts_ms          INTEGER NOT NULL,  -- of the last frame's id
    last_seq            INTEGER NOT NULL,
    frame_count         INTEGER NOT NULL,  -- that it ever had, and the number of the last one
    lasting_count       INTEGER NOT NULL,  -- of those, frames that are not best-effort
    total_bytes         INTEGER NOT NULL,
    cut_through         INTEGER NOT NULL,  -- frames up to this number are not shown any more …
    removed_through     INTEGER NOT NULL,  -- … and up to this one they are gone
    retention_maxlen    INTEGER NOT NULL,  -- from the execution's policy
    maxlen_applied_last INTEGER NOT NULL,
    ema_rate_uhz        INTEGER,           -- of best-effort frames, in millionths of a hertz
    last_best_effort_ms INTEGER,
    expires_at_ms       INTEGER,           -- when its frames go, while all of them are best-effort
    expiry_check_at_ms  INTEGER,           -- never later
    closed_at_ms        INTEGER,
    closed_reason       TEXT CHECK (closed_reason IN (
        'attempt_success', 'attempt_failure', 'attempt_cancelled', 'attempt_interrupted', 'lease_expired', 'expired',
        'suspension_timeout', 'dependency_impossible')),
    live                INTEGER NOT NULL,  -- open, or with frames that are still to expire

    PRIMARY KEY (partition_key, execution_id, attempt_index)
) STRICT, WITHOUT ROWID;
CREATE INDEX ff_stream_meta_expiry ON ff_stream_meta (expiry_check_at_ms) WHERE expiry_check_at_ms IS NOT NULL;

-- The documents that summary frames made.
CREATE TABLE ff_stream_summary (
    partition_key    INTEGER NOT NULL,
    execution_id     BLOB    NOT NULL,
    attempt_index    INTEGER NOT NULL,
    version          INTEGER NOT NULL,
    first_applied_ms INTEGER NOT NULL,
    last_updated_ms  INTEGER NOT NULL,
    patch_kind       TEXT    NOT NULL,
    document         TEXT    NOT NULL,

    PRIMARY KEY (partition_key, execution_id, attempt_index)
) STRICT, WITHOUT ROWID;

-- One insert each, never changed. They go from the oldest on, by frame_no, which grows with (ts_ms, seq).
CREATE TABLE ff_stream_frame (
    partition_key    INTEGER NOT NULL,
    execution_id     BLOB    NOT NULL,
    attempt_index    INTEGER NOT NULL,
    ts_ms            INTEGER NOT NULL,
    seq              INTEGER NOT NULL,
    frame_no         INTEGER NOT NULL,
    created_at_ms    INTEGER NOT NULL,
    mode             TEXT    NOT NULL,
    frame_type       TEXT    NOT NULL,
    correlation_id   TEXT,
    summary_version  INTEGER,
    ttl_ms           INTEGER,
    payload_encoding TEXT,
    payload          BLOB    NOT NULL,

    PRIMARY KEY (partition_key, execution_id, attempt_index, ts_ms, seq)
) STRICT, WITHOUT ROWID;
