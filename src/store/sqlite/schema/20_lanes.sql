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
