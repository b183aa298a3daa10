-- One action on everything that matches a filter (src/core/bulk/).

CREATE TABLE ff_bulk_operation (
    operation_id          uuid     PRIMARY KEY,
    due_at_ms             bigint   NOT NULL,
    action                text     NOT NULL CHECK (action = ANY ('{cancel,replay,purge}'::text[])),
    reason                text     NOT NULL,
    requester             text     NOT NULL,
    state                 text     NOT NULL CHECK (state = ANY ('{running,done,cancelled}'::text[])),
    created_at_ms         bigint   NOT NULL,
    ended_at_ms           bigint,

    lane_id               text,
    states                text[]   NOT NULL,
    execution_kind        text,
    tag_key               text,
    tag_value             text,
    created_after_ms      bigint,
    created_before_ms     bigint,
    namespace             text,
    flow_id               uuid,

    searched_to_ms        bigint   NOT NULL,
    searched_to_partition smallint NOT NULL,
    searched_to_id        uuid     NOT NULL,
    searched              boolean  NOT NULL,
    open_count            bigint   NOT NULL,
    done_count            bigint   NOT NULL,
    skipped_count         bigint   NOT NULL,
    failed_count          bigint   NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX ff_bulk_operation_due ON ff_bulk_operation (due_at_ms);

-- What an operation has found and not dealt with.
CREATE TABLE ff_bulk_item (
    operation_id  uuid     NOT NULL,
    partition_key smallint NOT NULL,
    execution_id  uuid     NOT NULL,
    found_at_ms   bigint   NOT NULL,

    PRIMARY KEY (operation_id, partition_key, execution_id)
);
CREATE INDEX ff_bulk_item_found ON ff_bulk_item (found_at_ms);
