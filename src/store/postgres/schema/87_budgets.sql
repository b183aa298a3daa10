-- Budgets (src/core/budget/). A budget's own row is locked, and covers its usage and its keys.

-- No index holds what reports change, so that their updates are HOT; only budgets that are reset by themselves are in
-- the one of due times.
CREATE TABLE ff_budget_policy (
    partition_key     smallint NOT NULL,
    budget_id         uuid     NOT NULL,
    incarnation       uuid     NOT NULL,
    -- {"hard_limits": {dimension: n}, "soft_limits": {…}, "reset_interval_ms": n, "on_hard_limit": …, "on_soft_limit": …}
    policy_json       jsonb    NOT NULL,
    scope_type        text     NOT NULL,
    scope_id          text     NOT NULL,
    enforcement_mode  text     NOT NULL CHECK (enforcement_mode = ANY ('{strict,warn}'::text[])),
    -- Ids of the budgets above it, the root's first.
    ancestors         text[]   NOT NULL,
    child_count       integer  NOT NULL CHECK (child_count >= 0),
    dimension_count   integer  NOT NULL CHECK (dimension_count >= 0),
    created_at_ms     bigint   NOT NULL,
    updated_at_ms     bigint   NOT NULL,
    breach_count      bigint   NOT NULL CHECK (breach_count >= 0),
    soft_breach_count bigint   NOT NULL CHECK (soft_breach_count >= 0),
    last_breach_at_ms bigint,
    last_breach_dim   text,
    -- Dimensions that operators have been told of since the last reset.
    hard_told         text[]   NOT NULL,
    soft_told         text[]   NOT NULL,
    reset_count       bigint   NOT NULL CHECK (reset_count >= 0),
    last_reset_at_ms  bigint,
    next_reset_at_ms  bigint,

    PRIMARY KEY (partition_key, budget_id)
) WITH (fillfactor = 50);
CREATE INDEX ff_budget_policy_reset ON ff_budget_policy (next_reset_at_ms) WHERE next_reset_at_ms IS NOT NULL;

CREATE TABLE ff_budget_usage (
    partition_key    smallint NOT NULL,
    budget_id        uuid     NOT NULL,
    dimensions_key   text     COLLATE "C" NOT NULL,
    current_value    bigint   NOT NULL CHECK (current_value >= 0),
    last_reset_at_ms bigint,
    updated_at_ms    bigint   NOT NULL,

    PRIMARY KEY (partition_key, budget_id, dimensions_key)
) WITH (fillfactor = 50);

-- What executions have spent, for as long as they are kept. The partition is the execution's. spent_on is the budget that
-- was named, budget_id the one that was charged: itself, or one above it. A row whose reset_count is not the budget's is
-- void.
CREATE TABLE ff_budget_usage_by_exec (
    partition_key  smallint NOT NULL,
    execution_id   uuid     NOT NULL,
    spent_on       uuid     NOT NULL,
    budget_id      uuid     NOT NULL,
    dimensions_key text     COLLATE "C" NOT NULL,
    delta_total    bigint   NOT NULL CHECK (delta_total >= 0),
    incarnation    uuid     NOT NULL,
    reset_count    bigint   NOT NULL,
    updated_at_ms  bigint   NOT NULL,

    PRIMARY KEY (partition_key, execution_id, spent_on, budget_id, dimensions_key)
);

-- The keys of reports that were applied, until expires_at_ms.
CREATE TABLE ff_budget_usage_dedup (
    partition_key    smallint NOT NULL,
    budget_id        uuid     NOT NULL,
    operation_family text     NOT NULL CHECK (operation_family = ANY ('{report_usage,record_spend}'::text[])),
    dedup_key        text     NOT NULL,
    incarnation      uuid     NOT NULL,
    applied_at_ms    bigint   NOT NULL,
    expires_at_ms    bigint   NOT NULL,

    PRIMARY KEY (partition_key, budget_id, operation_family, dedup_key)
);
CREATE INDEX ff_budget_usage_dedup_expiry ON ff_budget_usage_dedup (expires_at_ms);
