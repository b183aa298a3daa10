-- Flows: graphs of executions. Which executions are members is said by ff_exec_core.flow_id.
--
-- Edges, groups and flows change in place, on their own page and with no index to write: no index mentions a column
-- that a resolution or a count changes, and their fillfactors keep room for the next version.

-- raw_fields holds what nothing is decided by, or only rarely: kind, namespace, counts, how it was cancelled. The two
-- counts of members are kept from the moment the graph is sealed.
CREATE TABLE ff_flow_core (
    partition_key     smallint NOT NULL,
    flow_id           uuid     NOT NULL,
    graph_revision    bigint   NOT NULL,
    public_flow_state text     NOT NULL CHECK (public_flow_state IN ('open', 'completed', 'failed', 'cancelled')),
    created_at_ms     bigint   NOT NULL,
    terminal_at_ms    bigint,
    raw_fields        jsonb    NOT NULL DEFAULT '{}',
    tags              jsonb    NOT NULL DEFAULT '{}',
    sealed            boolean  NOT NULL DEFAULT false,
    open_members      integer  NOT NULL DEFAULT 0,
    failed_members    integer  NOT NULL DEFAULT 0,
    summarised        boolean  NOT NULL DEFAULT false,

    PRIMARY KEY (partition_key, flow_id)
) WITH (fillfactor = 50);
-- A cancelled flow lists its members here, which is not worth compressing each time the flow is written.
ALTER TABLE ff_flow_core ALTER COLUMN raw_fields SET STORAGE EXTERNAL;
-- What the projector goes round; a flow whose members have all ended and been counted is not in it.
CREATE INDEX ff_flow_core_unsummarised ON ff_flow_core (partition_key, flow_id) WHERE NOT summarised;

-- Members as they were when they were last counted: a view for dashboards, by which nothing is decided.
-- public_flow_state is what the members alone make of the flow.
CREATE TABLE ff_flow_summary (
    partition_key             smallint NOT NULL,
    flow_id                   uuid     NOT NULL,
    total_members             bigint   NOT NULL,
    sampled_members           integer  NOT NULL,
    members_completed         integer  NOT NULL,
    members_failed            integer  NOT NULL,
    members_cancelled         integer  NOT NULL,
    members_expired           integer  NOT NULL,
    members_skipped           integer  NOT NULL,
    members_active            integer  NOT NULL,
    members_suspended         integer  NOT NULL,
    members_waiting           integer  NOT NULL,
    members_delayed           integer  NOT NULL,
    members_rate_limited      integer  NOT NULL,
    members_waiting_children  integer  NOT NULL,
    public_flow_state         text     NOT NULL CHECK (public_flow_state IN ('open', 'running', 'blocked', 'completed',
                                                                             'failed', 'cancelled')),
    last_summary_update_at_ms bigint   NOT NULL,

    PRIMARY KEY (partition_key, flow_id)
);

-- "Downstream waits for upstream". dependency_state is null until the edge is applied; it leaves 'unsatisfied' in the
-- transaction that counts the edge for its group, and only there.
CREATE TABLE ff_edge (
    partition_key    smallint NOT NULL,
    flow_id          uuid     NOT NULL,
    edge_id          uuid     NOT NULL,
    upstream_eid     uuid     NOT NULL,
    downstream_eid   uuid     NOT NULL,
    policy           jsonb    NOT NULL DEFAULT '{}',
    policy_version   integer  NOT NULL DEFAULT 0,
    dependency_state text     CHECK (dependency_state IN ('unsatisfied', 'satisfied', 'impossible')),
    generation       integer  NOT NULL DEFAULT 0,

    PRIMARY KEY (partition_key, flow_id, edge_id)
) WITH (fillfactor = 55);
-- Of those from one execution, the edges that an end has still to resolve are few enough to be looked for: an index of
-- the unsatisfied ones would be written by each resolution.
CREATE INDEX ff_edge_upstream ON ff_edge (upstream_eid);
CREATE INDEX ff_edge_downstream ON ff_edge (downstream_eid);

-- All edges into one execution. Whoever resolves one of them locks this row, and the edges by it. The counts are those
-- of the present generation.
CREATE TABLE ff_edge_group (
    partition_key                   smallint NOT NULL,
    flow_id                         uuid     NOT NULL,
    downstream_eid                  uuid     NOT NULL,
    policy                          jsonb    NOT NULL DEFAULT '{}',
    k_target                        integer,
    success_count                   integer  NOT NULL DEFAULT 0,
    fail_count                      integer  NOT NULL DEFAULT 0,
    skip_count                      integer  NOT NULL DEFAULT 0,
    running_count                   integer  NOT NULL DEFAULT 0,
    cancel_siblings_pending_flag    boolean  NOT NULL DEFAULT false,
    cancel_siblings_pending_members text[]   NOT NULL DEFAULT '{}',
    sibling_reason                  text,
    group_state                     text     NOT NULL DEFAULT 'pending'
                                    CHECK (group_state IN ('pending', 'satisfied', 'impossible')),
    n                               integer  NOT NULL DEFAULT 0,
    n_fixed                         boolean  NOT NULL DEFAULT false,
    generation                      integer  NOT NULL DEFAULT 0,

    PRIMARY KEY (partition_key, flow_id, downstream_eid)
) WITH (fillfactor = 50);

-- Decided groups whose other upstream executions are to be cancelled.
CREATE TABLE ff_pending_cancel_groups (
    partition_key  smallint NOT NULL,
    flow_id        uuid     NOT NULL,
    downstream_eid uuid     NOT NULL,
    enqueued_at_ms bigint   NOT NULL,

    PRIMARY KEY (partition_key, flow_id, downstream_eid)
);
CREATE INDEX ff_pending_cancel_groups_age ON ff_pending_cancel_groups (enqueued_at_ms);

-- Cancelled flows, for as long as members of them are to be cancelled.
CREATE TABLE ff_cancel_backlog (
    partition_key       smallint NOT NULL,
    flow_id             uuid     NOT NULL,
    requested_at_ms     bigint   NOT NULL,
    requester           text,
    reason              text,
    grace_until_ms      bigint   NOT NULL,
    cancellation_policy text     NOT NULL
                        CHECK (cancellation_policy IN ('cancel_flow_only', 'cancel_all', 'cancel_pending')),
    status              text     NOT NULL DEFAULT 'pending',

    PRIMARY KEY (partition_key, flow_id)
);
CREATE INDEX ff_cancel_backlog_grace ON ff_cancel_backlog (grace_until_ms);

-- Members that are still to be cancelled; execution_id is the whole id, {fp:N}:<uuid>. It is compared by its bytes,
-- whatever the locale of the database; that takes half as long, too.
CREATE TABLE ff_cancel_backlog_member (
    partition_key smallint NOT NULL,
    flow_id       uuid     NOT NULL,
    execution_id  text     COLLATE "C" NOT NULL,

    PRIMARY KEY (partition_key, flow_id, execution_id)
);

-- The upstream results that edges with a data reference have brought to an execution; that of its highest edge is also
-- its payload. As opaque as payloads are, and stored the same way.
CREATE TABLE ff_flow_input (
    partition_key smallint NOT NULL,
    execution_id  uuid     NOT NULL,
    edge_id       uuid     NOT NULL,
    ref           text     NOT NULL,
    payload       bytea    NOT NULL,

    PRIMARY KEY (partition_key, execution_id, edge_id)
);
ALTER TABLE ff_flow_input ALTER COLUMN payload SET STORAGE EXTERNAL;
