-- Appends a batch of independent callers: none writes what another reads, and none touches a claim. Nearly every batch
-- is like that, and needs one statement for each step. Returns the sizes that the ledgers had. Returns NULL, and has
-- written nothing, if tenure.append must answer a caller. A head is written only if it is still as it was read; see
-- append_events.sql.
--
-- `_ledgers` is sorted and names each ledger once. A ledger that is only guarded has the count 0. `_earliest` and
-- `_latest` are the times of a ledger's first and last event. `_event_ledgers` has the place of each event's ledger in
-- `_ledgers`, and `_event_places` the place of the event among those of its ledger, both from 1. No time may be ahead
-- of the clock by more than `_tolerance` seconds; NULL sets no limit.
--
-- An expected version of 0 is not looked up if the stream gets an event: event_stream_key enforces it, as event_id_key
-- enforces that an event id is new. A violation of either aborts the transaction. tenure.append then finds the caller
-- that caused it, in another transaction. For the settings see append.sql.
CREATE OR REPLACE FUNCTION tenure.append_independent(
    _tolerance integer, _ledgers uuid[], _counts integer[], _earliest timestamptz[], _latest timestamptz[],
    _event_ledgers integer[], _event_places integer[], _event_kinds text[], _event_streams uuid[],
    _event_versions integer[], _event_ids uuid[], _event_types text[], _event_times timestamptz[], _entries bytea[],
    _codes bytea[],
    _expectation_ledgers uuid[], _expectation_kinds text[], _expectation_streams uuid[],
    _expectation_versions integer[]
) RETURNS bigint[]
LANGUAGE plpgsql VOLATILE SECURITY INVOKER
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    _heads uuid[];
    _sizes bigint[];
    _times timestamptz[];
    _written integer;
BEGIN
    IF clock_timestamp() + _tolerance * interval '1 second' < ANY (_latest) THEN
        RETURN NULL;
    END IF;
    -- Inserts missing heads before it locks any; see lock_heads.sql.
    IF EXISTS (SELECT FROM unnest(_ledgers) AS id WHERE NOT EXISTS (
        SELECT FROM tenure.ledger AS l WHERE l.ledger_id = id))
    THEN
        INSERT INTO tenure.ledger (ledger_id) SELECT id FROM unnest(_ledgers) AS id ON CONFLICT DO NOTHING;
    END IF;
    SELECT array_agg(h.ledger_id), array_agg(h.size), array_agg(h.time) INTO _heads, _sizes, _times FROM (
        SELECT l.ledger_id, l.size, l.time FROM tenure.ledger AS l WHERE l.ledger_id = ANY (_ledgers)
        ORDER BY l.ledger_id FOR UPDATE) AS h;
    IF _heads <> _ledgers OR EXISTS (
        SELECT FROM unnest(_counts, _earliest, _times) AS t(count, earliest, head)
        WHERE t.count > 0 AND t.earliest < t.head) OR EXISTS (
        SELECT FROM unnest(_ledgers, _counts, _sizes) AS t(ledger_id, count, size)
        WHERE t.count > 0 AND t.size > 0 AND NOT EXISTS (
            SELECT FROM tenure.event AS e WHERE e.ledger_id = t.ledger_id AND e.position = t.size))
    THEN
        RETURN NULL;
    END IF;
    IF cardinality(_expectation_versions) > 0 AND EXISTS (
        SELECT FROM unnest(_expectation_ledgers, _expectation_kinds, _expectation_streams, _expectation_versions)
            AS x(ledger_id, kind, stream_id, version)
        CROSS JOIN LATERAL (
            SELECT coalesce(sum(e.version), 0) AS version FROM tenure.event AS e
            WHERE e.ledger_id = x.ledger_id AND e.stream_id = x.stream_id AND e.kind = x.kind
                AND e.version BETWEEN x.version AND x.version + 1) AS s
        WHERE s.version <> x.version)
    THEN
        RETURN NULL;
    END IF;
    INSERT INTO tenure.event (ledger_id, position, event_id, stream_id, kind, version, type, time, entry, code)
    SELECT _ledgers[e.ledger], _sizes[e.ledger] + e.place, e.event_id, e.stream_id, e.kind, e.version, e.type, e.time,
        e.entry, e.code
    FROM unnest(
        _event_ledgers, _event_places, _event_kinds, _event_streams, _event_versions, _event_ids, _event_types,
        _event_times, _entries, _codes) AS e(ledger, place, kind, stream_id, version, event_id, type, time, entry, code);
    UPDATE tenure.ledger AS l SET size = l.size + n.count, time = n.latest, changed = pg_current_xact_id()
    FROM unnest(_ledgers, _counts, _latest, _sizes, _times) AS n(ledger_id, count, latest, size, head)
    WHERE l.ledger_id = n.ledger_id AND n.count > 0 AND l.size = n.size AND l.time = n.head;
    GET DIAGNOSTICS _written = ROW_COUNT;
    IF _written < cardinality(_ledgers) THEN
        -- Ledgers that are only guarded must still have the size that was read.
        SELECT _written + count(*) INTO _written
        FROM unnest(_ledgers, _counts, _sizes) AS n(ledger_id, count, size)
            JOIN tenure.ledger AS l ON l.ledger_id = n.ledger_id AND l.size = n.size
        WHERE n.count = 0;
        IF _written <> cardinality(_ledgers) THEN
            RAISE EXCEPTION 'a head was written beside the append' USING ERRCODE = 'serialization_failure';
        END IF;
    END IF;
    RETURN _sizes;
END
$$;
