-- The inbox: executions that users' own transactions ask for, with ff_create_execution (docs/sql.md).

-- A row stays until an engine turns it into an execution. An open transaction holds only its own rows here, which
-- engines neither see nor wait for.
CREATE TABLE ff_submission (
    submission_id            bigint   NOT NULL GENERATED ALWAYS AS IDENTITY UNIQUE,
    partition_key            smallint NOT NULL,
    execution_id             uuid     NOT NULL,
    submitted_at_ms          bigint   NOT NULL,
    namespace                text     NOT NULL,
    lane_id                  text     NOT NULL,
    execution_kind           text     NOT NULL,
    payload                  bytea    NOT NULL,
    payload_encoding         text,
    priority                 integer  NOT NULL,
    creator_identity         text     NOT NULL,
    idempotency_key          text,
    tags                     jsonb    NOT NULL,
    policy                   jsonb,
    delay_until_ms           bigint,
    execution_deadline_at_ms bigint,

    PRIMARY KEY (partition_key, execution_id)
);
ALTER TABLE ff_submission ALTER COLUMN payload SET STORAGE EXTERNAL;
-- Two submissions with one key meet here; the second waits for the first one's transaction and then gets its id.
CREATE UNIQUE INDEX ff_submission_idempotency ON ff_submission (namespace, idempotency_key)
    WHERE idempotency_key IS NOT NULL;

-- CRC-16/XMODEM, by which a lane names its partition.
CREATE FUNCTION ff_crc16(bytes bytea) RETURNS integer LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path FROM CURRENT AS $$
DECLARE
    crc integer := 0;
BEGIN
    FOR i IN 0 .. length(bytes) - 1 LOOP
        crc := crc # (get_byte(bytes, i) << 8);
        FOR bit IN 1 .. 8 LOOP
            crc := CASE WHEN crc & 32768 <> 0 THEN (crc << 1) # 4129 ELSE crc << 1 END & 65535;
        END LOOP;
    END LOOP;
    RETURN crc;
END
$$;

-- A UUIDv7: 48 bits of milliseconds, the version, then the random bits of a version 4.
CREATE FUNCTION ff_uuid_v7() RETURNS uuid LANGUAGE sql VOLATILE SET search_path FROM CURRENT AS $$
    SELECT encode(set_byte(overlay(uuid_send(gen_random_uuid())
                                   PLACING substring(int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)
                                                     FROM 3)
                                   FROM 1 FOR 6),
                           6, 112 | (get_byte(uuid_send(gen_random_uuid()), 6) & 15)), 'hex')::uuid
$$;

-- Asks for an execution inside the caller's own transaction and returns its id, `{fp:N}:<uuid>`; with an idempotency
-- key, that of the execution that has the key already. Shapes are checked here, at once; everything else when an engine
-- takes the submission in, and what is refused then is a failed execution that says why.
CREATE FUNCTION ff_create_execution(
    execution_kind           text,
    payload                  bytea   DEFAULT '',
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
) RETURNS text LANGUAGE plpgsql VOLATILE
SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_variable
DECLARE
    id_parts  text[];
    own_part  smallint;
    own_uuid  uuid;
    key       text := nullif(idempotency_key, '');
    now_ms    bigint;
    original  text;
    added     bigint;
