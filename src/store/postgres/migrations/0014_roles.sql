-- compatible
-- Payloads as text and as JSON, and the rights of workers, submitters and readers.

-- A literal has no type yet, and of several functions PostgreSQL takes the one with text for it: so a literal is its text,
-- a newline or a backslash in it included. Only the function with bytea has a default for the payload, or a call without
-- one would fit them all.
CREATE FUNCTION ff_create_execution(
    execution_kind           text,
    payload                  text,
    lane_id                  text    DEFAULT 'default',
    namespace                text    DEFAULT 'default',
    priority                 integer DEFAULT 0,
    idempotency_key          text    DEFAULT NULL,
    tags                     jsonb   DEFAULT '{}',
    policy                   jsonb   DEFAULT NULL,
    delay_until_ms           bigint  DEFAULT NULL,
    execution_deadline_at_ms bigint  DEFAULT NULL,
    payload_encoding         text    DEFAULT NULL,
    creator_identity         text    DEFAULT session_user,
    execution_id             text    DEFAULT NULL
) RETURNS text LANGUAGE sql VOLATILE AS $$
    SELECT ff_create_execution(execution_kind, convert_to(payload, 'UTF8'), lane_id, namespace, priority, idempotency_key,
                               tags, policy, delay_until_ms, execution_deadline_at_ms, payload_encoding, creator_identity,
                               execution_id)
$$;

CREATE FUNCTION ff_create_execution(
    execution_kind           text,
    payload                  jsonb,
    lane_id                  text    DEFAULT 'default',
    namespace                text    DEFAULT 'default',
    priority                 integer DEFAULT 0,
    idempotency_key          text    DEFAULT NULL,
    tags                     jsonb   DEFAULT '{}',
    policy                   jsonb   DEFAULT NULL,
    delay_until_ms           bigint  DEFAULT NULL,
    execution_deadline_at_ms bigint  DEFAULT NULL,
    payload_encoding         text    DEFAULT NULL,
    creator_identity         text    DEFAULT session_user,
    execution_id             text    DEFAULT NULL
) RETURNS text LANGUAGE sql VOLATILE AS $$
    SELECT ff_create_execution(execution_kind, payload::text, lane_id, namespace, priority, idempotency_key, tags, policy,
                               delay_until_ms, execution_deadline_at_ms, payload_encoding, creator_identity, execution_id)
$$;

CREATE FUNCTION ff_create_execution(
    execution_kind           text,
    payload                  json,
    lane_id                  text    DEFAULT 'default',
    namespace                text    DEFAULT 'default',
    priority                 integer DEFAULT 0,
    idempotency_key          text    DEFAULT NULL,
    tags                     jsonb   DEFAULT '{}',
    policy                   jsonb   DEFAULT NULL,
    delay_until_ms           bigint  DEFAULT NULL,
    execution_deadline_at_ms bigint  DEFAULT NULL,
    payload_encoding         text    DEFAULT NULL,
    creator_identity         text    DEFAULT session_user,
    execution_id             text    DEFAULT NULL
) RETURNS text LANGUAGE sql VOLATILE AS $$
    SELECT ff_create_execution(execution_kind, payload::text, lane_id, namespace, priority, idempotency_key, tags, policy,
                               delay_until_ms, execution_deadline_at_ms, payload_encoding, creator_identity, execution_id)
$$;

-- ---- rights ---------------------------------------------------------------------------------------------------------

