-- The size of a ledger and its events after a position, in order: at least one row, without an event when there is none.
-- Size and events are of one snapshot. A function so that it is planned once: for every other value of the position a
-- plan of its own would look cheaper than it is to make.
CREATE OR REPLACE FUNCTION tenure.feed_page(_ledger uuid, _after bigint, _limit bigint)
RETURNS TABLE (
    size bigint, "position" bigint, event_id uuid, stream_id uuid, kind text, version integer, type text, "time" timestamptz,
    entry bytea, code bytea)
LANGUAGE plpgsql STABLE SECURITY INVOKER
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT h.size, e.position, e.event_id, e.stream_id, e.kind, e.version, e.type, e.time, e.entry, e.code
    FROM (SELECT coalesce(max(l.size), 0) AS size FROM tenure.ledger AS l WHERE l.ledger_id = _ledger) AS h
    LEFT JOIN LATERAL (
        SELECT v.position, v.event_id, v.stream_id, v.kind, v.version, v.type, v.time, v.entry, v.code
        FROM tenure.event AS v
        WHERE v.ledger_id = _ledger AND v.position > _after ORDER BY v.position LIMIT _limit) AS e ON true
    ORDER BY e.position;
END
$$;
