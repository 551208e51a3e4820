-- The form of ../functions/feed_page.sql for a distributed database, where a function cannot insist on one plan.
CREATE OR REPLACE FUNCTION tenure.feed_page(_ledger uuid, _after bigint, _limit bigint)
RETURNS TABLE (
    size bigint, "position" bigint, event_id uuid, stream_id uuid, kind text, version integer, type text, "time" timestamptz,
    entry bytea, code bytea)
LANGUAGE plpgsql STABLE SECURITY INVOKER
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT h.size, e.position, e.event_id, e.stream_id, e.kind, e.version, e.type, e.time, e.entry, e.code
    FROM (SELECT coalesce(max(l.size), 0) AS size FROM tenure.ledger AS l WHERE l.ledger_id = _ledger) AS h
    LEFT JOIN (
        SELECT v.position, v.event_id, v.stream_id, v.kind, v.version, v.type, v.time, v.entry, v.code
        FROM tenure.event AS v
        WHERE v.ledger_id = _ledger AND v.position > _after ORDER BY v.position LIMIT _limit) AS e ON true
    ORDER BY e.position;
END
$$;
