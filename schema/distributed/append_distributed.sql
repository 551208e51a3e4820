-- The form of ../functions/append.sql for a distributed database. It decides and writes one caller after the other, with
-- statements on one ledger each, and so needs none of the functions that the other form calls. The outcomes are the same;
-- see ../README.md.
--
-- A row lock does not survive a move of its ledger to another node: the copy there has no locks. So every head that was
-- decided on is compared when it is written, and heads that are only guarded are written without a change, which also
-- makes a move wait. If one differs, the transaction ends with 40001 and is run again.
--
-- A claim is only taken or given back by the holder of its ledger's head. The unique key is the last wall, and meeting it
-- means that somebody writes claims beside the append.
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
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _xact xid8;
    _outcome tenure.append_outcome;
    _event record;
    _wish record;
    _time timestamptz;
    _head_time timestamptz;
    _stored_time timestamptz;
    _entry bytea;
    _code bytea;
    _position bigint;
    _version integer;
    _owner uuid;
    _expiry timestamptz;
    _events bigint;
    _found bigint;
    _same boolean;
    _positions bigint[];
    _rows bigint;
    _ledger uuid;
    _size bigint;
    _head bigint;
    _accepted_time timestamptz;
    _latest timestamptz;
    _is_late boolean;
    -- The heads as they were read, and as this transaction has written them since.
    _ledgers uuid[] := ARRAY(
        SELECT DISTINCT id FROM unnest(_event_ledgers || _expectation_ledgers || _claim_ledgers || _release_ledgers) AS id
        ORDER BY id);
    _sizes bigint[] := '{}';
    _head_times timestamptz[] := '{}';
    _accepted timestamptz[] := '{}';
    _is_written boolean[] := '{}';
    _writes boolean := false;
