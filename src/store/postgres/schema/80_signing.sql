-- The keys that sign waitpoint tokens and grants. One is active; a retired one verifies until it expires. A secret is
-- encrypted where there is a master key.
CREATE TABLE ff_waitpoint_hmac (
    kid           text    PRIMARY KEY,
    secret        bytea   NOT NULL,
    rotated_at_ms bigint  NOT NULL,
    active        boolean NOT NULL DEFAULT true,
    expires_at_ms bigint
);
