-- Lanes, and what claims are routed by: a lane and the capabilities that its work asks for.

CREATE TABLE ff_lane_registry (
    lane_id             TEXT    NOT NULL PRIMARY KEY,
    registered_at_ms    INTEGER NOT NULL,
    registered_by       TEXT    NOT NULL,
    lane_state          TEXT    NOT NULL DEFAULT 'active',
    state_changed_at_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE ff_claim_class (
    class_id              INTEGER PRIMARY KEY,
    lane_id               TEXT    NOT NULL,
    required_capabilities TEXT    NOT NULL,
    UNIQUE (lane_id, required_capabilities)
) STRICT;

-- What is counted of each lane: how many executions stand in each state, and what has happened on it so far.
CREATE TABLE ff_lane_count (
    lane_id          TEXT    NOT NULL PRIMARY KEY,
    waiting          INTEGER NOT NULL,
    delayed          INTEGER NOT NULL,
    rate_limited     INTEGER NOT NULL,
    waiting_children INTEGER NOT NULL,
    active           INTEGER NOT NULL,
    suspended        INTEGER NOT NULL,
    resumable        INTEGER NOT NULL,
    completed        INTEGER NOT NULL,
    failed           INTEGER NOT NULL,
    cancelled        INTEGER NOT NULL,
    expired          INTEGER NOT NULL,
    skipped          INTEGER NOT NULL,
    created          INTEGER NOT NULL,
    claimed          INTEGER NOT NULL,
    ended_success    INTEGER NOT NULL,
    ended_failed     INTEGER NOT NULL,
    ended_cancelled  INTEGER NOT NULL,
    ended_expired    INTEGER NOT NULL,
    ended_skipped    INTEGER NOT NULL,
    retries          INTEGER NOT NULL,
    lease_expiries   INTEGER NOT NULL,
    reclaims         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
