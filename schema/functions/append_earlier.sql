-- The form of tenure.append that programs from before m016 call, so that they go on beside a newer one. It has no latest
-- times, and a time of a caller holds for all its events. Nothing may be more than a minute ahead of the clock, as in
-- newer programs; an older one takes that refusal for an error.
CREATE OR REPLACE FUNCTION tenure.append(
    _times timestamptz[],
    _event_callers integer[], _event_ledgers uuid[], _event_kinds text[], _event_streams uuid[],
    _event_versions integer[], _event_ids uuid[], _event_types text[], _entries bytea[],
    _expectation_callers integer[], _expectation_ledgers uuid[], _expectation_kinds text[],
    _expectation_streams uuid[], _expectation_versions integer[],
    _claim_callers integer[], _claim_ledgers uuid[], _claim_kinds text[], _claim_keys bytea[], _claim_owners uuid[],
    _claim_values bytea[], _claim_expiries timestamptz[],
    _release_callers integer[], _release_ledgers uuid[], _release_kinds text[], _release_keys bytea[],
    _release_owners uuid[]
) RETURNS SETOF tenure.append_outcome
LANGUAGE plpgsql VOLATILE SECURITY INVOKER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY SELECT * FROM tenure.append(
        _times, array_fill(NULL::timestamptz, ARRAY[cardinality(_times)]),
        array_fill(60, ARRAY[cardinality(_times)]), '{}'::integer[],
        _event_callers, _event_ledgers, _event_kinds, _event_streams, _event_versions, _event_ids, _event_types,
        ARRAY(SELECT _times[c.caller] FROM unnest(_event_callers) WITH ORDINALITY AS c(caller, place) ORDER BY c.place),
        _entries, _expectation_callers, _expectation_ledgers, _expectation_kinds, _expectation_streams,
        _expectation_versions, _claim_callers, _claim_ledgers, _claim_kinds, _claim_keys, _claim_owners, _claim_values,
        _claim_expiries, _release_callers, _release_ledgers, _release_kinds, _release_keys, _release_owners);
END
$$;
