-- Addresses that the events of a channel are sent to (src/core/webhook/). How far that has come stands in
-- ff_event_consumer, for as long as events are kept for it. A secret is encrypted where there is a master key.
CREATE TABLE ff_webhook (
    name                   text    PRIMARY KEY,
    url                    text    NOT NULL,
    channel                text    NOT NULL,
    namespace              text,
    types                  text[]  NOT NULL,
    max_batch              integer NOT NULL,
    source                 text    NOT NULL,
    secret                 bytea   NOT NULL,
    previous_secret        bytea,
    previous_expires_at_ms bigint,
    created_at_ms          bigint  NOT NULL,
    state                  text    NOT NULL CHECK (state = ANY ('{active,paused,dead}'::text[])),
    stopped_at_event_id    bigint,

    owner                  text,
    owned_until_ms         bigint  NOT NULL,
    attempts               integer NOT NULL,
    refused_in_turn        integer NOT NULL,
    failing_since_ms       bigint,
    next_attempt_at_ms     bigint,
    last_error             text,
    last_delivered_at_ms   bigint,
    delivered_count        bigint  NOT NULL,
    failed_count           bigint  NOT NULL,
    set_aside_count        integer NOT NULL,
    redelivering_count     integer NOT NULL
) WITH (fillfactor = 50);

-- Events that were refused for good, until due_at_ms.
CREATE TABLE ff_webhook_failure (
    webhook      text    NOT NULL,
    event_id     bigint  NOT NULL,
    due_at_ms    bigint  NOT NULL,
    event        text    NOT NULL,
    error        text    NOT NULL,
    failed_at_ms bigint  NOT NULL,
    redelivering boolean NOT NULL,

    PRIMARY KEY (webhook, event_id)
);
CREATE INDEX ff_webhook_failure_due ON ff_webhook_failure (due_at_ms);
