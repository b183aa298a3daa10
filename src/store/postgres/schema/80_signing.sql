-- The keys that sign waitpoint tokens and grants. One is active; a retired one verifies until it expires. A secret is
-- encrypted where there is a master key.
CREATE TABLE ff_waitpoint_hmac (
    kid           text    PRIMARY KEY,
    secret        bytea   NOT NULL,
    rotated_at_ms bigint  NOT NULL,
    active        boolean NOT NULL DEFAULT true,
    expires_at_ms bigint
);

-- The tokens with which callers of the API prove what they may do, by the SHA-256 of their secrets. A token has two
-- secrets while a rotation overlaps. Rows stay when a token has ended: where there ever was one, no caller does without.
CREATE TABLE ff_api_token (
    name                   text   PRIMARY KEY,
    secret_hash            bytea  NOT NULL,
    previous_hash          bytea,
    previous_expires_at_ms bigint,
    scopes                 text[] NOT NULL,
    namespaces             text[] NOT NULL,
    rate_limit_per_s       integer,
    created_at_ms          bigint NOT NULL,
    expires_at_ms          bigint,
    revoked_at_ms          bigint
);
