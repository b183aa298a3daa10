-- Flows: graphs of executions. Which executions are members is said by ff_exec_core.flow_id.

-- raw_fields holds what nothing is decided by, or only rarely: kind, namespace, counts, how it was cancelled. The two
-- counts of members are kept from the moment the graph is sealed.
CREATE TABLE ff_flow_core (
    partition_key     INTEGER NOT NULL,
    flow_id           BLOB    NOT NULL,
    graph_revision    INTEGER NOT NULL,
    public_flow_state TEXT    NOT NULL CHECK (public_flow_state = 'open' OR public_flow_state = 'completed'
                                              OR public_flow_state = 'failed' OR public_flow_state = 'cancelled'),
    created_at_ms     INTEGER NOT NULL,
    terminal_at_ms    INTEGER,
    raw_fields        TEXT    NOT NULL DEFAULT '{}',
    tags              TEXT    NOT NULL DEFAULT '{}',
    sealed            INTEGER NOT NULL DEFAULT 0,
    open_members      INTEGER NOT NULL DEFAULT 0,
    failed_members    INTEGER NOT NULL DEFAULT 0,
    summarised        INTEGER NOT NULL DEFAULT 0,

    PRIMARY KEY (partition_key, flow_id)
) STRICT, WITHOUT ROWID;
-- What the projector goes round; a flow whose members have all ended and been counted is not in it.
CREATE INDEX ff_flow_core_unsummarised ON ff_flow_core (partition_key, flow_id) WHERE summarised = 0;

-- Members as they were when they were last counted: a view for dashboards, by which nothing is decided.
-- public_flow_state is what the members alone make of the flow.
CREATE TABLE ff_flow_summary (
    partition_key             INTEGER NOT NULL,
    flow_id                   BLOB    NOT NULL,
    total_members             INTEGER NOT NULL,
    sampled_members           INTEGER NOT NULL,
    members_completed         INTEGER NOT NULL,
    members_failed            INTEGER NOT NULL,
    members_cancelled         INTEGER NOT NULL,
    members_expired           INTEGER NOT NULL,
    members_skipped           INTEGER NOT NULL,
    members_active            INTEGER NOT NULL,
    members_suspended         INTEGER NOT NULL,
    members_waiting           INTEGER NOT NULL,
    members_delayed           INTEGER NOT NULL,
    members_rate_limited      INTEGER NOT NULL,
    members_waiting_children  INTEGER NOT NULL,
    public_flow_state         TEXT    NOT NULL
                              CHECK (public_flow_state = 'open' OR public_flow_state = 'running'
                                     OR public_flow_state = 'blocked' OR public_flow_state = 'completed'
                                     OR public_flow_state = 'failed' OR public_flow_state = 'cancelled'),
    last_summary_update_at_ms INTEGER NOT NULL,

    PRIMARY KEY (partition_key, flow_id)
) STRICT, WITHOUT ROWID;

