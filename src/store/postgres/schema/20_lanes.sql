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

-- 4 KiB of capabilities do not fit into an index entry; their digest does. convert_to() depends on the database's
-- encoding alone, which never changes.
CREATE FUNCTION ff_capabilities_digest(capabilities text[]) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path FROM CURRENT AS $$
    SELECT sha256(convert_to(array_to_string(capabilities, ','), 'UTF8'))
$$;
CREATE UNIQUE INDEX ff_claim_class_spec ON ff_claim_class (lane_id, ff_capabilities_digest(required_capabilities));
