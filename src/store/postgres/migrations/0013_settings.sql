-- What all engines on the store agree on. A setting without a row has its default, which the program knows.
--
-- Not compatible: an engine that does not know the table removes and retries by its own options.
CREATE TABLE ff_setting (
    name          text   NOT NULL PRIMARY KEY,
    value         text   NOT NULL,
    revision      bigint NOT NULL,
    updated_at_ms bigint NOT NULL
);

-- Counts the changes of settings, by which an engine knows whether those that it remembers still hold.
ALTER TABLE ff_partition_config ADD COLUMN setting_revision bigint NOT NULL DEFAULT 0;

-- A change of a setting is an operator event.
ALTER TABLE ff_operator_event
    DROP CONSTRAINT ff_operator_event_subject_kind_check,
    DROP CONSTRAINT ff_operator_event_event_type_check,
    ADD CONSTRAINT ff_operator_event_subject_kind_check CHECK (
        subject_kind = ANY ('{execution,flow,budget,lane,setting}'::text[])),
    ADD CONSTRAINT ff_operator_event_event_type_check CHECK (
        event_type = ANY ('{priority_changed,replayed,flow_cancel_requested,execution_cancelled,lease_revoked,execution_claimed,execution_resumed,suspension_escalated,lane_state_changed,budget_breached,budget_reset,setting_changed}'::text[]));
