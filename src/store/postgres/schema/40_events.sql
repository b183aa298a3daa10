-- The outboxes: what happened, in the transaction in which it happened; who follows them, and how old events go.

-- ---- outboxes -------------------------------------------------------------------------------------------------------

-- Partitioned by event_id, so that retention drops slices instead of deleting rows. Ids are unique by construction and
-- every tail reads by id, so one plain index is enough.
--
-- Sequences have CACHE 1, because the watermark of a channel rests on this: whoever may still fill a gap at or below
-- last_value holds a lock on the sequence.
CREATE SEQUENCE ff_lease_event_event_id_seq CACHE 1;
CREATE TABLE ff_lease_event (
    event_id                bigint   NOT NULL DEFAULT nextval('ff_lease_event_event_id_seq'),
    partition_key           smallint NOT NULL,
    execution_id            uuid     NOT NULL,
    namespace               text     NOT NULL,
    instance_tag            text,
    event_type              text     NOT NULL
                            CHECK (event_type = ANY ('{acquired,renewed,reclaimed,released,expired,revoked}'::text[])),
    lease_id                uuid     NOT NULL,
    lease_epoch             bigint   NOT NULL,
    attempt_index           integer  NOT NULL,
    attempt_id              uuid     NOT NULL,
    worker_id               text     NOT NULL,
    worker_instance_id      text     NOT NULL,
    prev_worker_instance_id text,
    reason                  text,
    revoked_by              text     CHECK (revoked_by = ANY ('{operator,backend,reconciler}'::text[])),
    occurred_at_ms          bigint   NOT NULL
) PARTITION BY RANGE (event_id);
ALTER SEQUENCE ff_lease_event_event_id_seq OWNED BY ff_lease_event.event_id;
CREATE INDEX ff_lease_event_event_id ON ff_lease_event (event_id);

CREATE SEQUENCE ff_completion_event_event_id_seq CACHE 1;
CREATE TABLE ff_completion_event (
    event_id           bigint   NOT NULL DEFAULT nextval('ff_completion_event_event_id_seq'),
    partition_key      smallint NOT NULL,
    execution_id       uuid     NOT NULL,
    namespace          text     NOT NULL,
    instance_tag       text,
    flow_id            uuid,
    outcome            text     NOT NULL
                       CHECK (outcome = ANY ('{success,failed,cancelled,expired,skipped}'::text[])),
    cancellation_cause text,    -- for its flow, when the end is dispatched
    occurred_at_ms     bigint   NOT NULL,
    dispatched_at_ms   bigint
) PARTITION BY RANGE (event_id);
ALTER SEQUENCE ff_completion_event_event_id_seq OWNED BY ff_completion_event.event_id;
CREATE INDEX ff_completion_event_event_id ON ff_completion_event (event_id);
-- Completions of flow members that still have edges to resolve; every other row is born dispatched.
CREATE INDEX ff_completion_event_undispatched ON ff_completion_event (event_id) WHERE dispatched_at_ms IS NULL;

CREATE SEQUENCE ff_signal_event_event_id_seq CACHE 1;
CREATE TABLE ff_signal_event (
    event_id        bigint   NOT NULL DEFAULT nextval('ff_signal_event_event_id_seq'),
    partition_key   smallint NOT NULL,
    execution_id    uuid     NOT NULL,
    namespace       text,
    instance_tag    text,
    signal_id       uuid     NOT NULL,
    waitpoint_id    uuid     NOT NULL,
    source_identity text,
    effect          text     NOT NULL,
    delivered_at_ms bigint   NOT NULL
) PARTITION BY RANGE (event_id);
ALTER SEQUENCE ff_signal_event_event_id_seq OWNED BY ff_signal_event.event_id;
CREATE INDEX ff_signal_event_event_id ON ff_signal_event (event_id);

