-- Addresses that the events of a channel are sent to (src/core/webhook/). How far that has come stands in
-- ff_event_consumer, for as long as events are kept for it. A secret is encrypted where there is a master key.
CREATE TABLE ff_webhook (
    name                   TEXT    NOT NULL PRIMARY KEY,
    url                    TEXT    NOT NULL,
    channel                TEXT    NOT NULL,
    namespace              TEXT,
    types                  TEXT    NOT NULL,
    max_batch              INTEGER NOT NULL,
    source                 TEXT    NOT NULL,
    secret                 BLOB    NOT NULL,
    previous_secret        BLOB,
    previous_expires_at_ms INTEGER,
    created_at_ms          INTEGER NOT NULL,
    state                  TEXT    NOT NULL CHECK (state = 'active' OR state = 'paused' OR state = 'dead'),
    stopped_at_event_id    INTEGER,

    owner                  TEXT,
    owned_until_ms         INTEGER NOT NULL,
    attempts               INTEGER NOT NULL,
    refused_in_turn        INTEGER NOT NULL,
    failing_since_ms       INTEGER,
    next_attempt_at_ms     INTEGER,
    last_error             TEXT,
    last_delivered_at_ms   INTEGER,
    delivered_count        INTEGER NOT NULL,
    failed_count           INTEGER NOT NULL,
    set_aside_count        INTEGER NOT NULL,
    redelivering_count     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Events that were refused for good, until due_at_ms.
CREATE TABLE ff_webhook_failure (
    webhook      TEXT    NOT NULL,
    event_id     INTEGER NOT NULL,
    due_at_ms    INTEGER NOT NULL,
    event        TEXT    NOT NULL,
    error        TEXT    NOT NULL,
    failed_at_ms INTEGER NOT NULL,
    redelivering INTEGER NOT NULL CHECK (redelivering = 0 OR redelivering = 1),

    PRIMARY KEY (webhook, event_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX ff_webhook_failure_due ON ff_webhook_failure (due_at_ms);
