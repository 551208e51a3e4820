-- Those of the open callers that can be decided now, all against the same state: nobody before them in the batch, and
-- still open, writes what they look at (a stream, an event id, a claim). The first open caller is always among them.
CREATE OR REPLACE FUNCTION tenure.append_ready(_batch tenure.append_batch, _open integer[]) RETURNS integer[]
LANGUAGE plpgsql STABLE SECURITY INVOKER
AS $$
BEGIN
    IF cardinality(_open) = 1 THEN
        RETURN _open;
    END IF;
    RETURN ARRAY(
        WITH used AS (
            SELECT caller, 1 AS what, ledger_id, stream_id AS id, kind, ''::bytea AS key, true AS writes
            FROM unnest(_batch.events)
            UNION ALL
            SELECT caller, 1, ledger_id, stream_id, kind, '', false FROM unnest(_batch.expectations)
            UNION ALL
            SELECT caller, 2, ledger_id, event_id, '', '', true FROM unnest(_batch.events)
            UNION ALL
            SELECT caller, 3, ledger_id, NULL, kind, key, true FROM unnest(_batch.claims)
            UNION ALL
            SELECT caller, 3, ledger_id, NULL, kind, key, true FROM unnest(_batch.releases)
        ), turns AS (
            SELECT caller, caller <= min(caller) FILTER (WHERE writes) OVER (
                PARTITION BY what, ledger_id, id, kind, key) AS turn
            FROM used WHERE caller = ANY (_open)
        )
        SELECT o.caller FROM unnest(_open) AS o(caller)
        WHERE NOT EXISTS (SELECT FROM turns AS t WHERE t.caller = o.caller AND NOT t.turn)
        ORDER BY o.caller);
END
$$;
