-- What an execution was cancelled for, which says whether its flow fails by it: it used to be told by how the reason
-- begins, which is the caller's text. Executions that were cancelled before are judged by what the engine itself wrote;
-- of their events only those need it whose dispatch is still to come.
--
-- Not compatible: an engine that does not know the column cancels siblings without a cause, and their flows would fail.
ALTER TABLE ff_exec_core
    ADD COLUMN cancellation_cause text,
    ADD CONSTRAINT ff_exec_core_cancellation_cause CHECK (
        cancellation_cause = ANY ('{request,flow,sibling,timeout}'::text[]));
ALTER TABLE ff_completion_event ADD COLUMN cancellation_cause text;

UPDATE ff_exec_core
SET cancellation_cause = CASE
        WHEN cancelled_by = 'system_timeout' THEN 'timeout'
        WHEN cancelled_by IS DISTINCT FROM 'flow_cascade' THEN 'request'
        WHEN cancellation_reason IN ('sibling_quorum_satisfied', 'sibling_quorum_impossible') THEN 'sibling'
        ELSE 'flow'
    END
WHERE terminal_outcome = 'cancelled';

UPDATE ff_completion_event AS e
SET cancellation_cause = c.cancellation_cause
FROM ff_exec_core AS c
WHERE e.dispatched_at_ms IS NULL AND e.outcome = 'cancelled' AND c.partition_key = e.partition_key
    AND c.execution_id = e.execution_id;