BEGIN
    IF execution_kind IS NULL OR payload IS NULL OR lane_id IS NULL OR namespace IS NULL OR priority IS NULL
       OR tags IS NULL OR creator_identity IS NULL THEN
        RAISE EXCEPTION 'ff_create_execution: only idempotency_key, policy, delay_until_ms, execution_deadline_at_ms, payload_encoding and execution_id may be null'
            USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF octet_length(lane_id) NOT BETWEEN 1 AND 64 OR lane_id !~ '^[\x20-\x7e]+$' THEN
        RAISE EXCEPTION 'ff_create_execution: lane_id: a lane has 1 to 64 printable characters'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF octet_length(namespace) NOT BETWEEN 1 AND 256 OR namespace ~ '[\s[:cntrl:]]' THEN
        RAISE EXCEPTION 'ff_create_execution: namespace: 1 to 256 bytes without whitespace or control characters'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF octet_length(execution_kind) > 256 THEN
        RAISE EXCEPTION 'ff_create_execution: execution_kind: longer than 256 bytes'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF octet_length(payload) > 67108864 THEN
        RAISE EXCEPTION 'ff_create_execution: payload: longer than 64 MiB'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF octet_length(key) > 1024 THEN
        RAISE EXCEPTION 'ff_create_execution: idempotency_key: longer than 1024 bytes'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF jsonb_typeof(tags) <> 'object' OR jsonb_typeof(policy) <> 'object' THEN
        RAISE EXCEPTION 'ff_create_execution: tags and policy are JSON objects'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;

    IF execution_id IS NULL THEN
        own_part := ff_crc16(convert_to(lane_id, 'UTF8'))
                    % (SELECT c.num_flow_partitions FROM ff_partition_config AS c);
        own_uuid := ff_uuid_v7();
    ELSE
        id_parts := regexp_match(execution_id, '^\{fp:(0|[1-9][0-9]{0,4})\}:([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$');
        IF id_parts IS NULL
           OR id_parts[1]::integer >= (SELECT c.num_flow_partitions FROM ff_partition_config AS c) THEN
            RAISE EXCEPTION 'ff_create_execution: execution_id: expected {fp:N}:<uuid> with N below the number of partitions'
                USING ERRCODE = 'invalid_parameter_value';
        END IF;
        own_part := id_parts[1];
        own_uuid := id_parts[2];
    END IF;
    now_ms := floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;

    -- Whoever held the key before us has either left a row in ff_idempotency_key or is still in the inbox, where the
    -- unique index makes us wait for it: looking behind our own insert finds it in any order of events.
    LOOP
        INSERT INTO ff_submission (partition_key, execution_id, submitted_at_ms, namespace, lane_id, execution_kind,
                                   payload, payload_encoding, priority, creator_identity, idempotency_key, tags, policy,
                                   delay_until_ms, execution_deadline_at_ms)
        VALUES (own_part, own_uuid, now_ms, namespace, lane_id, execution_kind, payload, payload_encoding, priority,
                creator_identity, key, tags, policy, delay_until_ms, execution_deadline_at_ms)
        ON CONFLICT DO NOTHING;
        GET DIAGNOSTICS added = ROW_COUNT;
        SELECT format('{fp:%s}:%s', k.execution_partition, k.execution_id) INTO original
            FROM ff_idempotency_key AS k
            WHERE k.partition_key = ff_crc16(convert_to(namespace, 'UTF8') || '\x00'::bytea || convert_to(key, 'UTF8'))
                                    % (SELECT c.num_flow_partitions FROM ff_partition_config AS c)
              AND k.namespace = ff_create_execution.namespace AND k.idempotency_key = key AND k.expires_at_ms > now_ms;
        IF original IS NOT NULL THEN
            IF added > 0 THEN
                DELETE FROM ff_submission AS s WHERE s.partition_key = own_part AND s.execution_id = own_uuid;
            END IF;
            RETURN original;
        END IF;
        IF added > 0 THEN
            PERFORM pg_notify('ff_work', '');
            RETURN format('{fp:%s}:%s', own_part, own_uuid);
        END IF;
        SELECT format('{fp:%s}:%s', s.partition_key, s.execution_id) INTO original
            FROM ff_submission AS s
            WHERE (s.namespace = ff_create_execution.namespace AND s.idempotency_key = key)
               OR (s.partition_key = own_part AND s.execution_id = own_uuid)
            LIMIT 1;
        IF original IS NOT NULL THEN
            RETURN original;
        END IF;
    END LOOP;
END
$$;

-- The payload as text and as JSON. A literal has no type yet, and of several functions PostgreSQL takes the one with
-- text for it: so a literal is its text, a newline or a backslash in it included. Only the function with bytea has a
-- default for the payload, or a call without one would fit them all.
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
) RETURNS text LANGUAGE sql VOLATILE SET search_path FROM CURRENT AS $$
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
) RETURNS text LANGUAGE sql VOLATILE SET search_path FROM CURRENT AS $$
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
) RETURNS text LANGUAGE sql VOLATILE SET search_path FROM CURRENT AS $$
    SELECT ff_create_execution(execution_kind, payload::text, lane_id, namespace, priority, idempotency_key, tags, policy,
                               delay_until_ms, execution_deadline_at_ms, payload_encoding, creator_identity, execution_id)
$$;
