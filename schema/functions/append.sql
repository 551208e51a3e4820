-- Appends a batch of several callers and answers each of them; see README.md for the outcomes.
--
-- The arrays of one group have one length, and `caller` counts from 1. A caller whose append is refused leaves nothing
-- behind and does not touch the others. An event has a time of its own, because a ledger whose head is ahead of the clock
-- has another one than the other ledgers of its append. `_limits` has the latest time of a caller's events, `_tolerances`
-- the seconds that they may be ahead of the clock; NULL for none. `_followers` are the callers whose events may be as late
-- as a head that is ahead.
--
-- The heads are read once for each round. Whoever writes a head compares it with what was read, so an append never writes
-- what it did not decide on, even if its lock is gone. Runs under READ COMMITTED: every statement after the locks sees what the
-- former holders of the locks committed. Sequential scans are off because plans are kept for long, also those made
-- while the tables were still empty.
CREATE OR REPLACE FUNCTION tenure.append(
    _times timestamptz[], _limits timestamptz[], _tolerances integer[], _followers integer[],
    _event_callers integer[], _event_ledgers uuid[], _event_kinds text[], _event_streams uuid[],
    _event_versions integer[], _event_ids uuid[], _event_types text[], _event_times timestamptz[], _entries bytea[],
    _codes bytea[],
    _expectation_callers integer[], _expectation_ledgers uuid[], _expectation_kinds text[],
    _expectation_streams uuid[], _expectation_versions integer[],
    _claim_callers integer[], _claim_ledgers uuid[], _claim_kinds text[], _claim_keys bytea[], _claim_owners uuid[],
    _claim_values bytea[], _claim_expiries timestamptz[],
    _release_callers integer[], _release_ledgers uuid[], _release_kinds text[], _release_keys bytea[],
    _release_owners uuid[]
) RETURNS SETOF tenure.append_outcome
LANGUAGE plpgsql VOLATILE SECURITY INVOKER
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    _batch tenure.append_batch;
    _open integer[] := ARRAY(SELECT generate_series(1, cardinality(_times)));
    _ready integer[];
    _winners integer[];
    _outcome tenure.append_outcome;
    _ledgers uuid[];
BEGIN
    _batch.times := _times;
    _batch.limits := _limits;
    _batch.tolerances := _tolerances;
    _batch.followers := _followers;
    _batch.events := ARRAY(
        SELECT ROW(e.caller, e.ledger_id, e.kind, e.stream_id, e.version, e.event_id, e.type, e.entry, e.code,
            e.ordinal, e.time)::tenure.append_event
        FROM unnest(
            _event_callers, _event_ledgers, _event_kinds, _event_streams, _event_versions, _event_ids, _event_types,
            _entries, _codes, _event_times) WITH ORDINALITY
            AS e(caller, ledger_id, kind, stream_id, version, event_id, type, entry, code, time, ordinal));
    _batch.expectations := ARRAY(
        SELECT x::tenure.append_expectation FROM unnest(
            _expectation_callers, _expectation_ledgers, _expectation_kinds, _expectation_streams,
            _expectation_versions) AS x);
    _batch.claims := ARRAY(
        SELECT c::tenure.append_claim FROM unnest(
            _claim_callers, _claim_ledgers, _claim_kinds, _claim_keys, _claim_owners, _claim_values,
            _claim_expiries) AS c);
    _batch.releases := ARRAY(
        SELECT r::tenure.append_release FROM unnest(
            _release_callers, _release_ledgers, _release_kinds, _release_keys, _release_owners) AS r);

    _ledgers := tenure.append_lock(_batch);
    WHILE cardinality(_open) > 0 LOOP
        _batch.heads := ARRAY(
            SELECT ROW(l.ledger_id, l.size, l.time, l.accepted)::tenure.append_head
            FROM tenure.ledger AS l WHERE l.ledger_id = ANY (_ledgers));
        IF cardinality(_batch.heads) <> cardinality(_ledgers) THEN
            RAISE EXCEPTION 'a head is missing' USING ERRCODE = 'serialization_failure';
        END IF;
        IF EXISTS (
            SELECT FROM unnest(_batch.heads) AS h WHERE h.size > 0 AND NOT EXISTS (
                SELECT FROM tenure.event AS e WHERE e.ledger_id = h.ledger_id AND e.position = h.size))
        THEN
            RAISE EXCEPTION 'a head counts events that are not there' USING ERRCODE = 'P0T03';
        END IF;
        _ready := tenure.append_ready(_batch, _open);
        _winners := '{}';
        FOR _outcome IN SELECT * FROM tenure.append_decide(_batch, _ready) LOOP
            IF _outcome.outcome = 'appended' THEN
                _winners := _winners || _outcome.caller;
            ELSE
                RETURN NEXT _outcome;
            END IF;
        END LOOP;
        IF cardinality(_winners) > 0 THEN
            PERFORM tenure.append_claims(_batch, _winners);
            RETURN QUERY SELECT * FROM tenure.append_events(_batch, _winners);
        END IF;
        _open := ARRAY(SELECT unnest(_open) EXCEPT SELECT unnest(_ready));
    END LOOP;
END
$$;
