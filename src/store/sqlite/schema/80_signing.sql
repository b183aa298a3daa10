-- The keys that sign waitpoint tokens and grants. One is active; a retired one verifies until it expires. A secret is
-- encrypted where there is a master key.
CREATE TABLE ff_waitpoint_hmac (
    kid           TEXT    NOT NULL PRIMARY KEY,
    secret        BLOB    NOT NULL,
    rotated_at_ms INTEGER NOT NULL,
    active        INTEGER NOT NULL DEFAULT 1,
    expires_at_ms INTEGER
) STRICT, WITHOUT ROWID;

-- The tokens with which callers of the API prove what they may do, by the SHA-256 of their secrets. A token has two
-- secrets while a rotation overlaps. Rows stay when a token has ended: where there ever was one, no caller does without.
CREATE TABLE ff_api_token (
    name                   TEXT    NOT NULL PRIMARY KEY,
    secret_hash            BLOB    NOT NULL,
    previous_hash          BLOB,
    previous_expires_at_ms INTEGER,
    scopes                 TEXT    NOT NULL,
    namespaces             TEXT    NOT NULL,
    rate_limit_per_s       INTEGER,
    created_at_ms          INTEGER NOT NULL,
    expires_at_ms          INTEGER,
    revoked_at_ms          INTEGER
) STRICT, WITHOUT ROWID;
