-- The form of ../functions/stored_ledgers.sql for a distributed database, which takes no recursive query over several
-- ledgers. Each node reads the ledgers of its own events.
CREATE OR REPLACE FUNCTION tenure.stored_ledgers() RETURNS TABLE (ledger_id uuid, size bigint)
LANGUAGE plpgsql STABLE SECURITY INVOKER
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT known.ledger_id, max(known.size) FROM (
        SELECT DISTINCT e.ledger_id, 0::bigint AS size FROM tenure.event AS e
        UNION ALL SELECT l.ledger_id, l.size FROM tenure.ledger AS l WHERE l.size > 0
        UNION ALL SELECT c.ledger_id, 0 FROM tenure.checkpoint AS c
    ) AS known GROUP BY known.ledger_id;
END
$$;
