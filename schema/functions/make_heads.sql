-- Makes the missing heads of ledgers, without locking them. Nearly always all are there, and heads are never deleted.
CREATE OR REPLACE FUNCTION tenure.make_heads(_ledgers uuid[]) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY INVOKER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _ledger uuid;
BEGIN
    FOR _ledger IN SELECT DISTINCT id FROM unnest(_ledgers) AS id ORDER BY id LOOP
        PERFORM FROM tenure.ledger AS l WHERE l.ledger_id = _ledger;
        IF NOT FOUND THEN
            INSERT INTO tenure.ledger (ledger_id) VALUES (_ledger) ON CONFLICT DO NOTHING;
        END IF;
    END LOOP;
END
$$;
