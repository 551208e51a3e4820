-- A mark of the present state for the next look, and the heads that changed since an earlier mark: those of transactions
-- that were in progress then, or began later. At least one row, without a ledger when nothing changed or without `_since`.
-- Nothing can be skipped by committing late, because a transaction that the earlier mark saw as running is asked for by
-- its own number; and the cost is that of what changed, whatever the number of ledgers and however long other
-- transactions last.
--
-- A transaction that the present snapshot sees is below its xmax; the upper limit leaves out numbers that a restored
-- dump has brought from another server. Sequential scans are off because plans are kept for long, and they are kept because
-- the language is PL/pgSQL: a function in SQL would be planned at each call.
CREATE OR REPLACE FUNCTION tenure.changed_ledgers(_since pg_snapshot)
RETURNS TABLE (mark text, ledger_id uuid, size bigint)
LANGUAGE plpgsql STABLE SECURITY INVOKER
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT pg_current_snapshot()::text, c.ledger_id, c.size FROM (VALUES (1)) AS one
    LEFT JOIN (
        SELECT l.ledger_id, l.size FROM tenure.ledger AS l
        WHERE l.changed >= pg_snapshot_xmax(_since) AND l.changed < pg_snapshot_xmax(pg_current_snapshot())
        UNION ALL
        SELECT l.ledger_id, l.size FROM pg_snapshot_xip(_since) AS running(id)
        CROSS JOIN LATERAL (
            SELECT v.ledger_id, v.size FROM tenure.ledger AS v WHERE v.changed = running.id OFFSET 0) AS l
    ) AS c ON true;
END
$$;