BEGIN
    PERFORM tenure.lock_heads(_ledgers);
    FOREACH _ledger IN ARRAY _ledgers LOOP
        SELECT l.size, l.time, l.accepted INTO _size, _head_time, _accepted_time
        FROM tenure.ledger AS l WHERE l.ledger_id = _ledger;
        PERFORM 1 FROM tenure.event AS e WHERE e.ledger_id = _ledger AND e.position = _size;
        IF _size > 0 AND NOT FOUND THEN
            RAISE EXCEPTION 'a head counts events that are not there' USING ERRCODE = 'P0T03';
        END IF;
        _sizes := _sizes || _size;
        _head_times := _head_times || _head_time;
        _accepted := array_append(_accepted, _accepted_time);
        _is_written := _is_written || false;
    END LOOP;
    FOR _caller IN 1 .. cardinality(_times) LOOP
        _time := _times[_caller];
        _outcome := NULL;
        _outcome.caller := _caller;
        <<decision>>
        BEGIN
            -- Events that are recorded already.
            _events := 0;
            _found := 0;
            _same := true;
            _stored_time := NULL;
            _latest := NULL;
            _ledger := NULL;
            _positions := '{}';
            FOR _event IN
                SELECT e.ledger_id, e.event_id, e.time, e.entry, e.code
                FROM unnest(_event_callers, _event_ledgers, _event_ids, _event_times, _entries, _codes)
                    WITH ORDINALITY AS e(caller, ledger_id, event_id, time, entry, code, ordinal)
                WHERE e.caller = _caller ORDER BY e.ordinal
            LOOP
                _events := _events + 1;
                SELECT e.position, e.time, e.entry, e.code INTO _position, _head_time, _entry, _code
                FROM tenure.event AS e
                WHERE e.ledger_id = _event.ledger_id AND e.event_id = _event.event_id;
                CONTINUE WHEN NOT FOUND;
                _found := _found + 1;
                _same := _same AND _entry = _event.entry AND _code = _event.code;
                _stored_time := least(_stored_time, _head_time);
                _latest := greatest(_latest, _head_time);
                _positions := _positions || _position;
                IF _ledger IS NULL AND _head_time <> _event.time THEN
                    _ledger := _event.ledger_id;
                    _accepted_time := _head_time;
                END IF;
            END LOOP;
            IF _found > 0 THEN
                IF _found = _events AND _same THEN
                    _outcome.outcome := 'duplicate';
                    _outcome.positions := _positions;
                ELSIF _found = _events AND _ledger IS NOT NULL THEN
                    _outcome.outcome := 'recorded';
                    _outcome.time := _stored_time;
                    IF _latest <> _stored_time THEN
                        _outcome.ledger_id := _ledger;
                        _outcome.time := _accepted_time;
                    END IF;
                ELSE
                    _outcome.outcome := 'reused';
                END IF;
                EXIT decision;
            END IF;

            -- Streams with another version.
            FOR _wish IN
                SELECT x.ledger_id, x.kind, x.stream_id, x.version FROM unnest(
                    _expectation_callers, _expectation_ledgers, _expectation_kinds, _expectation_streams,
                    _expectation_versions) WITH ORDINALITY AS x(caller, ledger_id, kind, stream_id, version, ordinal)
                WHERE x.caller = _caller ORDER BY x.ordinal
            LOOP
                SELECT coalesce(sum(e.version), 0) INTO _found FROM tenure.event AS e
                WHERE e.ledger_id = _wish.ledger_id AND e.stream_id = _wish.stream_id AND e.kind = _wish.kind
                    AND e.version BETWEEN _wish.version AND _wish.version + 1;
                IF _found <> _wish.version THEN
                    SELECT coalesce(max(e.version), 0) INTO _version FROM tenure.event AS e
                    WHERE e.ledger_id = _wish.ledger_id AND e.stream_id = _wish.stream_id AND e.kind = _wish.kind;
                    _outcome.outcome := 'version';
                    _outcome.ledger_id := _wish.ledger_id;
                    _outcome.kind := _wish.kind;
                    _outcome.stream_id := _wish.stream_id;
                    _outcome.version := _version;
                    EXIT decision;
                END IF;
            END LOOP;

            -- Times that are before the head's, or ahead of the clock; see ../functions/append_decide.sql.
            _latest := clock_timestamp() + _tolerances[_caller] * interval '1 second';
            _is_late := false;
            FOR _event IN
                SELECT DISTINCT e.ledger_id, e.time FROM unnest(_event_callers, _event_ledgers, _event_times)
                    AS e(caller, ledger_id, time)
                WHERE e.caller = _caller
            LOOP
                _head := array_position(_ledgers, _event.ledger_id);
                _head_time := _head_times[_head];
                IF _event.time > _latest AND _event.time > _head_time THEN
                    _outcome.outcome := 'clock';
                    _outcome.ledger_id := NULL;
                    EXIT;
                ELSIF _head_time > _latest AND _caller <> ALL (_followers)
                    AND coalesce(_accepted[_head] < _head_time, true)
                THEN
                    _outcome.outcome := 'ahead';
                    _outcome.ledger_id := _event.ledger_id;
                    _outcome.time := NULL;
                ELSIF _head_time > _latest AND _caller <> ALL (_followers) THEN
                    _is_late := _is_late OR coalesce(clock_timestamp() > _limits[_caller], false);
                    IF _event.time <> _head_time AND _outcome.outcome IS DISTINCT FROM 'ahead' THEN
                        _outcome.outcome := 'accepted';
                        _outcome.ledger_id := _event.ledger_id;
                        _outcome.time := _head_time;
                    END IF;
                ELSE
                    _is_late := _is_late OR coalesce(greatest(_event.time, _head_time) > _limits[_caller], false);
                    IF _head_time > _event.time AND coalesce(_outcome.outcome, 'time') = 'time' THEN
                        _outcome.outcome := 'time';
                        _outcome.time := greatest(_outcome.time, _head_time);
                    END IF;
                END IF;
            END LOOP;
            IF _is_late AND coalesce(_outcome.outcome, '') NOT IN ('clock', 'ahead') THEN
                _outcome.outcome := 'late';
                _outcome.ledger_id := NULL;
                _outcome.time := NULL;
            END IF;
            EXIT decision WHEN _outcome.outcome IS NOT NULL;

            -- Claims to give back that are not there, or belong to another owner.
            FOR _wish IN
                SELECT r.ledger_id, r.kind, r.key, r.owner FROM unnest(
                    _release_callers, _release_ledgers, _release_kinds, _release_keys, _release_owners)
                    AS r(caller, ledger_id, kind, key, owner)
                WHERE r.caller = _caller ORDER BY r.ledger_id, r.kind
            LOOP
                _owner := NULL;
                SELECT c.owner INTO _owner FROM tenure.claim AS c
                WHERE c.ledger_id = _wish.ledger_id AND c.kind = _wish.kind AND c.key = _wish.key;
                IF _owner IS NULL OR _owner <> _wish.owner THEN
                    _outcome.outcome := 'missing';
                    _outcome.ledger_id := _wish.ledger_id;
                    _outcome.kind := _wish.kind;
                    EXIT decision;
                END IF;
            END LOOP;

            -- Claims to take that belong to somebody.
            FOR _wish IN
                SELECT t.ledger_id, t.kind, t.key FROM unnest(_claim_callers, _claim_ledgers, _claim_kinds, _claim_keys)
                    AS t(caller, ledger_id, kind, key)
                WHERE t.caller = _caller AND NOT EXISTS (
                    SELECT FROM unnest(_release_callers, _release_ledgers, _release_kinds, _release_keys)
                        AS r(caller, ledger_id, kind, key)
                    WHERE r.caller = t.caller AND r.ledger_id = t.ledger_id AND r.kind = t.kind AND r.key = t.key)
                ORDER BY t.ledger_id, t.kind
            LOOP
                SELECT c.expires_at INTO _expiry FROM tenure.claim AS c
                WHERE c.ledger_id = _wish.ledger_id AND c.kind = _wish.kind AND c.key = _wish.key;
                IF FOUND AND coalesce(_expiry > _time, true) THEN
                    _outcome.outcome := 'taken';
                    _outcome.ledger_id := _wish.ledger_id;
                    _outcome.kind := _wish.kind;
                    EXIT decision;
                END IF;
            END LOOP;

            -- Nothing is against it: give back, take, write.
            FOR _wish IN
                SELECT r.ledger_id, r.kind, r.key, r.owner FROM unnest(
                    _release_callers, _release_ledgers, _release_kinds, _release_keys, _release_owners)
                    AS r(caller, ledger_id, kind, key, owner)
                WHERE r.caller = _caller
            LOOP
                DELETE FROM tenure.claim AS c
                WHERE c.ledger_id = _wish.ledger_id AND c.kind = _wish.kind AND c.key = _wish.key
                    AND c.owner = coalesce(_wish.owner, c.owner);
                GET DIAGNOSTICS _rows = ROW_COUNT;
                IF _rows <> 1 THEN
                    RAISE EXCEPTION 'a claim was given back beside the append' USING ERRCODE = 'serialization_failure';
                END IF;
            END LOOP;
            FOR _wish IN
                SELECT t.ledger_id, t.kind, t.key, t.owner, t.value, t.expires_at FROM unnest(
                    _claim_callers, _claim_ledgers, _claim_kinds, _claim_keys, _claim_owners, _claim_values,
                    _claim_expiries) AS t(caller, ledger_id, kind, key, owner, value, expires_at)
                WHERE t.caller = _caller ORDER BY t.ledger_id, t.kind, t.key
            LOOP
                DELETE FROM tenure.claim AS c
                WHERE c.ledger_id = _wish.ledger_id AND c.kind = _wish.kind AND c.key = _wish.key
                    AND c.expires_at <= _time;
                INSERT INTO tenure.claim (ledger_id, kind, key, owner, value, expires_at)
                VALUES (_wish.ledger_id, _wish.kind, _wish.key, _wish.owner, _wish.value, _wish.expires_at)
                ON CONFLICT DO NOTHING;
                GET DIAGNOSTICS _rows = ROW_COUNT;
                IF _rows <> 1 THEN
                    RAISE EXCEPTION 'a claim was taken beside the append' USING ERRCODE = 'serialization_failure';
                END IF;
            END LOOP;
            _xact := pg_current_xact_id();
            FOR _event IN
                SELECT e.ledger_id, e.time, count(*) AS count
                FROM unnest(_event_callers, _event_ledgers, _event_times) AS e(caller, ledger_id, time)
                WHERE e.caller = _caller GROUP BY e.ledger_id, e.time ORDER BY e.ledger_id
            LOOP
                _head := array_position(_ledgers, _event.ledger_id);
                _ledger := _event.ledger_id;
                _position := _sizes[_head];
                _head_time := _head_times[_head];
                _size := _position + _event.count;
                _time := _event.time;
                UPDATE tenure.ledger AS l SET size = _size, time = _time, changed = _xact
                WHERE l.ledger_id = _ledger AND l.size = _position AND l.time = _head_time;
                GET DIAGNOSTICS _rows = ROW_COUNT;
                IF _rows <> 1 THEN
                    RAISE EXCEPTION 'a head was written beside the append' USING ERRCODE = 'serialization_failure';
                END IF;
                _head_times[_head] := _time;
                _is_written[_head] := true;
            END LOOP;
            _writes := true;
            _positions := '{}';
            FOR _event IN
                SELECT e.* FROM unnest(
                    _event_callers, _event_ledgers, _event_kinds, _event_streams, _event_versions, _event_ids, _event_types,
                    _event_times, _entries, _codes) WITH ORDINALITY
                    AS e(caller, ledger_id, kind, stream_id, version, event_id, type, time, entry, code, ordinal)
                WHERE e.caller = _caller ORDER BY e.ordinal
            LOOP
                _head := array_position(_ledgers, _event.ledger_id);
                _position := _sizes[_head] + 1;
                _sizes[_head] := _position;
                INSERT INTO tenure.event (
                    ledger_id, position, event_id, stream_id, kind, version, type, time, entry, code)
                VALUES (_event.ledger_id, _position, _event.event_id, _event.stream_id, _event.kind, _event.version,
                    _event.type, _event.time, _event.entry, _event.code);
                _positions := _positions || _position;
            END LOOP;
            _outcome.outcome := 'appended';
            _outcome.positions := _positions;
        END decision;
        RETURN NEXT _outcome;
    END LOOP;
    IF _writes THEN
        FOR _i IN 1 .. cardinality(_ledgers) LOOP
            CONTINUE WHEN _is_written[_i];
            _ledger := _ledgers[_i];
            _position := _sizes[_i];
            _head_time := _head_times[_i];
            UPDATE tenure.ledger AS l SET size = _position
            WHERE l.ledger_id = _ledger AND l.size = _position AND l.time = _head_time;
            GET DIAGNOSTICS _rows = ROW_COUNT;
            IF _rows <> 1 THEN
                RAISE EXCEPTION 'a head was written beside the append' USING ERRCODE = 'serialization_failure';
            END IF;
        END LOOP;
    END IF;
END
$$;
