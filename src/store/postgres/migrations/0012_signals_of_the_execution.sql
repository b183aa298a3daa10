-- Accepted signals belong to the execution, and a suspension that was satisfied is known by its key for as long as the
-- execution is there.
--
-- Not compatible: an engine that does not know the new columns closes a suspension without settling its key, and the
-- next attempt would ask again.

-- Which run of the execution accepted a signal, for which suspension, and whether it satisfied that suspension's
-- condition. What was accepted before belongs to the first run: an execution that was replayed begins without signals.
ALTER TABLE ff_signal
    ADD COLUMN suspension_id uuid,
    ADD COLUMN satisfied     boolean NOT NULL DEFAULT false,
    ADD COLUMN replay_count  integer NOT NULL DEFAULT 0;

UPDATE ff_signal AS s SET suspension_id = w.suspension_id
    FROM ff_waitpoint_pending AS w
    WHERE w.partition_key = s.partition_key AND w.waitpoint_id = s.waitpoint_id AND w.suspension_id IS NOT NULL;

-- Of the last suspension every signal is known that satisfied it, of those before only the one that completed it.
UPDATE ff_signal SET satisfied = true
    WHERE observed_effect = 'resume_condition_satisfied' AND source_identity <> 'suspension_timeout';
UPDATE ff_signal AS s SET satisfied = true
    FROM ff_suspension_current AS c
    WHERE c.partition_key = s.partition_key AND c.execution_id = s.execution_id AND c.suspension_id = s.suspension_id
        AND c.close_reason = 'resumed' AND c.satisfied_set @> to_jsonb(s.seq);

-- Present while the suspension is open, and from its satisfaction to the end of the execution; so nothing lapses.
DROP INDEX ff_suspend_dedup_expiry;
ALTER TABLE ff_suspend_dedup
    ADD COLUMN satisfied_at_ms bigint,
    ADD COLUMN replay_count    integer NOT NULL DEFAULT 0;

UPDATE ff_suspend_dedup AS d
    SET satisfied_at_ms = d.created_at_ms,
        outcome_json = d.outcome_json || jsonb_build_object(
            'variant', 'AlreadySatisfied', 'handle_opaque_hex', NULL,
            'signals', (SELECT coalesce(jsonb_agg(s.seq ORDER BY s.seq), '[]') FROM ff_signal AS s
                        WHERE s.partition_key = d.partition_key AND s.execution_id = d.execution_id
                            AND s.suspension_id::text = d.outcome_json ->> 'suspension_id'))
    WHERE d.outcome_json ->> 'variant' = 'AlreadySatisfied'
        OR EXISTS (SELECT FROM ff_signal AS s
                   WHERE s.partition_key = d.partition_key AND s.execution_id = d.execution_id AND s.satisfied
                       AND s.suspension_id::text = d.outcome_json ->> 'suspension_id')
        OR EXISTS (SELECT FROM ff_suspension_current AS c
                   WHERE c.partition_key = d.partition_key AND c.execution_id = d.execution_id
                       AND c.suspension_id::text = d.outcome_json ->> 'suspension_id' AND c.close_reason = 'resumed');
-- What is neither satisfied nor open opens another suspension.
DELETE FROM ff_suspend_dedup AS d
    WHERE d.satisfied_at_ms IS NULL
        AND NOT EXISTS (SELECT FROM ff_suspension_current AS c
                        WHERE c.partition_key = d.partition_key AND c.execution_id = d.execution_id
                            AND c.suspension_id::text = d.outcome_json ->> 'suspension_id'
                            AND c.closed_at_ms IS NULL);
UPDATE ff_suspend_dedup SET expires_at_ms = 9223372036854775807;
