-- compatible
-- An edge is resolved and a group counted in place: on their own page, and with no index to write. An index on what is
-- not resolved yet named a column that each resolution changes; the edges from one execution are few enough to be
-- looked through. Pages that are full already keep no room, so this is for rows to come.
DROP INDEX ff_edge_unresolved;
ALTER TABLE ff_edge SET (fillfactor = 55);
ALTER TABLE ff_edge_group SET (fillfactor = 50);
ALTER TABLE ff_flow_core SET (fillfactor = 50);
