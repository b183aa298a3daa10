-- Cancellation, progress, work that is given back, lane states.

ALTER TABLE ff_exec_core ADD COLUMN cancellation_reason TEXT;
ALTER TABLE ff_exec_core ADD COLUMN cancelled_by TEXT;
ALTER TABLE ff_exec_core ADD COLUMN progress_pct INTEGER;
ALTER TABLE ff_exec_core ADD COLUMN progress_message TEXT;
ALTER TABLE ff_exec_core ADD COLUMN progress_updated_at_ms INTEGER;
ALTER TABLE ff_exec_core ADD COLUMN activity_epoch INTEGER;
ALTER TABLE ff_exec_core ADD COLUMN attempt_time_left_ms INTEGER;
ALTER TABLE ff_exec_core ADD COLUMN last_release TEXT;

ALTER TABLE ff_lane_registry ADD COLUMN state_changed_at_ms INTEGER;

-- Counts the changes of lane states, by which an engine knows whether the states that it remembers still hold.
ALTER TABLE ff_partition_config ADD COLUMN lane_revision INTEGER NOT NULL DEFAULT 0;
