-- Accepted signals belong to the execution, and a suspension that was satisfied is known by its key for as long as the
-- execution is there.
--
-- Not compatible: an engine that does not know the new columns closes a suspension without settling its key, and the
-- next attempt would ask again.

-- Which run of the execution accepted a signal, for which suspension, and whether it satisfied that suspension's
-- condition. What was accepted before belongs to the first run: an execution that was replayed begins without signals.
ALTER TABLE ff_signal ADD COLUMN suspension_id BLOB;
ALTER TABLE ff_signal ADD COLUMN satisfied INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ff_signal ADD COLUMN replay_count INTEGER NOT NULL DEFAULT 0;

UPDATE ff_signal SET suspension_id =
    (SELECT w.suspension_id FROM ff_waitpoint_pending AS w
     WHERE w.partition_key = ff_signal.partition_key AND w.waitpoint_id = ff_signal.waitpoint_id);

-- Of the last suspension every signal is known that satisfied it, of those before only the one that completed it.
UPDATE ff_signal SET satisfied = 1
    WHERE observed_effect = 'resume_condition_satisfied' AND source_identity <> 'suspension_timeout';
UPDATE ff_signal SET satisfied = 1
    WHERE EXISTS (SELECT 1 FROM ff_suspension_current AS c, json_each(c.satisfied_set) AS seq
                  WHERE c.partition_key = ff_signal.partition_key AND c.execution_id = ff_signal.execution_id
                      AND c.suspension_id = ff_signal.suspension_id AND c.close_reason = 'resumed'
                      AND seq.value = ff_signal.seq);

-- Present while the suspension is open, and from its satisfaction to the end of the execution; so nothing lapses.
DROP INDEX ff_suspend_dedup_expiry;
ALTER TABLE ff_suspend_dedup ADD COLUMN satisfied_at_ms INTEGER;
ALTER TABLE ff_suspend_dedup ADD COLUMN replay_count INTEGER NOT NULL DEFAULT 0;

-- An id in a document, written as an id is: 32 digits without their dashes, in lower case.
UPDATE ff_suspend_dedup
    SET satisfied_at_ms = created_at_ms,
        outcome_json = json_set(outcome_json, '$.variant', 'AlreadySatisfied', '$.handle_opaque_hex', NULL, '$.signals',
            (SELECT json_group_array(s.seq) FROM
                (SELECT seq FROM ff_signal
                 WHERE partition_key = ff_suspend_dedup.partition_key AND execution_id = ff_suspend_dedup.execution_id
                     AND lower(hex(suspension_id)) = replace(json_extract(outcome_json, '$.suspension_id'), '-', '')
                 ORDER BY seq) AS s))
    WHERE json_extract(outcome_json, '$.variant') = 'AlreadySatisfied'
        OR EXISTS (SELECT 1 FROM ff_signal AS s
                   WHERE s.partition_key = ff_suspend_dedup.partition_key
                       AND s.execution_id = ff_suspend_dedup.execution_id AND s.satisfied
                       AND lower(hex(s.suspension_id)) = replace(json_extract(outcome_json, '$.suspension_id'), '-', ''))
        OR EXISTS (SELECT 1 FROM ff_suspension_current AS c
                   WHERE c.partition_key = ff_suspend_dedup.partition_key
                       AND c.execution_id = ff_suspend_dedup.execution_id AND c.close_reason = 'resumed'
                       AND lower(hex(c.suspension_id)) = replace(json_extract(outcome_json, '$.suspension_id'), '-', ''));
-- What is neither satisfied nor open opens another suspension.
DELETE FROM ff_suspend_dedup
    WHERE satisfied_at_ms IS NULL
        AND NOT EXISTS (SELECT 1 FROM ff_suspension_current AS c
                        WHERE c.partition_key = ff_suspend_dedup.partition_key
                            AND c.execution_id = ff_suspend_dedup.execution_id AND c.closed_at_ms IS NULL
                            AND lower(hex(c.suspension_id))
                                = replace(json_extract(outcome_json, '$.suspension_id'), '-', ''));
UPDATE ff_suspend_dedup SET expires_at_ms = 9223372036854775807;
