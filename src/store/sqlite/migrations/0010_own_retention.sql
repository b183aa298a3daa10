-- The retention time that an execution's own policy asks for, which used to be read out of the policy wherever it was
-- needed. 0: for ever, NULL: the store's setting. What the parser of policies refuses counts as none, and what 64 bits
-- with a sign cannot hold as the longest time.
--
-- Not compatible: an engine that does not know the column creates executions whose own retention time is ignored.
ALTER TABLE ff_exec_core ADD COLUMN own_retention_ms INTEGER;

UPDATE ff_exec_core
SET own_retention_ms =
    (SELECT CAST(given.ms AS INTEGER)
     FROM (SELECT json_type(sound.json, '$.stream_policy.retention_ttl_ms') AS type,
                  json_extract(sound.json, '$.stream_policy.retention_ttl_ms') AS ms
           FROM (SELECT CASE WHEN json_valid(policy) THEN policy END AS json) AS sound) AS given
     WHERE given.type = 'integer' AND given.ms BETWEEN 0 AND 18446744073709551615)
WHERE policy LIKE '%retention_ttl_ms%';

-- Where executions were kept for ever, the first look at a flow dropped its note, although members were still to end.
-- Members that have ended lead to their flow; nothing leads to a flow without any.
INSERT OR IGNORE INTO ff_flow_retention_due (partition_key, flow_id, remove_at_ms)
SELECT f.partition_key, f.flow_id, CAST(strftime('%s', 'now') AS INTEGER) * 1000
FROM ff_flow_core AS f
WHERE f.open_members > 0
    OR NOT EXISTS (SELECT 1 FROM ff_exec_core AS m WHERE +m.partition_key = f.partition_key AND m.flow_id = f.flow_id);
