-- One outcome for each of the ready callers, all against the state as it is; nothing is written. `appended` means that
-- the caller may be written.
--
-- An append whose events are all there already is a duplicate when their bytes are equal. A retry may have been encoded
-- with another time than the events that were stored; it is told theirs, and comes again. Anything else that meets a
-- known event id is refused.
CREATE OR REPLACE FUNCTION tenure.append_decide(_batch tenure.append_batch, _ready integer[])
RETURNS SETOF tenure.append_outcome
LANGUAGE plpgsql STABLE SECURITY INVOKER
AS $$
BEGIN
    RETURN QUERY
    WITH mine AS MATERIALIZED (SELECT * FROM unnest(_batch.events) WHERE caller = ANY (_ready)),
    known AS (
        SELECT m.caller, count(*) AS events, count(v.position) AS found, bool_and(v.entry = m.entry) AS same,
            min(v.time) AS time, array_agg(v.position ORDER BY m.ordinal) AS positions
        FROM mine AS m LEFT JOIN LATERAL (
            SELECT e.position, e.entry, e.time FROM tenure.event AS e
            WHERE e.ledger_id = m.ledger_id AND e.event_id = m.event_id OFFSET 0) AS v ON true
        GROUP BY m.caller
    ), stale AS (
        SELECT DISTINCT ON (x.caller) x.caller, x.ledger_id, x.kind, x.stream_id, coalesce(s.version, 0) AS version
        FROM unnest(_batch.expectations) WITH ORDINALITY
            AS x(caller, ledger_id, kind, stream_id, version, ordinal) LEFT JOIN LATERAL (
            SELECT e.version FROM tenure.event AS e WHERE e.ledger_id = x.ledger_id AND e.stream_id = x.stream_id
                AND e.kind = x.kind ORDER BY e.version DESC LIMIT 1) AS s ON true
        WHERE x.caller = ANY (_ready) AND coalesce(s.version, 0) <> x.version
        ORDER BY x.caller, x.ordinal
    ), behind AS (
        SELECT b.caller, max(b.time) AS time FROM (
            SELECT m.caller, greatest(
                (SELECT l.time FROM tenure.ledger AS l WHERE l.ledger_id = m.ledger_id),
                max(_batch.times[m.caller]) OVER (PARTITION BY m.ledger_id ORDER BY m.caller)) AS time
            FROM (SELECT DISTINCT caller, ledger_id FROM mine) AS m) AS b
        WHERE b.time > _batch.times[b.caller] GROUP BY b.caller
    ), missing AS (
        SELECT DISTINCT ON (r.caller) r.caller, r.ledger_id, r.kind
        FROM unnest(_batch.releases) AS r LEFT JOIN LATERAL (
            SELECT c.owner FROM tenure.claim AS c
            WHERE c.ledger_id = r.ledger_id AND c.kind = r.kind AND c.key = r.key OFFSET 0) AS k ON true
        WHERE r.caller = ANY (_ready) AND (k.owner IS NULL OR k.owner <> r.owner)
        ORDER BY r.caller, r.ledger_id, r.kind
    ), taken AS (
        SELECT DISTINCT ON (t.caller) t.caller, t.ledger_id, t.kind
        FROM unnest(_batch.claims) AS t CROSS JOIN LATERAL (
            SELECT c.expires_at FROM tenure.claim AS c
            WHERE c.ledger_id = t.ledger_id AND c.kind = t.kind AND c.key = t.key OFFSET 0) AS k
        WHERE t.caller = ANY (_ready) AND coalesce(k.expires_at > _batch.times[t.caller], true)
            AND NOT EXISTS (SELECT FROM unnest(_batch.releases) AS r WHERE r.caller = t.caller
                AND r.ledger_id = t.ledger_id AND r.kind = t.kind AND r.key = t.key)
        ORDER BY t.caller, t.ledger_id, t.kind
    )
    SELECT k.caller, v.outcome,
        CASE v.outcome WHEN 'version' THEN s.ledger_id WHEN 'missing' THEN m.ledger_id
            WHEN 'taken' THEN t.ledger_id END,
        CASE v.outcome WHEN 'version' THEN s.kind WHEN 'missing' THEN m.kind WHEN 'taken' THEN t.kind END,
        CASE v.outcome WHEN 'version' THEN s.stream_id END,
        CASE v.outcome WHEN 'version' THEN s.version END,
        CASE v.outcome WHEN 'time' THEN coalesce(k.time, b.time) END,
        CASE v.outcome WHEN 'duplicate' THEN k.positions END
    FROM known AS k LEFT JOIN stale AS s USING (caller) LEFT JOIN behind AS b USING (caller)
        LEFT JOIN missing AS m USING (caller) LEFT JOIN taken AS t USING (caller)
        CROSS JOIN LATERAL (SELECT CASE
            WHEN k.found = k.events AND k.same THEN 'duplicate'
            WHEN k.found = k.events AND k.time <> _batch.times[k.caller] THEN 'time'
            WHEN k.found > 0 THEN 'reused'
            WHEN s.caller IS NOT NULL THEN 'version'
            WHEN b.caller IS NOT NULL THEN 'time'
            WHEN m.caller IS NOT NULL THEN 'missing'
            WHEN t.caller IS NOT NULL THEN 'taken'
            ELSE 'appended' END AS outcome) AS v
    ORDER BY k.caller;
END
$$;
