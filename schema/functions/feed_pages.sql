-- The pages of several ledgers in one statement and one snapshot: a row for each that has events after the position given
-- for it, with its place among those asked for, its size and at most `_limit` events as arrays, in order. One row for
-- many events, because a row costs more to send and to read than what is in it. See feed_page.sql.
CREATE OR REPLACE FUNCTION tenure.feed_pages(_ledgers uuid[], _after bigint[], _limit bigint)
RETURNS TABLE (
    ledger integer, size bigint, positions bigint[], event_ids uuid[], stream_ids uuid[], kinds text[], versions integer[],
    types text[], times timestamptz[], entries bytea[], codes bytea[])
LANGUAGE plpgsql STABLE SECURITY INVOKER
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT c.ledger::integer, l.size, e.positions, e.event_ids, e.stream_ids, e.kinds, e.versions, e.types, e.times,
        e.entries, e.codes
    FROM unnest(_ledgers, _after) WITH ORDINALITY AS c(ledger_id, position, ledger)
    CROSS JOIN LATERAL (
        SELECT h.size FROM tenure.ledger AS h
        WHERE h.ledger_id = c.ledger_id AND h.size > c.position OFFSET 0) AS l
    CROSS JOIN LATERAL (
        SELECT array_agg(p.position) AS positions, array_agg(p.event_id) AS event_ids, array_agg(p.stream_id) AS stream_ids,
            array_agg(p.kind) AS kinds, array_agg(p.version) AS versions, array_agg(p.type) AS types,
            array_agg(p.time) AS times, array_agg(p.entry) AS entries, array_agg(p.code) AS codes
        FROM (
            SELECT v.position, v.event_id, v.stream_id, v.kind, v.version, v.type, v.time, v.entry, v.code
            FROM tenure.event AS v
            WHERE v.ledger_id = c.ledger_id AND v.position > c.position ORDER BY v.position LIMIT _limit) AS p) AS e
    WHERE e.positions IS NOT NULL;
END
$$;
