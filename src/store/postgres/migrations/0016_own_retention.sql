-- The retention time that an execution's own policy asks for, which used to be read out of the policy wherever it was
-- needed: one damaged policy failed every count of flows that met it. 0: for ever, NULL: the store's setting. What the
-- parser of policies refuses counts as none, and what a bigint cannot hold as the longest time.
--
-- Not compatible: an engine that does not know the column creates executions whose own retention time is ignored.
ALTER TABLE ff_exec_core ADD COLUMN own_retention_ms bigint;

UPDATE ff_exec_core
SET own_retention_ms = least((policy #>> '{stream_policy,retention_ttl_ms}')::numeric, 9223372036854775807)::bigint
WHERE jsonb_typeof(policy #> '{stream_policy,retention_ttl_ms}') = 'number'
    AND policy #>> '{stream_policy,retention_ttl_ms}' ~ '^[0-9]{1,20}$'
    AND lpad(policy #>> '{stream_policy,retention_ttl_ms}', 20, '0') COLLATE "C" <= '18446744073709551615';

-- Where executions were kept for ever, the first look at a flow dropped its note, although members were still to end.
-- Members that have ended lead to their flow; nothing leads to a flow without any.
INSERT INTO ff_flow_retention_due (partition_key, flow_id, remove_at_ms)
SELECT f.partition_key, f.flow_id, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
FROM ff_flow_core AS f
WHERE f.open_members > 0
    OR NOT EXISTS (SELECT FROM ff_exec_core AS m WHERE m.partition_key = f.partition_key AND m.flow_id = f.flow_id)
ON CONFLICT DO NOTHING;
