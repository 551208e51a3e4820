-- The form of ../functions/append_independent.sql for a distributed database: one statement for each ledger, or for each
-- event or expectation. It compares heads as append_distributed.sql does. Elements of arrays go through variables, because as parameters they made the server crash.
CREATE OR REPLACE FUNCTION tenure.append_independent(
    _tolerance integer, _ledgers uuid[], _counts integer[], _earliest timestamptz[], _latest timestamptz[],
    _event_ledgers integer[], _event_places integer[], _event_kinds text[], _event_streams uuid[],
    _event_versions integer[], _event_ids uuid[], _event_types text[], _event_times timestamptz[], _entries bytea[],
    _codes bytea[],
    _expectation_ledgers uuid[], _expectation_kinds text[], _expectation_streams uuid[],
    _expectation_versions integer[]
) RETURNS bigint[]
LANGUAGE plpgsql VOLATILE SECURITY INVOKER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _xact xid8;
    _sizes bigint[] := '{}';
    _times timestamptz[] := '{}';
    _latest_time timestamptz := clock_timestamp() + _tolerance * interval '1 second';
    _before bigint;
    _head timestamptz;
    _rows bigint;
    _ledger uuid;
    _size bigint;
    _time timestamptz;
    _stream uuid;
    _kind text;
    _version integer;
    _sum bigint;
    _position bigint;
    _event_id uuid;
    _type text;
    _entry bytea;
    _code bytea;
BEGIN
    PERFORM tenure.lock_heads(_ledgers);
    FOR _i IN 1 .. cardinality(_ledgers) LOOP
        _ledger := _ledgers[_i];
        SELECT l.size, l.time INTO _size, _time FROM tenure.ledger AS l WHERE l.ledger_id = _ledger;
        IF _counts[_i] > 0 AND (_earliest[_i] < _time OR _latest[_i] > _latest_time) THEN
            RETURN NULL;
        END IF;
        IF _counts[_i] > 0 AND _size > 0 THEN
            PERFORM 1 FROM tenure.event AS e WHERE e.ledger_id = _ledger AND e.position = _size;
            IF NOT FOUND THEN
                RETURN NULL;
            END IF;
        END IF;
        _sizes := _sizes || _size;
        _times := _times || _time;
    END LOOP;
    FOR _i IN 1 .. coalesce(cardinality(_expectation_versions), 0) LOOP
        _ledger := _expectation_ledgers[_i];
        _kind := _expectation_kinds[_i];
        _stream := _expectation_streams[_i];
        _version := _expectation_versions[_i];
        SELECT coalesce(sum(e.version), 0) INTO _sum FROM tenure.event AS e
        WHERE e.ledger_id = _ledger AND e.stream_id = _stream AND e.kind = _kind
            AND e.version BETWEEN _version AND _version + 1;
        IF _sum <> _version THEN
            RETURN NULL;
        END IF;
    END LOOP;
    FOR _i IN 1 .. cardinality(_event_ids) LOOP
        _ledger := _ledgers[_event_ledgers[_i]];
        _position := _sizes[_event_ledgers[_i]] + _event_places[_i];
        _event_id := _event_ids[_i];
        _stream := _event_streams[_i];
        _kind := _event_kinds[_i];
        _version := _event_versions[_i];
        _type := _event_types[_i];
        _time := _event_times[_i];
        _entry := _entries[_i];
        _code := _codes[_i];
        INSERT INTO tenure.event (ledger_id, position, event_id, stream_id, kind, version, type, time, entry, code)
        VALUES (_ledger, _position, _event_id, _stream, _kind, _version, _type, _time, _entry, _code);
    END LOOP;
    _xact := pg_current_xact_id();
    FOR _i IN 1 .. cardinality(_ledgers) LOOP
        _ledger := _ledgers[_i];
        _before := _sizes[_i];
        _head := _times[_i];
        IF _counts[_i] > 0 THEN
            _size := _before + _counts[_i];
            _time := _latest[_i];
            UPDATE tenure.ledger AS l SET size = _size, time = _time, changed = _xact
            WHERE l.ledger_id = _ledger AND l.size = _before AND l.time = _head;
        ELSE
            UPDATE tenure.ledger AS l SET size = _before
            WHERE l.ledger_id = _ledger AND l.size = _before AND l.time = _head;
        END IF;
        GET DIAGNOSTICS _rows = ROW_COUNT;
        IF _rows <> 1 THEN
            RAISE EXCEPTION 'a head was written beside the append' USING ERRCODE = 'serialization_failure';
        END IF;
    END LOOP;
    RETURN _sizes;
END
$$;
