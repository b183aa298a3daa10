-- What all processes on a file share before there is any work: its ledger of migrations, its partitions, its settings,
-- its writers, its clock. Tables and columns are called as on every other store; store/postgres/schema tells more of
-- what they are for.
--
-- The files of this folder are one script, read from 10 to 85.
--
-- Habits of all tables:
--  - uuids are 16-byte blobs, JSON is text, capability sets are sorted and comma-joined, booleans are 0 or 1.
--  - Executions, their payloads and their attempts keep their rowid: work is claimed roughly in the order in which it
--    was inserted, so that a batch touches neighbouring pages; clustered by uuid it would touch one page per row.
--  - CHECKs of what is written often use OR and CASE, never IN with three or more literals: for those SQLite builds a
--    b-tree in every statement.

-- Applied migrations.
CREATE TABLE ff_migration_annotation (
    version             INTEGER PRIMARY KEY,
    name                TEXT    NOT NULL,
    applied_at_ms       INTEGER NOT NULL,
    backward_compatible INTEGER NOT NULL CHECK (backward_compatible = 0 OR backward_compatible = 1)
) STRICT;

-- One row. The revisions count the changes of lane states and of settings, by which an engine knows whether what it
-- remembers of either still holds.
CREATE TABLE ff_partition_config (
    singleton             INTEGER PRIMARY KEY CHECK (singleton = 1),
    num_flow_partitions   INTEGER NOT NULL,
    num_budget_partitions INTEGER NOT NULL,
    num_quota_partitions  INTEGER NOT NULL,
    lane_revision         INTEGER NOT NULL DEFAULT 0,
    setting_revision      INTEGER NOT NULL DEFAULT 0
) STRICT;

-- A setting without a row has its default, which the program knows.
CREATE TABLE ff_setting (
    name          TEXT    NOT NULL PRIMARY KEY,
    value         TEXT    NOT NULL,
    revision      INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Which batch of a writer committed last, for a commit whose outcome is unknown.
CREATE TABLE ff_writer (
    writer_id     BLOB    NOT NULL PRIMARY KEY,
    batch_no      INTEGER NOT NULL,
    touched_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The latest time that any batch was decided at, below which no process's clock may fall, and how many batches
-- there were, by which a process tells the commits of others from its own.
CREATE TABLE ff_clock (
    singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
    now_ms    INTEGER NOT NULL,
    commit_no INTEGER NOT NULL
) STRICT;

INSERT INTO ff_clock (singleton, now_ms, commit_no) VALUES (1, 0, 0);
