-- Lanes, and what claims are routed by.

CREATE TABLE ff_lane_registry (
    lane_id             text   PRIMARY KEY,
    registered_at_ms    bigint NOT NULL,
    registered_by       text   NOT NULL,
    lane_state          text   NOT NULL DEFAULT 'active'
                        CHECK (lane_state IN ('active', 'paused', 'draining', 'disabled')),
    state_changed_at_ms bigint
);

-- A lane and the capabilities (sorted) that its work asks for.
CREATE TABLE ff_claim_class (
    class_id              integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    lane_id               text    NOT NULL,
    required_capabilities text[]  NOT NULL
);

-- What is counted of each lane: how many executions stand in each state, and what has happened on it so far. Each
-- writer adds to rows of its own, so that none waits for another; reads add them up. A row whose writer is gone is
-- taken into the lane's row without a writer. Every update is HOT: no index mentions what changes.
CREATE TABLE ff_lane_count (
    lane_id          text   COLLATE "C" NOT NULL,
    writer_id        uuid   NOT NULL,  -- all zeros: of writers that are gone
    waiting          bigint NOT NULL,
    delayed          bigint NOT NULL,
    rate_limited     bigint NOT NULL,
    waiting_children bigint NOT NULL,
    active           bigint NOT NULL,
    suspended        bigint NOT NULL,
    resumable        bigint NOT NULL,
    completed        bigint NOT NULL,
    failed           bigint NOT NULL,
    cancelled        bigint NOT NULL,
    expired          bigint NOT NULL,
    skipped          bigint NOT NULL,
    created          bigint NOT NULL,
    claimed          bigint NOT NULL,
    ended_success    bigint NOT NULL,
    ended_failed     bigint NOT NULL,
    ended_cancelled  bigint NOT NULL,
    ended_expired    bigint NOT NULL,
    ended_skipped    bigint NOT NULL,
    retries          bigint NOT NULL,
    lease_expiries   bigint NOT NULL,
    reclaims         bigint NOT NULL,

    PRIMARY KEY (lane_id, writer_id)
) WITH (fillfactor = 35);

-- 4 KiB of capabilities do not fit into an index entry; their digest does. convert_to() depends on the database's
-- encoding alone, which never changes.
CREATE FUNCTION ff_capabilities_digest(capabilities text[]) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path FROM CURRENT AS $$
    SELECT sha256(convert_to(array_to_string(capabilities, ','), 'UTF8'))
$$;
CREATE UNIQUE INDEX ff_claim_class_spec ON ff_claim_class (lane_id, ff_capabilities_digest(required_capabilities));
