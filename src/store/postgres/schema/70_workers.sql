-- Workers that said they are there, and grants.

CREATE TABLE ff_worker_registry (
    partition_key      smallint NOT NULL,
    namespace          text     NOT NULL,
    worker_instance_id text     NOT NULL,
    worker_id          text     NOT NULL,
    lanes              text[]   NOT NULL,
    capabilities_csv   text     NOT NULL,
    registered_at_ms   bigint   NOT NULL,
    liveness_ttl_ms    bigint   NOT NULL,
    last_heartbeat_ms  bigint   NOT NULL,

    PRIMARY KEY (partition_key, namespace, worker_instance_id)
);
CREATE INDEX ff_worker_registry_listing ON ff_worker_registry (namespace, worker_instance_id);

-- What became of them.
CREATE TABLE ff_worker_registry_event (
    partition_key      smallint NOT NULL,
    namespace          text     NOT NULL,
    worker_instance_id text     NOT NULL,
    event_at_ms        bigint   NOT NULL,
    event_kind         text     NOT NULL CHECK (event_kind IN ('registered', 'heartbeat', 'marked_dead', 'ttl_swept')),
    reason             text,

    PRIMARY KEY (partition_key, namespace, worker_instance_id, event_at_ms, event_kind)
);
CREATE INDEX ff_worker_registry_event_age ON ff_worker_registry_event (event_at_ms);

-- One worker's permission to claim one execution, until it is redeemed or lapses.
CREATE TABLE ff_claim_grant (
    partition_key       smallint NOT NULL,
    grant_id            bytea    NOT NULL,
    execution_id        uuid     NOT NULL,
    kind                text     NOT NULL CHECK (kind IN ('claim', 'reclaim')),
    worker_id           text     NOT NULL,
    worker_instance_id  text     NOT NULL,
    lane_id             text,
    capability_hash     text,
    worker_capabilities jsonb    NOT NULL DEFAULT '[]',
    route_snapshot_json text,
    admission_summary   text,
    grant_ttl_ms        bigint   NOT NULL,
    issued_at_ms        bigint   NOT NULL,
    expires_at_ms       bigint   NOT NULL,

    PRIMARY KEY (partition_key, grant_id)
);
CREATE INDEX ff_claim_grant_execution ON ff_claim_grant (execution_id);
CREATE INDEX ff_claim_grant_expiry ON ff_claim_grant (expires_at_ms);

-- What operators ask of a worker, or of one process of it. No row: to run.
CREATE TABLE ff_worker_mode (
    partition_key smallint NOT NULL,
    namespace     text     NOT NULL,
    scope         text     NOT NULL CHECK (scope IN ('worker', 'instance')),
    name          text     NOT NULL,
    mode          text     NOT NULL CHECK (mode IN ('run', 'quiet', 'stop')),

    PRIMARY KEY (partition_key, namespace, scope, name)
);

-- What a claim with a request id has taken: a repeat gets it again. Written once by each such claim, and swept when the
-- leases would have run out.
CREATE TABLE ff_claim_request (
    partition_key      smallint NOT NULL,
    worker_instance_id text     NOT NULL,
    request_id         text     NOT NULL,
    leases             bytea    NOT NULL,
    expires_at_ms      bigint   NOT NULL,

    PRIMARY KEY (partition_key, worker_instance_id, request_id)
);
CREATE INDEX ff_claim_request_expiry ON ff_claim_request (expires_at_ms);