-- "Downstream waits for upstream". dependency_state is null until the edge is applied; it leaves 'unsatisfied' in the
-- transaction that counts the edge for its group, and only there.
CREATE TABLE ff_edge (
    partition_key    INTEGER NOT NULL,
    flow_id          BLOB    NOT NULL,
    edge_id          BLOB    NOT NULL,
    upstream_eid     BLOB    NOT NULL,
    downstream_eid   BLOB    NOT NULL,
    policy           TEXT    NOT NULL DEFAULT '{}',
    policy_version   INTEGER NOT NULL DEFAULT 0,
    dependency_state TEXT    CHECK (dependency_state = 'unsatisfied' OR dependency_state = 'satisfied'
                                    OR dependency_state = 'impossible'),
    generation       INTEGER NOT NULL DEFAULT 0,

    PRIMARY KEY (partition_key, flow_id, edge_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX ff_edge_downstream ON ff_edge (partition_key, downstream_eid);
CREATE INDEX ff_edge_upstream ON ff_edge (partition_key, upstream_eid);
-- What an end has still to resolve: holds live work only, however many edges have been resolved.
CREATE INDEX ff_edge_unresolved ON ff_edge (partition_key, upstream_eid) WHERE dependency_state = 'unsatisfied';

-- All edges into one execution. The counts are those of the present generation; members are separated by line breaks.
CREATE TABLE ff_edge_group (
    partition_key                   INTEGER NOT NULL,
    flow_id                         BLOB    NOT NULL,
    downstream_eid                  BLOB    NOT NULL,
    policy                          TEXT    NOT NULL DEFAULT '{}',
    k_target                        INTEGER,
    success_count                   INTEGER NOT NULL DEFAULT 0,
    fail_count                      INTEGER NOT NULL DEFAULT 0,
    skip_count                      INTEGER NOT NULL DEFAULT 0,
    running_count                   INTEGER NOT NULL DEFAULT 0,
    cancel_siblings_pending_flag    INTEGER NOT NULL DEFAULT 0,
    cancel_siblings_pending_members TEXT    NOT NULL DEFAULT '',
    sibling_reason                  TEXT,
    group_state                     TEXT    NOT NULL DEFAULT 'pending'
                                    CHECK (group_state = 'pending' OR group_state = 'satisfied'
                                           OR group_state = 'impossible'),
    n                               INTEGER NOT NULL DEFAULT 0,
    n_fixed                         INTEGER NOT NULL DEFAULT 0,
    generation                      INTEGER NOT NULL DEFAULT 0,

    PRIMARY KEY (partition_key, flow_id, downstream_eid)
) STRICT, WITHOUT ROWID;

-- Decided groups whose other upstream executions are to be cancelled.
CREATE TABLE ff_pending_cancel_groups (
    partition_key  INTEGER NOT NULL,
    flow_id        BLOB    NOT NULL,
    downstream_eid BLOB    NOT NULL,
    enqueued_at_ms INTEGER NOT NULL,

    PRIMARY KEY (partition_key, flow_id, downstream_eid)
) STRICT, WITHOUT ROWID;
CREATE INDEX ff_pending_cancel_groups_age ON ff_pending_cancel_groups (enqueued_at_ms);

-- Cancelled flows, for as long as members of them are to be cancelled.
CREATE TABLE ff_cancel_backlog (
    partition_key       INTEGER NOT NULL,
    flow_id             BLOB    NOT NULL,
    requested_at_ms     INTEGER NOT NULL,
    requester           TEXT,
    reason              TEXT,
    grace_until_ms      INTEGER NOT NULL,
    cancellation_policy TEXT    NOT NULL
                        CHECK (cancellation_policy = 'cancel_flow_only' OR cancellation_policy = 'cancel_all'
                               OR cancellation_policy = 'cancel_pending'),
    status              TEXT    NOT NULL DEFAULT 'pending',

    PRIMARY KEY (partition_key, flow_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX ff_cancel_backlog_grace ON ff_cancel_backlog (grace_until_ms);

-- Members that are still to be cancelled; execution_id is the whole id, {fp:N}:<uuid>.
CREATE TABLE ff_cancel_backlog_member (
    partition_key INTEGER NOT NULL,
    flow_id       BLOB    NOT NULL,
    execution_id  TEXT    NOT NULL,

    PRIMARY KEY (partition_key, flow_id, execution_id)
) STRICT, WITHOUT ROWID;

-- The upstream results that edges with a data reference have brought to an execution; that of its highest edge is also
-- its input.
CREATE TABLE ff_flow_input (
    partition_key INTEGER NOT NULL,
    execution_id  BLOB    NOT NULL,
    edge_id       BLOB    NOT NULL,
    ref           TEXT    NOT NULL,
    payload       BLOB    NOT NULL,

    PRIMARY KEY (partition_key, execution_id, edge_id)
) STRICT;
