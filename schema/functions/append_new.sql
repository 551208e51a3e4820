-- Appends events of new streams to one ledger whose head the transaction has locked. `_size` and `_head` are what the
-- caller read under the lock; if the head is another one now, or is gone, it fails with 40001. Nothing is left to decide
-- but the time: it fails with SQLSTATE P0T01 if that is before the head's, and with P0T02 if it is more than `_tolerance`
-- seconds ahead of the clock and not the accepted time of a head that is ahead. NULL is no tolerance. Positions go on
-- from the head's size; it fails with P0T03 if no event is there.
CREATE OR REPLACE FUNCTION tenure.append_new(
    _ledger uuid, _size bigint, _head timestamptz, _time timestamptz, _tolerance integer, _streams uuid[],
    _kinds text[], _versions integer[], _ids uuid[], _types text[], _entries bytea[],
    _codes bytea[]) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY INVOKER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _xact xid8 := pg_current_xact_id();
    _count integer := cardinality(_ids);
    _position bigint;
    _accepted timestamptz;
    _stream uuid;
    _kind text;
    _version integer;
    _id uuid;
    _type text;
    _entry bytea;
    _code bytea;
BEGIN
    IF _time < _head THEN
        RAISE EXCEPTION 'a condition of the transaction does not hold' USING ERRCODE = 'P0T01';
    END IF;
    IF _size > 0 AND NOT EXISTS (
        SELECT FROM tenure.event AS e WHERE e.ledger_id = _ledger AND e.position = _size)
    THEN
        RAISE EXCEPTION 'a head counts events that are not there' USING ERRCODE = 'P0T03';
    END IF;
    UPDATE tenure.ledger AS l SET size = l.size + _count, time = _time, changed = _xact
    WHERE l.ledger_id = _ledger AND l.size = _size AND l.time = _head
    RETURNING l.size - _count, l.accepted INTO _position, _accepted;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'a head was written beside the append' USING ERRCODE = 'serialization_failure';
    END IF;
    IF _time > clock_timestamp() + _tolerance * interval '1 second'
        AND (_time <> _head OR coalesce(_accepted < _head, true))
    THEN
        RAISE EXCEPTION 'the time is ahead of the clock' USING ERRCODE = 'P0T02';
    END IF;
    -- Elements of arrays go through variables; see ../distributed/append_independent_distributed.sql.
    FOR _i IN 1 .. _count LOOP
        _position := _position + 1;
        _stream := _streams[_i];
        _kind := _kinds[_i];
        _version := _versions[_i];
        _id := _ids[_i];
        _type := _types[_i];
        _entry := _entries[_i];
        _code := _codes[_i];
        INSERT INTO tenure.event (ledger_id, position, event_id, stream_id, kind, version, type, time, entry, code)
        VALUES (_ledger, _position, _id, _stream, _kind, _version, _type, _time, _entry, _code);
    END LOOP;
END
$$;
