-- The pages of several ledgers in one statement and one snapshot: for those that have events after the position given
-- for them, their size and the events, at most `_limit` of each. See feed_page.sql.
CREATE OR REPLACE FUNCTION tenure.feed_pages(_ledgers uuid[], _after bigint[], _limit bigint)
RETURNS TABLE (ledger integer, size bigint, "position" bigint, event_id uuid, entry bytea)
LANGUAGE plpgsql STABLE SECURITY INVOKER
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT c.ledger::integer, l.size, e.position, e.event_id, e.entry
    FROM unnest(_ledgers, _after) WITH ORDINALITY AS c(ledger_id, position, ledger)
    CROSS JOIN LATERAL (
        SELECT h.size FROM tenure.ledger AS h
        WHERE h.ledger_id = c.ledger_id AND h.size > c.position OFFSET 0) AS l
    CROSS JOIN LATERAL (
        SELECT v.position, v.event_id, v.entry FROM tenure.event AS v
        WHERE v.ledger_id = c.ledger_id AND v.position > c.position ORDER BY v.position LIMIT _limit) AS e;
END
$$;
