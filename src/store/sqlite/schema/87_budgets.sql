-- Budgets (src/core/budget/).

CREATE TABLE ff_budget_policy (
    partition_key     INTEGER NOT NULL,
    budget_id         BLOB    NOT NULL,
    incarnation       BLOB    NOT NULL,
    -- {"hard_limits": {dimension: n}, "soft_limits": {…}, "reset_interval_ms": n, "on_hard_limit": …, "on_soft_limit": …}
    policy_json       TEXT    NOT NULL,
    scope_type        TEXT    NOT NULL,
    scope_id          TEXT    NOT NULL,
    enforcement_mode  TEXT    NOT NULL CHECK (enforcement_mode = 'strict' OR enforcement_mode = 'warn'),
    -- Ids of the budgets above it, the root's first.
    ancestors         TEXT    NOT NULL,
    child_count       INTEGER NOT NULL CHECK (child_count >= 0),
    dimension_count   INTEGER NOT NULL CHECK (dimension_count >= 0),
    created_at_ms     INTEGER NOT NULL,
    updated_at_ms     INTEGER NOT NULL,
    breach_count      INTEGER NOT NULL CHECK (breach_count >= 0),
    soft_breach_count INTEGER NOT NULL CHECK (soft_breach_count >= 0),
    last_breach_at_ms INTEGER,
    last_breach_dim   TEXT,
    -- Dimensions that operators have been told of since the last reset.
    hard_told         TEXT    NOT NULL,
    soft_told         TEXT    NOT NULL,
    reset_count       INTEGER NOT NULL CHECK (reset_count >= 0),
    last_reset_at_ms  INTEGER,
    next_reset_at_ms  INTEGER,

    PRIMARY KEY (partition_key, budget_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX ff_budget_policy_reset ON ff_budget_policy (next_reset_at_ms) WHERE next_reset_at_ms IS NOT NULL;

CREATE TABLE ff_budget_usage (
    partition_key    INTEGER NOT NULL,
    budget_id        BLOB    NOT NULL,
    dimensions_key   TEXT    NOT NULL,
    current_value    INTEGER NOT NULL CHECK (current_value >= 0),
    last_reset_at_ms INTEGER,
    updated_at_ms    INTEGER NOT NULL,

    PRIMARY KEY (partition_key, budget_id, dimensions_key)
) STRICT, WITHOUT ROWID;

-- What executions have spent, for as long as they are kept. The partition is the execution's. spent_on is the budget that
-- was named, budget_id the one that was charged: itself, or one above it. A row whose reset_count is not the budget's is
-- void.
CREATE TABLE ff_budget_usage_by_exec (
    partition_key  INTEGER NOT NULL,
    execution_id   BLOB    NOT NULL,
    spent_on       BLOB    NOT NULL,
    budget_id      BLOB    NOT NULL,
    dimensions_key TEXT    NOT NULL,
    delta_total    INTEGER NOT NULL CHECK (delta_total >= 0),
    incarnation    BLOB    NOT NULL,
    reset_count    INTEGER NOT NULL,
    updated_at_ms  INTEGER NOT NULL,

    PRIMARY KEY (partition_key, execution_id, spent_on, budget_id, dimensions_key)
) STRICT, WITHOUT ROWID;

-- The keys of reports that were applied, until expires_at_ms.
CREATE TABLE ff_budget_usage_dedup (
    partition_key    INTEGER NOT NULL,
    budget_id        BLOB    NOT NULL,
    operation_family TEXT    NOT NULL CHECK (operation_family = 'report_usage' OR operation_family = 'record_spend'),
    dedup_key        TEXT    NOT NULL,
    incarnation      BLOB    NOT NULL,
    applied_at_ms    INTEGER NOT NULL,
    expires_at_ms    INTEGER NOT NULL,

    PRIMARY KEY (partition_key, budget_id, operation_family, dedup_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX ff_budget_usage_dedup_expiry ON ff_budget_usage_dedup (expires_at_ms);
