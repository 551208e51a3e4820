-- The form of ../functions/feed_pages.sql for a distributed database: one statement for each ledger.
CREATE OR REPLACE FUNCTION tenure.feed_pages(_ledgers uuid[], _after bigint[], _limit bigint)
RETURNS TABLE (
    ledger integer, size bigint, positions bigint[], event_ids uuid[], stream_ids uuid[], kinds text[], versions integer[],
    types text[], times timestamptz[], entries bytea[], codes bytea[])
LANGUAGE plpgsql STABLE SECURITY INVOKER
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    _ledger uuid;
    _position bigint;
BEGIN
    FOR _place IN 1 .. coalesce(cardinality(_ledgers), 0) LOOP
        _ledger := _ledgers[_place];
        _position := _after[_place];
        RETURN QUERY
        SELECT _place, l.size, e.positions, e.event_ids, e.stream_ids, e.kinds, e.versions, e.types, e.times, e.entries,
            e.codes
        FROM (SELECT h.size FROM tenure.ledger AS h WHERE h.ledger_id = _ledger AND h.size > _position) AS l
        CROSS JOIN (
            SELECT array_agg(p.position ORDER BY p.position) AS positions,
                array_agg(p.event_id ORDER BY p.position) AS event_ids,
                array_agg(p.stream_id ORDER BY p.position) AS stream_ids,
                array_agg(p.kind ORDER BY p.position) AS kinds,
                array_agg(p.version ORDER BY p.position) AS versions,
                array_agg(p.type ORDER BY p.position) AS types,
                array_agg(p.time ORDER BY p.position) AS times,
                array_agg(p.entry ORDER BY p.position) AS entries,
                array_agg(p.code ORDER BY p.position) AS codes
            FROM (
                SELECT v.position, v.event_id, v.stream_id, v.kind, v.version, v.type, v.time, v.entry, v.code
                FROM tenure.event AS v
                WHERE v.ledger_id = _ledger AND v.position > _position ORDER BY v.position LIMIT _limit) AS p) AS e
        WHERE e.positions IS NOT NULL;
    END LOOP;
END
$$;
