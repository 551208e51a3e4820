-- The form of tenure.append_independent that programs from before m016 call; see append_earlier.sql.
CREATE OR REPLACE FUNCTION tenure.append_independent(
    _ledgers uuid[], _counts integer[], _earliest timestamptz[], _latest timestamptz[],
    _event_ledgers integer[], _event_places integer[], _event_kinds text[], _event_streams uuid[],
    _event_versions integer[], _event_ids uuid[], _event_types text[], _event_times timestamptz[], _entries bytea[],
    _expectation_ledgers uuid[], _expectation_kinds text[], _expectation_streams uuid[],
    _expectation_versions integer[]
) RETURNS bigint[]
LANGUAGE plpgsql VOLATILE SECURITY INVOKER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN tenure.append_independent(
        60, _ledgers, _counts, _earliest, _latest, _event_ledgers, _event_places, _event_kinds, _event_streams,
        _event_versions, _event_ids, _event_types, _event_times, _entries, _expectation_ledgers, _expectation_kinds,
        _expectation_streams, _expectation_versions);
END
$$;
