-- One action on everything that matches a filter (src/core/bulk/).

CREATE TABLE ff_bulk_operation (
    operation_id          BLOB    NOT NULL PRIMARY KEY,
    due_at_ms             INTEGER NOT NULL,
    action                TEXT    NOT NULL CHECK (action = 'cancel' OR action = 'replay' OR action = 'purge'),
    reason                TEXT    NOT NULL,
    requester             TEXT    NOT NULL,
    state                 TEXT    NOT NULL CHECK (state = 'running' OR state = 'done' OR state = 'cancelled'),
    created_at_ms         INTEGER NOT NULL,
    ended_at_ms           INTEGER,

    lane_id               TEXT,
    states                TEXT    NOT NULL,
    execution_kind        TEXT,
    tag_key               TEXT,
    tag_value             TEXT,
    created_after_ms      INTEGER,
    created_before_ms     INTEGER,
    namespace             TEXT,
    flow_id               BLOB,

    searched_to_ms        INTEGER NOT NULL,
    searched_to_partition INTEGER NOT NULL,
    searched_to_id        BLOB    NOT NULL,
    searched              INTEGER NOT NULL CHECK (searched = 0 OR searched = 1),
    open_count            INTEGER NOT NULL,
    done_count            INTEGER NOT NULL,
    skipped_count         INTEGER NOT NULL,
    failed_count          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX ff_bulk_operation_due ON ff_bulk_operation (due_at_ms);

-- What an operation has found and not dealt with.
CREATE TABLE ff_bulk_item (
    operation_id  BLOB    NOT NULL,
    partition_key INTEGER NOT NULL,
    execution_id  BLOB    NOT NULL,
    found_at_ms   INTEGER NOT NULL,

    PRIMARY KEY (operation_id, partition_key, execution_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX ff_bulk_item_found ON ff_bulk_item (found_at_ms);
