-- compatible
-- Consumers that are known by name, and how far each outbox has been trimmed.

CREATE TABLE ff_outbox (
    channel  TEXT    NOT NULL PRIMARY KEY,
    trimmed  INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

INSERT INTO ff_outbox (channel) VALUES ('lease'), ('completion'), ('signal'), ('operator');

CREATE TABLE ff_event_consumer (
    channel            TEXT    NOT NULL,
    consumer           TEXT    NOT NULL,
    event_id           INTEGER NOT NULL,
    registered_at_ms   INTEGER NOT NULL,
    acknowledged_at_ms INTEGER NOT NULL,

    PRIMARY KEY (channel, consumer)
) STRICT, WITHOUT ROWID;
