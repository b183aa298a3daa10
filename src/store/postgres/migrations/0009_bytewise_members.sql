-- compatible
-- Ids are in the order of their bytes, whatever the locale of the database. To compare them takes half as long, too.
ALTER TABLE ff_cancel_backlog_member ALTER COLUMN execution_id TYPE text COLLATE "C";
