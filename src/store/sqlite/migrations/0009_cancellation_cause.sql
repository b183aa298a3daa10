-- What an execution was cancelled for, which says whether its flow fails by it: it used to be told by how the reason
-- begins, which is the caller's text. Executions that were cancelled before are judged by what the engine itself wrote;
-- of their events only those need it whose dispatch is still to come.
--
-- Not compatible: an engine that does not know the column cancels siblings without a cause, and their flows would fail.
ALTER TABLE ff_exec_core ADD COLUMN cancellation_cause TEXT
    CHECK (cancellation_cause = 'request' OR cancellation_cause = 'flow' OR cancellation_cause = 'sibling'
           OR cancellation_cause = 'timeout');
ALTER TABLE ff_completion_event ADD COLUMN cancellation_cause TEXT;

UPDATE ff_exec_core
SET cancellation_cause = CASE
        WHEN cancelled_by = 'system_timeout' THEN 'timeout'
        WHEN cancelled_by IS NOT 'flow_cascade' THEN 'request'
        WHEN cancellation_reason IN ('sibling_quorum_satisfied', 'sibling_quorum_impossible') THEN 'sibling'
        ELSE 'flow'
    END
WHERE terminal_outcome = 'cancelled';

UPDATE ff_completion_event
SET cancellation_cause = (SELECT c.cancellation_cause FROM ff_exec_core AS c
                          WHERE c.partition_key = ff_completion_event.partition_key
                              AND c.execution_id = ff_completion_event.execution_id)
WHERE dispatched_at_ms IS NULL AND outcome = 'cancelled';
