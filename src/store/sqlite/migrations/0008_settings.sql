-- What all engines on the store agree on. A setting without a row has its default, which the program knows.
--
-- Not compatible: an engine that does not know the table removes and retries by its own options.
CREATE TABLE ff_setting (
    name          TEXT    NOT NULL PRIMARY KEY,
    value         TEXT    NOT NULL,
    revision      INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Counts the changes of settings, by which an engine knows whether those that it remembers still hold.
ALTER TABLE ff_partition_config ADD COLUMN setting_revision INTEGER NOT NULL DEFAULT 0;

-- A change of a setting is an operator event: the table again, with one more kind of subject. Ids go on where they
-- were, even if their events are gone.
CREATE TABLE ff_operator_event_new (
    event_id       INTEGER PRIMARY KEY AUTOINCREMENT,
    partition_key  INTEGER NOT NULL,
    execution_id   BLOB,
    namespace      TEXT,
    instance_tag   TEXT,
    subject_kind   TEXT    NOT NULL CHECK (subject_kind = 'execution' OR subject_kind = 'flow'
                                           OR subject_kind = 'budget' OR subject_kind = 'lane'
                                           OR subject_kind = 'setting'),
    event_type     TEXT    NOT NULL,
    details        TEXT    NOT NULL,
    occurred_at_ms INTEGER NOT NULL
) STRICT;

INSERT INTO ff_operator_event_new SELECT * FROM ff_operator_event;
DELETE FROM sqlite_sequence WHERE name = 'ff_operator_event_new';
INSERT INTO sqlite_sequence (name, seq)
    SELECT 'ff_operator_event_new', seq FROM sqlite_sequence WHERE name = 'ff_operator_event';
DROP TABLE ff_operator_event;
ALTER TABLE ff_operator_event_new RENAME TO ff_operator_event;
