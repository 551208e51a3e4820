-- The form of tenure.append_new that programs from before m016 call; see append_earlier.sql. The caller has locked the
-- head, so it is the one that the caller read.
CREATE OR REPLACE FUNCTION tenure.append_new(
    _ledger uuid, _time timestamptz, _streams uuid[], _kinds text[], _versions integer[], _ids uuid[], _types text[],
    _entries bytea[]) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY INVOKER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _size bigint;
    _head timestamptz;
BEGIN
    SELECT l.size, l.time INTO _size, _head FROM tenure.ledger AS l WHERE l.ledger_id = _ledger FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'a condition of the transaction does not hold' USING ERRCODE = 'P0T01';
    END IF;
    PERFORM tenure.append_new(
        _ledger, _size, _head, _time, 60, _streams, _kinds, _versions, _ids, _types, _entries);
END
$$;
