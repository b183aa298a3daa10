-- compatible
-- Consumers that are known by name, and the removal of old events.

-- How far each outbox has been trimmed. Whoever trims it, or changes one of its consumers, holds its row.
CREATE TABLE ff_outbox (
    channel text   PRIMARY KEY CHECK (channel IN ('lease', 'completion', 'signal', 'operator')),
    trimmed bigint NOT NULL DEFAULT 0
);
INSERT INTO ff_outbox (channel) VALUES ('lease'), ('completion'), ('signal'), ('operator');

CREATE TABLE ff_event_consumer (
    channel            text   NOT NULL REFERENCES ff_outbox,
    consumer           text   NOT NULL,
    event_id           bigint NOT NULL,
    registered_at_ms   bigint NOT NULL,
    acknowledged_at_ms bigint NOT NULL,

    PRIMARY KEY (channel, consumer)
);

CREATE FUNCTION ff_time_column(outbox text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE outbox WHEN 'ff_signal_event' THEN 'delivered_at_ms' ELSE 'occurred_at_ms' END
$$;

-- The oldest slice of an outbox, once no more ids are drawn in it, and its `at_once` oldest events; each with its last
-- id and the time of its newest event. A slice goes as a whole, at no cost; events go one by one. Nothing while somebody
-- has been in a transaction for long that may still commit an old id.
CREATE FUNCTION ff_oldest_events(outbox text, at_once bigint)
RETURNS TABLE (last_id bigint, newest_at_ms bigint, whole boolean) LANGUAGE plpgsql STABLE AS $$
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
-- with the outbox and gives up rather than let writers queue behind it. A slice that has got
-- a newer event than `newest_at_ms` since it was looked at is left alone.
CREATE FUNCTION ff_trim_outbox(outbox text, through bigint, newest_at_ms bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    part  text;
    found bigint;
BEGIN
    PERFORM set_config('lock_timeout', '100ms', true);
    FOR part IN SELECT c.relname FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
                WHERE i.inhparent = outbox::regclass AND c.relname ~ '_p\d+$'
                  AND ((substring(c.relname FROM '_p(\d+)$')::bigint + 1) << 24) - 1 <= through LOOP
        EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', part);
        EXECUTE format('SELECT (SELECT %I FROM %I ORDER BY event_id DESC LIMIT 1)', ff_time_column(outbox), part)
            INTO found;
        IF found > coalesce(newest_at_ms, 0) THEN
            RAISE EXCEPTION '% has got a new event', part USING ERRCODE = 'serialization_failure';
        END IF;
        EXECUTE format('DROP TABLE %I', part);
    END LOOP;
    EXECUTE format('DELETE FROM %I WHERE event_id <= $1', outbox) USING through;
END
$$;
