-- What the roles ff_worker, ff_submitter and ff_reader may do here (docs/operations.md). Nobody can log in as one.
--
-- Roles belong to the whole server, so a schema gives them nothing until `ff migrate --roles` calls ff_create_roles().
-- Only ff_submitter gets its functions with the schema.

-- Gives the roles what they need in this schema, and takes what they had beyond it; returns their names. `renew` leaves
-- out those that have never been given anything here: every migration ends with that, so that it covers what was added.
CREATE FUNCTION ff_grant_roles(renew boolean) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    here    oid := quote_ident(current_schema())::regnamespace;
    grantee text;
    object  record;
BEGIN
    FOR grantee IN
        SELECT r.rolname FROM pg_roles AS r
        WHERE r.rolname IN ('ff_worker', 'ff_submitter', 'ff_reader')
          AND (NOT renew OR EXISTS (SELECT FROM pg_class AS c, aclexplode(c.relacl) AS a
                                    WHERE c.oid = 'ff_partition_config'::regclass AND a.grantee = r.oid)
                         OR EXISTS (SELECT FROM pg_proc AS p, aclexplode(p.proacl) AS a
                                    WHERE p.pronamespace = here AND p.proname = 'ff_create_execution'
                                      AND a.grantee = r.oid))
        ORDER BY r.rolname
    LOOP
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), grantee);
        FOR object IN
            WITH may (role, kind, name, rights) AS (VALUES
                -- A name goes before *, which is every other one of ours.
                ('ff_worker', 'TABLE', '*', 'SELECT, INSERT, UPDATE, DELETE'),
                ('ff_worker', 'TABLE', 'ff_migration_annotation', 'SELECT'),
                ('ff_worker', 'TABLE', 'ff_partition_config', 'SELECT, UPDATE (lane_revision, setting_revision)'),
                ('ff_worker', 'SEQUENCE', '*', 'USAGE, SELECT'),
                ('ff_worker', 'FUNCTION', 'ff_extend_outboxes', 'EXECUTE'),
                ('ff_worker', 'FUNCTION', 'ff_oldest_events', 'EXECUTE'),
                ('ff_worker', 'FUNCTION', 'ff_trim_outbox', 'EXECUTE'),

                ('ff_submitter', 'FUNCTION', 'ff_create_execution', 'EXECUTE'),

                ('ff_reader', 'TABLE', '*', 'SELECT'),
                ('ff_reader', 'TABLE', 'ff_waitpoint_hmac', NULL),  -- the signing keys
                ('ff_reader', 'TABLE', 'ff_api_token', NULL),
                ('ff_reader', 'TABLE', 'ff_webhook', NULL),  -- their secrets
                ('ff_reader', 'SEQUENCE', '*', 'SELECT')
            ), ours (kind, name, signature) AS (
                SELECT CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, c.relname::text, c.oid::regclass::text
                FROM pg_class AS c
                WHERE c.relnamespace = here AND c.relname LIKE 'ff\_%' AND c.relkind IN ('r', 'p', 'S')
                  AND NOT c.relispartition
                UNION ALL
                SELECT 'FUNCTION', p.proname::text, p.oid::regprocedure::text FROM pg_proc AS p
                WHERE p.pronamespace = here AND p.proname IN (SELECT m.name FROM may AS m WHERE m.kind = 'FUNCTION')
            )
            SELECT o.kind, o.signature, (SELECT m.rights FROM may AS m
                                         WHERE m.role = grantee AND m.kind = o.kind AND m.name IN (o.name, '*')
                                         ORDER BY m.name = '*' LIMIT 1) AS rights
            FROM ours AS o
        LOOP
            EXECUTE format('REVOKE ALL ON %s %s FROM %I', object.kind, object.signature, grantee);
            IF object.rights IS NOT NULL THEN
                EXECUTE format('GRANT %s ON %s %s TO %I', object.rights, object.kind, object.signature, grantee);
            END IF;
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

-- These are for the owner and for whom they are granted to, which ff_submitter is here. That role may be there already,
-- of another database, or the migrating user may not be allowed to make it.
DO $$
DECLARE
    routine record;
BEGIN
    FOR routine IN SELECT p.oid::regprocedure AS signature FROM pg_proc AS p
                   WHERE p.pronamespace = quote_ident(current_schema())::regnamespace
                     AND p.proname IN ('ff_create_execution', 'ff_extend_outboxes', 'ff_oldest_events',
                                       'ff_trim_outbox', 'ff_grant_roles', 'ff_create_roles') LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', routine.signature);
    END LOOP;

    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'ff_submitter') THEN
        BEGIN
            CREATE ROLE ff_submitter NOLOGIN;
        EXCEPTION
            WHEN duplicate_object OR unique_violation THEN NULL;
            WHEN insufficient_privilege THEN
                RAISE WARNING 'the role ff_submitter could not be created; grant ff_create_execution by hand';
                RETURN;
        END;
    END IF;
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO ff_submitter', current_schema());
    FOR routine IN SELECT p.oid::regprocedure AS signature FROM pg_proc AS p
                   WHERE p.pronamespace = quote_ident(current_schema())::regnamespace
                     AND p.proname = 'ff_create_execution' LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO ff_submitter', routine.signature);
    END LOOP;
END
$$;
