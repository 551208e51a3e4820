-- Writes the events of the winners: positions go on from the head's size, in the order of callers and of their events.
CREATE OR REPLACE FUNCTION tenure.append_events(_batch tenure.append_batch, _winners integer[])
RETURNS SETOF tenure.append_outcome
LANGUAGE plpgsql VOLATILE SECURITY INVOKER
AS $$
BEGIN
    RETURN QUERY
    WITH placed AS MATERIALIZED (
        SELECT e.*, _batch.times[e.caller] AS time,
            (SELECT l.size FROM tenure.ledger AS l WHERE l.ledger_id = e.ledger_id)
                + row_number() OVER (PARTITION BY e.ledger_id ORDER BY e.caller, e.ordinal) AS position
        FROM unnest(_batch.events) AS e WHERE e.caller = ANY (_winners)
    ), stored AS (
        INSERT INTO tenure.event (ledger_id, position, event_id, stream_id, kind, version, type, time, entry)
        SELECT p.ledger_id, p.position, p.event_id, p.stream_id, p.kind, p.version, p.type, p.time, p.entry
        FROM placed AS p ORDER BY p.ledger_id, p.position
    ), heads AS (
        UPDATE tenure.ledger AS l SET size = n.size, time = n.time, changed = pg_current_xact_id()
        FROM (SELECT p.ledger_id, max(p.position) AS size, max(p.time) AS time FROM placed AS p GROUP BY p.ledger_id)
            AS n
        WHERE l.ledger_id = n.ledger_id
    )
    SELECT p.caller, 'appended', NULL::uuid, NULL::text, NULL::uuid, NULL::integer, NULL::timestamptz,
        array_agg(p.position ORDER BY p.ordinal)
    FROM placed AS p GROUP BY p.caller;
END
$$;
