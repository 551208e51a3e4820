-- Writes the events of the winners: positions go on from the head's size, in the order of callers and of their events.
--
-- It compares every head of the batch with what the batch was decided on, and each head that it writes in the statement
-- that writes it. If one differs, somebody appended although the batch holds the locks; the transaction ends with 40001
-- and is run again. The unique keys of positions and versions are the last wall.
CREATE OR REPLACE FUNCTION tenure.append_events(_batch tenure.append_batch, _winners integer[])
RETURNS SETOF tenure.append_outcome
LANGUAGE plpgsql VOLATILE SECURITY INVOKER
AS $$
DECLARE
    _same bigint;
BEGIN
    UPDATE tenure.ledger AS l SET size = n.size + n.count, time = n.time, changed = pg_current_xact_id()
    FROM (
        SELECT h.ledger_id, h.size, h.time AS head, count(*) AS count, max(e.time) AS time
        FROM unnest(_batch.events) AS e JOIN unnest(_batch.heads) AS h ON h.ledger_id = e.ledger_id
        WHERE e.caller = ANY (_winners) GROUP BY h.ledger_id, h.size, h.time) AS n
    WHERE l.ledger_id = n.ledger_id AND l.size = n.size AND l.time = n.head;
    GET DIAGNOSTICS _same = ROW_COUNT;
    IF _same < cardinality(_batch.heads) THEN
        -- The others are only guarded, or belong to callers who are decided later.
        SELECT _same + count(*) INTO _same
        FROM unnest(_batch.heads) AS h
            JOIN tenure.ledger AS l ON l.ledger_id = h.ledger_id AND l.size = h.size AND l.time = h.time
        WHERE NOT EXISTS (
            SELECT FROM unnest(_batch.events) AS e WHERE e.caller = ANY (_winners) AND e.ledger_id = h.ledger_id);
        IF _same <> cardinality(_batch.heads) THEN
            RAISE EXCEPTION 'a head was written beside the append' USING ERRCODE = 'serialization_failure';
        END IF;
    END IF;
    RETURN QUERY
    WITH placed AS MATERIALIZED (
        SELECT e.*, h.size + row_number() OVER (PARTITION BY e.ledger_id ORDER BY e.caller, e.ordinal) AS position
        FROM unnest(_batch.events) AS e JOIN unnest(_batch.heads) AS h ON h.ledger_id = e.ledger_id
        WHERE e.caller = ANY (_winners)
    ), stored AS (
        INSERT INTO tenure.event (ledger_id, position, event_id, stream_id, kind, version, type, time, entry, code)
        SELECT p.ledger_id, p.position, p.event_id, p.stream_id, p.kind, p.version, p.type, p.time, p.entry,
            p.code
        FROM placed AS p ORDER BY p.ledger_id, p.position
    )
    SELECT p.caller, 'appended', NULL::uuid, NULL::text, NULL::uuid, NULL::integer, NULL::timestamptz,
        array_agg(p.position ORDER BY p.ordinal)
    FROM placed AS p GROUP BY p.caller;
END
$$;