-- execution_id is the subject's: an execution, a flow or a budget. A lane or a setting has none; details name it.
CREATE SEQUENCE ff_operator_event_event_id_seq CACHE 1;
CREATE TABLE ff_operator_event (
    event_id       bigint   NOT NULL DEFAULT nextval('ff_operator_event_event_id_seq'),
    partition_key  smallint NOT NULL,
    execution_id   uuid,
    namespace      text,
    instance_tag   text,
    subject_kind   text     NOT NULL CHECK (subject_kind = ANY ('{execution,flow,budget,lane,setting}'::text[])),
    event_type     text     NOT NULL CHECK (event_type = ANY ('{
                       priority_changed, replayed, flow_cancel_requested, execution_cancelled, lease_revoked,
                       execution_claimed, execution_resumed, suspension_escalated, lane_state_changed, budget_breached,
                       budget_reset, setting_changed, execution_purged}'::text[])),
    details        jsonb    NOT NULL,
    occurred_at_ms bigint   NOT NULL
) PARTITION BY RANGE (event_id);
ALTER SEQUENCE ff_operator_event_event_id_seq OWNED BY ff_operator_event.event_id;
CREATE INDEX ff_operator_event_event_id ON ff_operator_event (event_id);

-- Operator events are rare, so they may notify inside their transaction; the other channels do so behind COMMIT.
CREATE FUNCTION ff_operator_event_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('ff_operator_event', max(event_id)::text) FROM inserted HAVING count(*) > 0;
    RETURN NULL;
END
$$;
CREATE TRIGGER ff_operator_event_notify_trg AFTER INSERT ON ff_operator_event
    REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION ff_operator_event_notify();

-- What operators asked for, and what came of it.
CREATE SEQUENCE ff_audit_event_event_id_seq CACHE 1;
CREATE TABLE ff_audit_event (
    event_id       bigint  NOT NULL DEFAULT nextval('ff_audit_event_event_id_seq'),
    actor          text    NOT NULL,
    action         text    NOT NULL,
    subject        text,
    request_id     text,
    status         integer NOT NULL,
    occurred_at_ms bigint  NOT NULL
) PARTITION BY RANGE (event_id);
ALTER SEQUENCE ff_audit_event_event_id_seq OWNED BY ff_audit_event.event_id;
CREATE INDEX ff_audit_event_event_id ON ff_audit_event (event_id);

-- ---- slices ---------------------------------------------------------------------------------------------------------

-- The safety net: no insert fails for want of a partition.
CREATE TABLE ff_lease_event_default PARTITION OF ff_lease_event DEFAULT;
CREATE TABLE ff_completion_event_default PARTITION OF ff_completion_event DEFAULT;
CREATE TABLE ff_signal_event_default PARTITION OF ff_signal_event DEFAULT;
CREATE TABLE ff_operator_event_default PARTITION OF ff_operator_event DEFAULT;
CREATE TABLE ff_audit_event_default PARTITION OF ff_audit_event DEFAULT;

-- A worker's engine adds and drops slices, which only their owner may: the functions below that do so, or look for what
-- to drop, run with the owner's rights, on outboxes and on nothing else.

-- Keeps, for every outbox, the slice of 2^24 ids in use and two more; returns how many were missing. One caller works,
-- others return at once. ATTACH does not block writers; it needs a moment's lock on the default partition and gives up
-- rather than let readers queue behind it.
CREATE FUNCTION ff_extend_outboxes() RETURNS integer LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    outbox  text;
    current bigint;
    slice   bigint;
    part    text;
    added   integer := 0;
BEGIN
    IF NOT pg_try_advisory_xact_lock(5063511405218291) THEN
        RETURN 0;
    END IF;
    PERFORM set_config('lock_timeout', '200ms', true);
    FOREACH outbox IN ARRAY ARRAY['ff_lease_event', 'ff_completion_event', 'ff_signal_event', 'ff_operator_event',
                                  'ff_audit_event'] LOOP
        EXECUTE format('SELECT last_value >> 24 FROM %I', outbox || '_event_id_seq') INTO current;
        FOR slice IN current .. current + 2 LOOP
            part := outbox || '_p' || slice;
            CONTINUE WHEN to_regclass(quote_ident(part)) IS NOT NULL;
            EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES)',
                           part, outbox);
            EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)',
                           outbox, part, slice << 24, (slice + 1) << 24);
            added := added + 1;
        END LOOP;
    END LOOP;
    RETURN added;
END
$$;

SELECT ff_extend_outboxes();
SET LOCAL lock_timeout TO DEFAULT;  -- the function's own would last until the end of the transaction

-- ---- removal --------------------------------------------------------------------------------------------------------

-- How far each outbox has been trimmed. Whoever trims it, or changes one of its consumers, holds its row.
CREATE TABLE ff_outbox (
    channel text   PRIMARY KEY CHECK (channel IN ('lease', 'completion', 'signal', 'operator', 'audit')),
    trimmed bigint NOT NULL DEFAULT 0
);
INSERT INTO ff_outbox (channel) VALUES ('lease'), ('completion'), ('signal'), ('operator'), ('audit');

