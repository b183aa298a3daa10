-- compatible
-- A writer that plans while a table is empty sees no difference between its primary key and any other index with a
-- column of it, and goes on looking rows up by their partition alone. The other indexes do without that column: what
-- they find is unique enough.
DROP INDEX ff_claim_grant_execution, ff_waitpoint_pending_execution, ff_waitpoint_pending_open,
    ff_signal_dedup_execution, ff_edge_downstream, ff_edge_upstream, ff_edge_unresolved;
CREATE INDEX ff_claim_grant_execution ON ff_claim_grant (execution_id);
CREATE INDEX ff_waitpoint_pending_execution ON ff_waitpoint_pending (execution_id);
CREATE INDEX ff_waitpoint_pending_open ON ff_waitpoint_pending (execution_id) WHERE state <> 'closed';
CREATE INDEX ff_signal_dedup_execution ON ff_signal_dedup (execution_id);
CREATE INDEX ff_edge_downstream ON ff_edge (downstream_eid);
CREATE INDEX ff_edge_upstream ON ff_edge (upstream_eid);
CREATE INDEX ff_edge_unresolved ON ff_edge (upstream_eid) WHERE dependency_state = 'unsatisfied';
