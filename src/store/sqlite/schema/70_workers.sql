-- Workers that said they are there, and grants.

CREATE TABLE ff_worker_registry (
    partition_key      INTEGER NOT NULL,
    namespace          TEXT    NOT NULL,
    worker_instance_id TEXT    NOT NULL,
    worker_id          TEXT    NOT NULL,
    lanes              TEXT    NOT NULL,
    capabilities_csv   TEXT    NOT NULL,
    registered_at_ms   INTEGER NOT NULL,
    liveness_ttl_ms    INTEGER NOT NULL,
    last_heartbeat_ms  INTEGER NOT NULL,

    PRIMARY KEY (partition_key, namespace, worker_instance_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX ff_worker_registry_listing ON ff_worker_registry (namespace, worker_instance_id);

-- What became of them.
CREATE TABLE ff_worker_registry_event (
    partition_key      INTEGER NOT NULL,
    namespace          TEXT    NOT NULL,
    worker_instance_id TEXT    NOT NULL,
    event_at_ms        INTEGER NOT NULL,
    event_kind         TEXT    NOT NULL CHECK (event_kind IN ('registered', 'heartbeat', 'marked_dead', 'ttl_swept')),
    reason             TEXT,

    PRIMARY KEY (partition_key, namespace, worker_instance_id, event_at_ms, event_kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX ff_worker_registry_event_age ON ff_worker_registry_event (event_at_ms);

-- One worker's permission to claim one execution, until it is redeemed or lapses.
CREATE TABLE ff_claim_grant (
    partition_key       INTEGER NOT NULL,
    grant_id            BLOB    NOT NULL,
    execution_id        BLOB    NOT NULL,
    kind                TEXT    NOT NULL CHECK (kind IN ('claim', 'reclaim')),
    worker_id           TEXT    NOT NULL,
    worker_instance_id  TEXT    NOT NULL,
    lane_id             TEXT,
    capability_hash     TEXT,
    worker_capabilities TEXT    NOT NULL DEFAULT '[]',
    route_snapshot_json TEXT,
    admission_summary   TEXT,
    grant_ttl_ms        INTEGER NOT NULL,
    issued_at_ms        INTEGER NOT NULL,
    expires_at_ms       INTEGER NOT NULL,

    PRIMARY KEY (partition_key, grant_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX ff_claim_grant_execution ON ff_claim_grant (partition_key, execution_id);
CREATE INDEX ff_claim_grant_expiry ON ff_claim_grant (expires_at_ms);

-- What operators ask of a worker, or of one process of it. No row: to run.
CREATE TABLE ff_worker_mode (
    partition_key INTEGER NOT NULL,
    namespace     TEXT    NOT NULL,
    scope         TEXT    NOT NULL CHECK (scope IN ('worker', 'instance')),
    name          TEXT    NOT NULL,
    mode          TEXT    NOT NULL CHECK (mode IN ('run', 'quiet', 'stop')),

    PRIMARY KEY (partition_key, namespace, scope, name)
) STRICT, WITHOUT ROWID;

-- What a claim with a request id has taken: a repeat gets it again. Written once by each such claim, and swept when the
-- leases would have run out.
CREATE TABLE ff_claim_request (
    partition_key      INTEGER NOT NULL,
    worker_instance_id TEXT    NOT NULL,
    request_id         TEXT    NOT NULL,
    leases             BLOB    NOT NULL,
    expires_at_ms      INTEGER NOT NULL,

    PRIMARY KEY (partition_key, worker_instance_id, request_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX ff_claim_request_expiry ON ff_claim_request (expires_at_ms);
