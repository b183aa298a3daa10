-- What is removed at a time of its own. Most executions are in neither table: the completion outbox leads to them.

-- Ended executions whose policy says when.
CREATE TABLE ff_retention_due (
    partition_key INTEGER NOT NULL,
    execution_id  BLOB    NOT NULL,
    remove_at_ms  INTEGER NOT NULL,

    PRIMARY KEY (partition_key, execution_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX ff_retention_due_time ON ff_retention_due (remove_at_ms);

-- When to look whether a flow is old enough to be removed: from its beginning, put off for as long as it is not.
CREATE TABLE ff_flow_retention_due (
    partition_key INTEGER NOT NULL,
    flow_id       BLOB    NOT NULL,
    remove_at_ms  INTEGER NOT NULL,

    PRIMARY KEY (partition_key, flow_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX ff_flow_retention_due_time ON ff_flow_retention_due (remove_at_ms);
