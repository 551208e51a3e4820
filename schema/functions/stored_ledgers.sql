-- The ledgers that occur in events, heads or checkpoints, with the number of events that their heads count: 0 without a
-- head. It finds the ledgers of events by skipping through the primary key; DISTINCT would read every event.
CREATE OR REPLACE FUNCTION tenure.stored_ledgers() RETURNS TABLE (ledger_id uuid, size bigint)
LANGUAGE plpgsql STABLE SECURITY INVOKER
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH RECURSIVE found AS (
        (SELECT e.ledger_id FROM tenure.event AS e ORDER BY e.ledger_id LIMIT 1)
        UNION ALL
        SELECT (SELECT e.ledger_id FROM tenure.event AS e WHERE e.ledger_id > f.ledger_id ORDER BY e.ledger_id LIMIT 1)
        FROM found AS f WHERE f.ledger_id IS NOT NULL
    ), known AS (
        SELECT f.ledger_id FROM found AS f WHERE f.ledger_id IS NOT NULL
        UNION SELECT l.ledger_id FROM tenure.ledger AS l WHERE l.size > 0
        UNION SELECT c.ledger_id FROM tenure.checkpoint AS c
    )
    SELECT k.ledger_id, coalesce(l.size, 0) FROM known AS k LEFT JOIN tenure.ledger AS l USING (ledger_id);
END
$$;
