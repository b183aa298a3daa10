-- The keys that sign waitpoint tokens and grants. One is active; a retired one verifies until it expires. A secret is
-- encrypted where there is a master key.
CREATE TABLE ff_waitpoint_hmac (
    kid           TEXT    NOT NULL PRIMARY KEY,
    secret        BLOB    NOT NULL,
    rotated_at_ms INTEGER NOT NULL,
    active        INTEGER NOT NULL DEFAULT 1,
    expires_at_ms INTEGER
) STRICT, WITHOUT ROWID;
