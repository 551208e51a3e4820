-- Makes the missing heads of ledgers and locks all of them, in one order for everybody, so that no two transactions can
-- wait for each other: those who wait while they make heads hold no lock on an older head. Answers the latest of their
-- times: no event of these ledgers may be earlier. For the settings see append.sql; they also keep the plans of callers
-- with other search paths apart, which would be made anew each time.
CREATE OR REPLACE FUNCTION tenure.lock_heads(_ledgers uuid[]) RETURNS timestamptz
LANGUAGE plpgsql VOLATILE SECURITY INVOKER
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    _latest timestamptz;
BEGIN
    -- Nearly always all are there, and heads are never deleted: looking costs less than trying to make them.
    IF EXISTS (SELECT FROM unnest(_ledgers) AS id WHERE NOT EXISTS (
        SELECT FROM tenure.ledger AS l WHERE l.ledger_id = id))
    THEN
        INSERT INTO tenure.ledger (ledger_id)
        SELECT DISTINCT id FROM unnest(_ledgers) AS id ORDER BY id ON CONFLICT DO NOTHING;
    END IF;
    SELECT max(h.time) INTO _latest FROM (
        SELECT l.time FROM tenure.ledger AS l WHERE l.ledger_id = ANY (_ledgers) ORDER BY l.ledger_id FOR UPDATE) AS h;
    RETURN _latest;
END
$$;
