-- The claim index goes by a column of its own: the class whose workers may claim the execution; 0 while a budget, a quota,
-- a route, a lane or an operator holds it back; nothing in any other state. It used to go by eligibility_state, as did an
-- index of all blocked executions. So the end of a member that waits for others, which nobody can claim before or after
-- it, wrote to every index of the table; now it writes to none. Those members are listed through their flows.
--
-- Not compatible: an engine that does not know the column is refused by the check, before it can hide its work from all
-- others.
ALTER TABLE ff_exec_core DROP CONSTRAINT ff_exec_core_legal_vector, ADD COLUMN claim_class integer;
DROP FUNCTION ff_is_legal_vector;

UPDATE ff_exec_core SET claim_class = class_id WHERE eligibility_state = 'eligible_now';
UPDATE ff_exec_core SET claim_class = 0
    WHERE eligibility_state IN ('blocked_by_budget', 'blocked_by_quota', 'blocked_by_route', 'blocked_by_lane_state',
                                'blocked_by_operator');

DROP INDEX ff_exec_core_claim, ff_exec_core_blocked;
CREATE INDEX ff_exec_core_claim ON ff_exec_core (claim_class, priority DESC, created_at_ms, execution_id)
    WHERE claim_class IS NOT NULL;

CREATE FUNCTION ff_is_legal_execution(
    lifecycle_phase text, ownership_state text, eligibility_state text, public_state text, attempt_state text,
    blocking_reason text, terminal_outcome text, class_id integer, claim_class integer
) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN
        CASE lifecycle_phase
        WHEN 'active' THEN
            claim_class IS NULL AND public_state = 'active' AND eligibility_state = 'not_applicable'
            AND terminal_outcome = 'none'
            AND CASE ownership_state
                WHEN 'leased' THEN
                    attempt_state = 'running_attempt' AND blocking_reason = 'none'
                ELSE
                    ownership_state IN ('lease_expired_reclaimable', 'lease_revoked')
                    AND attempt_state = 'attempt_interrupted' AND blocking_reason = 'waiting_for_worker'
                END
        WHEN 'terminal' THEN
            claim_class IS NULL AND ownership_state = 'unowned' AND eligibility_state = 'not_applicable'
            AND blocking_reason = 'none' AND attempt_state IN ('attempt_terminal', 'none')
            AND CASE terminal_outcome
                WHEN 'success' THEN public_state = 'completed'
                ELSE terminal_outcome IN ('failed', 'cancelled', 'expired', 'skipped')
                     AND public_state = terminal_outcome
                END
        WHEN 'runnable' THEN
            ownership_state = 'unowned' AND terminal_outcome = 'none'
            AND attempt_state IN ('pending_first_attempt', 'pending_retry_attempt', 'pending_replay_attempt',
                                  'attempt_interrupted')
            AND claim_class IS NOT DISTINCT FROM CASE
                WHEN eligibility_state = 'eligible_now' THEN class_id
                WHEN eligibility_state NOT IN ('not_eligible_until_time', 'blocked_by_dependencies') THEN 0
                END
            AND CASE eligibility_state
                WHEN 'eligible_now' THEN
                    blocking_reason = 'waiting_for_worker'
                    AND public_state = CASE attempt_state WHEN 'attempt_interrupted' THEN 'resumable'
                                                          ELSE 'waiting' END
                WHEN 'not_eligible_until_time' THEN
                    public_state = 'delayed' AND blocking_reason IN ('waiting_for_delay', 'waiting_for_retry_backoff',
                                                                     'waiting_for_resume_delay')
                WHEN 'blocked_by_dependencies' THEN
                    public_state = 'waiting_children' AND blocking_reason = 'waiting_for_children'
                WHEN 'blocked_by_budget' THEN
                    public_state = 'rate_limited' AND blocking_reason = 'waiting_for_budget'
                WHEN 'blocked_by_quota' THEN
                    public_state = 'rate_limited' AND blocking_reason = 'waiting_for_quota'
                WHEN 'blocked_by_route' THEN
                    public_state = 'waiting' AND blocking_reason IN ('waiting_for_capable_worker',
                                                                     'waiting_for_locality_match')
                ELSE
                    eligibility_state IN ('blocked_by_lane_state', 'blocked_by_operator') AND public_state = 'waiting'
                    AND blocking_reason IN ('paused_by_policy', 'paused_by_operator', 'paused_by_flow_cancel')
                END
        WHEN 'suspended' THEN
            claim_class IS NULL AND ownership_state = 'unowned' AND eligibility_state = 'not_applicable'
            AND terminal_outcome = 'none' AND attempt_state = 'attempt_interrupted' AND public_state = 'suspended'
            AND blocking_reason IN ('waiting_for_signal', 'waiting_for_approval', 'waiting_for_callback',
                                    'waiting_for_tool_result', 'waiting_for_budget', 'paused_by_operator',
                                    'paused_by_policy', 'paused_by_flow_cancel')
        ELSE false
        END;
END
$$;
ALTER TABLE ff_exec_core ADD CONSTRAINT ff_exec_core_legal_vector CHECK (
    ff_is_legal_execution(lifecycle_phase, ownership_state, eligibility_state, public_state, attempt_state,
                          blocking_reason, terminal_outcome, class_id, claim_class));
