-- The form of ../functions/lock_heads.sql for a distributed database: one statement for each ledger, because a statement
-- locks rows of one node only. The order of the ledgers is the same, so no two transactions can wait for each other.
CREATE OR REPLACE FUNCTION tenure.lock_heads(_ledgers uuid[]) RETURNS timestamptz
LANGUAGE plpgsql VOLATILE SECURITY INVOKER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _sorted uuid[] := ARRAY(SELECT DISTINCT id FROM unnest(_ledgers) AS id ORDER BY id);
    _ledger uuid;
    _time timestamptz;
    _latest timestamptz;
BEGIN
    PERFORM tenure.make_heads(_sorted);
    FOREACH _ledger IN ARRAY _sorted LOOP
        SELECT l.time INTO _time FROM tenure.ledger AS l WHERE l.ledger_id = _ledger FOR UPDATE;
        _latest := greatest(_latest, _time);
    END LOOP;
    RETURN _latest;
END
$$;
