-- What all engines on a database share before there is any work: its partitions, its settings, its writers.
--
-- The files of this folder are one script, read from 10 to 95. Everything lives in the first schema of the search_path,
-- which the program pins to that schema and pg_temp: functions that say SET search_path FROM CURRENT find our tables
-- whoever calls them, and nothing of the caller's stands in for what they name.
--
-- Habits of all tables:
--  - `partition_key` is a logical column and leads every primary key. Tables are plain, but for the outboxes.
--  - Times are milliseconds since the epoch.
--  - Where rows are written often, a list of literals is one array: a CHECK is read back from its stored text by every
--    statement that writes to its table, which takes 5 us for an array and 10 for a list, and nothing a row.
--
-- The ledger of applied migrations, ff_migration_annotation, is there already: the program makes it before the first.

-- One row: what every engine on this database must agree on.
CREATE TABLE ff_partition_config (
    singleton             boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    num_flow_partitions   integer NOT NULL CHECK (num_flow_partitions > 0),
    num_budget_partitions integer NOT NULL CHECK (num_budget_partitions > 0),
    num_quota_partitions  integer NOT NULL CHECK (num_quota_partitions > 0),
    ff_version            text    NOT NULL,
    -- Count the changes of lane states and of settings. Every batch reads them with the clock, and so knows whether
    -- what its engine remembers of either still holds.
    lane_revision         bigint  NOT NULL DEFAULT 0,
    setting_revision      bigint  NOT NULL DEFAULT 0
);

-- What all engines agree on and an operator may change. A setting without a row has its default, which the program
-- knows.
CREATE TABLE ff_setting (
    name          text   NOT NULL PRIMARY KEY,
    value         text   NOT NULL,
    revision      bigint NOT NULL,
    updated_at_ms bigint NOT NULL
);

-- One row per writing connection, advanced by every batch, so that a lost reply to COMMIT can be looked up. A retired
-- row takes no further batch; it stays, so that asking twice gives the same answer. Every update is HOT: no index
-- mentions what changes, and the fillfactor leaves room on the page.
CREATE TABLE ff_writer (
    writer_id     uuid    PRIMARY KEY DEFAULT gen_random_uuid(),
    batch_no      bigint  NOT NULL DEFAULT 0,
    touched_at_ms bigint  NOT NULL,
    retired       boolean NOT NULL DEFAULT false
) WITH (fillfactor = 35);
