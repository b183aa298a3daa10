-- Streams: what attempts put out, frame by frame.

-- What holds of a stream; it stays as long as its execution. No index mentions what an append changes: the scanner goes
-- by expiry_check_at_ms, which is put off only when its time has come.
CREATE TABLE ff_stream_meta (
    partition_key       smallint NOT NULL,
    execution_id        uuid     NOT NULL,
    attempt_index       integer  NOT NULL,
    last_ts_ms          bigint   NOT NULL,  -- of the last frame's id
    last_seq            bigint   NOT NULL,
    frame_count         bigint   NOT NULL,  -- that it ever had, and the number of the last one
    lasting_count       bigint   NOT NULL,  -- of those, frames that are not best-effort
    total_bytes         bigint   NOT NULL,
    cut_through         bigint   NOT NULL,  -- frames up to this number are not shown any more …
    removed_through     bigint   NOT NULL,  -- … and up to this one they are gone
    retention_maxlen    bigint   NOT NULL,  -- from the execution's policy
    maxlen_applied_last bigint   NOT NULL,
    ema_rate_uhz        bigint,             -- of best-effort frames, in millionths of a hertz
    last_best_effort_ms bigint,
    expires_at_ms       bigint,             -- when its frames go, while all of them are best-effort
    expiry_check_at_ms  bigint,             -- never later
    closed_at_ms        bigint,
    closed_reason       text CHECK (closed_reason = ANY (
        '{attempt_success,attempt_failure,attempt_cancelled,attempt_interrupted,lease_expired,expired,
          suspension_timeout,dependency_impossible}'::text[])),
    live                boolean  NOT NULL,  -- open, or with frames that are still to expire

    PRIMARY KEY (partition_key, execution_id, attempt_index)
) WITH (fillfactor = 50);
CREATE INDEX ff_stream_meta_expiry ON ff_stream_meta (expiry_check_at_ms) WHERE expiry_check_at_ms IS NOT NULL;

-- The documents that summary frames made. Text, since jsonb refuses what JSON may hold: \u0000.
CREATE TABLE ff_stream_summary (
    partition_key    smallint NOT NULL,
    execution_id     uuid     NOT NULL,
    attempt_index    integer  NOT NULL,
    version          bigint   NOT NULL,
    first_applied_ms bigint   NOT NULL,
    last_updated_ms  bigint   NOT NULL,
    patch_kind       text     NOT NULL,
    document         text     NOT NULL,

    PRIMARY KEY (partition_key, execution_id, attempt_index)
) WITH (fillfactor = 70);

-- One insert each, never changed. They go from the oldest on, by frame_no, which grows with (ts_ms, seq).
CREATE TABLE ff_stream_frame (
    partition_key    smallint NOT NULL,
    execution_id     uuid     NOT NULL,
    attempt_index    integer  NOT NULL,
    ts_ms            bigint   NOT NULL,
    seq              bigint   NOT NULL,
    frame_no         bigint   NOT NULL,
    created_at_ms    bigint   NOT NULL,
    mode             text     NOT NULL,
    frame_type       text     NOT NULL,
    correlation_id   text,
    summary_version  bigint,
    ttl_ms           bigint,
    payload_encoding text,
    payload          bytea    NOT NULL,

    PRIMARY KEY (partition_key, execution_id, attempt_index, ts_ms, seq)
);
-- As with the payloads of executions.
ALTER TABLE ff_stream_frame ALTER COLUMN payload SET STORAGE EXTERNAL;