-- A worker's engine adds and drops slices of outboxes, which only their owner may: these functions run with the owner's
-- rights, on outboxes and on nothing else. A name that is no outbox has no time column, without which no statement is made.
CREATE OR REPLACE FUNCTION ff_time_column(outbox text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN outbox = 'ff_signal_event' THEN 'delivered_at_ms'
                WHEN outbox IN ('ff_lease_event', 'ff_completion_event', 'ff_operator_event') THEN 'occurred_at_ms' END
$$;

CREATE OR REPLACE FUNCTION ff_trim_outbox(outbox text, through bigint, newest_at_ms bigint) RETURNS void
LANGUAGE plpgsql AS $$
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

-- Nothing of the caller's stands in for what these functions name: its temporary tables come last.
DO $$
DECLARE
    routine record;
BEGIN
    FOR routine IN SELECT p.oid::regprocedure AS signature, p.proname LIKE '%outbox%' OR p.proname = 'ff_oldest_events' AS owners
                   FROM pg_proc AS p
                   WHERE p.pronamespace = quote_ident(current_schema())::regnamespace
                     AND p.proname IN ('ff_create_execution', 'ff_crc16', 'ff_uuid_v7', 'ff_extend_outboxes',
                                       'ff_oldest_events', 'ff_trim_outbox') LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', routine.signature, current_schema());
        IF routine.owners THEN
            EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER', routine.signature);
            EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', routine.signature);
        END IF;
    END LOOP;
END
$$;

-- Gives the roles ff_worker, ff_submitter and ff_reader what they need in this schema, and takes what they had beyond it.
-- Roles belong to the whole server: `renew` leaves out those that have never been given anything here. Every migration
-- ends with it, so that it covers what was added.
CREATE FUNCTION ff_grant_roles(renew boolean) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    grantee  text;
    relation record;
    rights   text;
    routine  regprocedure;
BEGIN
    FOR grantee IN
        SELECT r.rolname FROM pg_roles AS r
        WHERE r.rolname IN ('ff_worker', 'ff_submitter', 'ff_reader')
          AND (NOT renew OR EXISTS (SELECT FROM pg_class AS c, aclexplode(c.relacl) AS a
                                    WHERE c.oid = 'ff_partition_config'::regclass AND a.grantee = r.oid)
                         OR EXISTS (SELECT FROM pg_proc AS p, aclexplode(p.proacl) AS a
                                    WHERE p.pronamespace = quote_ident(current_schema())::regnamespace
                                      AND p.proname = 'ff_create_execution' AND a.grantee = r.oid))
        ORDER BY r.rolname
    LOOP
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), grantee);
        FOR relation IN SELECT c.oid::regclass AS name, c.relname, c.relkind FROM pg_class AS c
                        WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relname LIKE 'ff\_%'
                          AND c.relkind IN ('r', 'p', 'S') AND NOT c.relispartition LOOP
            rights := CASE
                WHEN grantee = 'ff_worker' AND relation.relkind = 'S' THEN 'USAGE, SELECT'
                WHEN grantee = 'ff_worker' AND relation.relname = 'ff_migration_annotation' THEN 'SELECT'
                WHEN grantee = 'ff_worker' AND relation.relname = 'ff_partition_config'
                    THEN 'SELECT, UPDATE (lane_revision, setting_revision)'
                WHEN grantee = 'ff_worker' THEN 'SELECT, INSERT, UPDATE, DELETE'
                WHEN grantee = 'ff_reader' AND relation.relname <> 'ff_waitpoint_hmac' THEN 'SELECT'
                END;
            EXECUTE format('REVOKE ALL ON %s %s FROM %I', CASE relation.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END,
                           relation.name, grantee);
            CONTINUE WHEN rights IS NULL;
            EXECUTE format('GRANT %s ON %s %s TO %I', rights, CASE relation.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END,
                           relation.name, grantee);
        END LOOP;
        FOR routine IN SELECT p.oid FROM pg_proc AS p
                       WHERE p.pronamespace = quote_ident(current_schema())::regnamespace
                         AND CASE grantee
                             WHEN 'ff_submitter' THEN p.proname = 'ff_create_execution'
                             WHEN 'ff_worker' THEN p.proname IN ('ff_extend_outboxes', 'ff_oldest_events', 'ff_trim_outbox')
                             END LOOP
            EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', routine, grantee);
        END LOOP;
        RETURN NEXT grantee;
    END LOOP;
END
$$;

CREATE FUNCTION ff_create_roles() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    missing text;
BEGIN
    FOREACH missing IN ARRAY ARRAY['ff_reader', 'ff_submitter', 'ff_worker'] LOOP
        CONTINUE WHEN EXISTS (SELECT FROM pg_roles AS r WHERE r.rolname = missing);
        BEGIN
            EXECUTE format('CREATE ROLE %I NOLOGIN', missing);
        EXCEPTION
            WHEN duplicate_object OR unique_violation THEN NULL;  -- another database's, at the same moment
        END;
    END LOOP;
    RETURN QUERY SELECT ff_grant_roles(false);
END
$$;

REVOKE ALL ON FUNCTION ff_grant_roles, ff_create_roles FROM PUBLIC;
DO $$
DECLARE
    routine regprocedure;
BEGIN
    FOR routine IN SELECT p.oid FROM pg_proc AS p
                   WHERE p.pronamespace = quote_ident(current_schema())::regnamespace AND p.proname = 'ff_create_execution' LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', routine);
    END LOOP;
END
$$;