-- Consumers that are known by name: how far each has acknowledged, beyond which nothing is trimmed.
CREATE TABLE ff_event_consumer (
    channel            text   NOT NULL REFERENCES ff_outbox,
    consumer           text   NOT NULL,
    event_id           bigint NOT NULL,
    registered_at_ms   bigint NOT NULL,
    acknowledged_at_ms bigint NOT NULL,

    PRIMARY KEY (channel, consumer)
);

-- A name that is no outbox has no time column, without which no statement is made.
CREATE FUNCTION ff_time_column(outbox text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN outbox = 'ff_signal_event' THEN 'delivered_at_ms'
                WHEN outbox IN ('ff_lease_event', 'ff_completion_event', 'ff_operator_event', 'ff_audit_event')
                THEN 'occurred_at_ms' END
$$;

-- The oldest slice of an outbox, once no more ids are drawn in it, and its `at_once` oldest events; each with its last
-- id and the time of its newest event. A slice goes as a whole, at no cost; events go one by one. Nothing while
-- somebody has been in a transaction for long that may still commit an old id.
CREATE FUNCTION ff_oldest_events(outbox text, at_once bigint)
RETURNS TABLE (last_id bigint, newest_at_ms bigint, whole boolean) LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    current bigint;
    slice   bigint;
BEGIN
    PERFORM FROM pg_locks AS l LEFT JOIN pg_stat_activity AS a ON a.pid = l.pid
        WHERE l.relation = (outbox || '_event_id_seq')::regclass AND l.mode = 'RowExclusiveLock' AND l.granted
          AND coalesce(a.xact_start < clock_timestamp() - interval '10 s', true);
    IF FOUND THEN
        RETURN;
    END IF;
    EXECUTE format('SELECT last_value >> 24 FROM %I', outbox || '_event_id_seq') INTO current;
    SELECT min(substring(c.relname FROM '_p(\d+)$')::bigint) INTO slice FROM pg_inherits AS i
        JOIN pg_class AS c ON c.oid = i.inhrelid WHERE i.inhparent = outbox::regclass AND c.relname ~ '_p\d+$';
    IF slice < current THEN
        last_id := ((slice + 1) << 24) - 1;
        whole := true;
        EXECUTE format('SELECT (SELECT %I FROM %I ORDER BY event_id DESC LIMIT 1)', ff_time_column(outbox),
                       outbox || '_p' || slice) INTO newest_at_ms;
        RETURN NEXT;
    END IF;
    RETURN QUERY EXECUTE format('SELECT o.event_id, o.at, false FROM (SELECT e.event_id, e.%I AS at FROM %I AS e '
                                'ORDER BY e.event_id LIMIT $1) AS o ORDER BY o.event_id DESC LIMIT 1',
                                ff_time_column(outbox), outbox) USING at_once;
END
$$;

-- Removes the events up to `through`: whole slices by dropping them, the rest by deleting. A drop needs a moment alone
-- with the outbox and gives up rather than let writers queue behind it. A slice that has got a newer event than
-- `newest_at_ms` since it was looked at is left alone.
CREATE FUNCTION ff_trim_outbox(outbox text, through bigint, newest_at_ms bigint) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    at_column text := ff_time_column(outbox);
    part      text;
    found     bigint;
BEGIN
    IF at_column IS NULL THEN
        RAISE EXCEPTION '% is no outbox', outbox USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM set_config('lock_timeout', '100ms', true);
    FOR part IN SELECT c.relname FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
                WHERE i.inhparent = outbox::regclass AND c.relname ~ '_p\d+$'
                  AND ((substring(c.relname FROM '_p(\d+)$')::bigint + 1) << 24) - 1 <= through LOOP
        EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', part);
        EXECUTE format('SELECT (SELECT %I FROM %I ORDER BY event_id DESC LIMIT 1)', at_column, part) INTO found;
        IF found > coalesce(newest_at_ms, 0) THEN
            RAISE EXCEPTION '% has got a new event', part USING ERRCODE = 'serialization_failure';
        END IF;
        EXECUTE format('DROP TABLE %I', part);
    END LOOP;
    EXECUTE format('DELETE FROM %I WHERE event_id <= $1', outbox) USING through;
END
$$;
