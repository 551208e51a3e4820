-- Decides one outcome for each ready caller against the present state, and writes nothing. `appended` means that the
-- caller's events may be written.
--
-- An append is a duplicate if all its events are stored with equal bytes and codes. A retry may have encoded its events
-- with another time: the outcome `recorded` returns the stored time, and the caller retries with it. Any other append
-- with a known event id is refused as `reused`.
--
-- The time of an event must not be before the time of the head, nor ahead of the clock by more than the caller's
-- tolerance. A head that is ahead of the clock takes no events (`ahead`), unless the operator accepted its time. Then
-- its events get exactly that time until the clock has passed it, and the caller's limit is compared with the clock.
-- Other ledgers of the append keep their times.
CREATE OR REPLACE FUNCTION tenure.append_decide(_batch tenure.append_batch, _ready integer[])
RETURNS SETOF tenure.append_outcome
LANGUAGE plpgsql STABLE SECURITY INVOKER
AS $$
BEGIN
    RETURN QUERY
    WITH mine AS MATERIALIZED (SELECT * FROM unnest(_batch.events) WHERE caller = ANY (_ready)),
    known AS (
        SELECT m.caller, count(*) AS events, count(v.position) AS found, bool_and(v.entry = m.entry AND v.code = m.code) AS same,
            bool_or(v.time <> m.time) AS moved, min(v.time) AS time, max(v.time) AS latest,
            min(m.ordinal) FILTER (WHERE v.time <> m.time) AS first,
            array_agg(v.position ORDER BY m.ordinal) AS positions
        FROM mine AS m LEFT JOIN LATERAL (
            SELECT e.position, e.entry, e.code, e.time FROM tenure.event AS e
            WHERE e.ledger_id = m.ledger_id AND e.event_id = m.event_id OFFSET 0) AS v ON true
        GROUP BY m.caller
    ), stale AS (
        SELECT DISTINCT ON (x.caller) x.caller, x.ledger_id, x.kind, x.stream_id, (
            SELECT coalesce(max(e.version), 0) FROM tenure.event AS e
            WHERE e.ledger_id = x.ledger_id AND e.stream_id = x.stream_id AND e.kind = x.kind) AS version
        FROM unnest(_batch.expectations) WITH ORDINALITY
            AS x(caller, ledger_id, kind, stream_id, version, ordinal) CROSS JOIN LATERAL (
            -- Holds if the expected version exists and the next one does not. Versions behind a gap do not count: only
            -- a row that was inserted by hand can have one.
            SELECT coalesce(sum(e.version), 0) AS version FROM tenure.event AS e
            WHERE e.ledger_id = x.ledger_id AND e.stream_id = x.stream_id AND e.kind = x.kind
                AND e.version BETWEEN x.version AND x.version + 1) AS s
        WHERE x.caller = ANY (_ready) AND s.version <> x.version
        ORDER BY x.caller, x.ordinal
    ), placed AS (
        SELECT m.caller, m.ledger_id, m.time, h.time AS head,
            coalesce(h.time > c.latest AND m.caller <> ALL (_batch.followers), false) AS is_ahead,
            coalesce(h.time > c.latest AND m.caller <> ALL (_batch.followers) AND h.accepted >= h.time, false)
                AS is_accepted,
            coalesce(m.time > c.latest AND m.time > h.time, false) AS is_fast,
            EXISTS (SELECT FROM stale AS s WHERE s.caller = m.caller) AS is_stale
        FROM (SELECT DISTINCT caller, ledger_id, e.time FROM mine AS e) AS m
            JOIN unnest(_batch.heads) AS h ON h.ledger_id = m.ledger_id
            CROSS JOIN LATERAL (
                SELECT clock_timestamp() + _batch.tolerances[m.caller] * interval '1 second' AS latest) AS c
    ), due AS (
        SELECT p.*, greatest(p.head, p.time,
            max(p.time) FILTER (WHERE NOT p.is_fast AND NOT p.is_stale) OVER (PARTITION BY p.ledger_id ORDER BY p.caller)) AS time_due
        FROM placed AS p
    ), timed AS (
        SELECT d.caller, bool_or(d.is_fast) AS is_fast,
            (array_agg(d.ledger_id) FILTER (WHERE d.is_ahead AND NOT d.is_accepted))[1] AS ahead,
            (array_agg(d.ledger_id) FILTER (WHERE d.is_accepted AND d.time <> d.head))[1] AS accepted,
            (array_agg(d.head) FILTER (WHERE d.is_accepted AND d.time <> d.head))[1] AS accepted_time,
            max(d.time_due) FILTER (WHERE NOT d.is_ahead AND d.time_due > d.time) AS raised,
            bool_or(CASE WHEN d.is_accepted THEN clock_timestamp() ELSE d.time_due END > _batch.limits[d.caller])
                AS is_late
        FROM due AS d GROUP BY d.caller
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
        CASE v.outcome WHEN 'version' THEN s.ledger_id WHEN 'missing' THEN m.ledger_id WHEN 'taken' THEN t.ledger_id
            WHEN 'ahead' THEN w.ahead WHEN 'accepted' THEN w.accepted
            WHEN 'recorded' THEN CASE WHEN k.time <> k.latest THEN (
                SELECT f.ledger_id FROM mine AS f WHERE f.ordinal = k.first) END END,
        CASE v.outcome WHEN 'version' THEN s.kind WHEN 'missing' THEN m.kind WHEN 'taken' THEN t.kind END,
        CASE v.outcome WHEN 'version' THEN s.stream_id END,
        CASE v.outcome WHEN 'version' THEN s.version END,
        CASE v.outcome WHEN 'time' THEN w.raised WHEN 'accepted' THEN w.accepted_time
            WHEN 'recorded' THEN CASE WHEN k.time = k.latest THEN k.time ELSE (
                SELECT e.time FROM mine AS f JOIN tenure.event AS e
                    ON e.ledger_id = f.ledger_id AND e.event_id = f.event_id WHERE f.ordinal = k.first) END END,
        CASE v.outcome WHEN 'duplicate' THEN k.positions END
    FROM known AS k LEFT JOIN stale AS s USING (caller) LEFT JOIN timed AS w USING (caller)
        LEFT JOIN missing AS m USING (caller) LEFT JOIN taken AS t USING (caller)
        CROSS JOIN LATERAL (SELECT CASE
            WHEN k.found = k.events AND k.same THEN 'duplicate'
            WHEN k.found = k.events AND k.moved THEN 'recorded'
            WHEN k.found > 0 THEN 'reused'
            WHEN s.caller IS NOT NULL THEN 'version'
            WHEN w.is_fast THEN 'clock'
            WHEN w.ahead IS NOT NULL THEN 'ahead'
            WHEN w.is_late THEN 'late'
            WHEN w.accepted IS NOT NULL THEN 'accepted'
            WHEN w.raised IS NOT NULL THEN 'time'
            WHEN m.caller IS NOT NULL THEN 'missing'
            WHEN t.caller IS NOT NULL THEN 'taken'
            ELSE 'appended' END AS outcome) AS v
    ORDER BY k.caller;
END
$$;
