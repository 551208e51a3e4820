-- Makes the missing heads of a batch and locks all of them, in one order for everybody, so that no two batches can wait
-- for each other: those who wait while they make heads hold no lock on an older head.
--
-- The ledgers of claims are locked too. That keeps the order "heads, then claims" without a second kind of waiting, and
-- a claim is only ever taken or given back by the holder of its ledger's head.
CREATE OR REPLACE FUNCTION tenure.append_lock(_batch tenure.append_batch) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY INVOKER
AS $$
DECLARE
    _ledgers uuid[] := ARRAY(
        SELECT ledger_id FROM unnest(_batch.events)
        UNION SELECT ledger_id FROM unnest(_batch.expectations)
        UNION SELECT ledger_id FROM unnest(_batch.claims)
        UNION SELECT ledger_id FROM unnest(_batch.releases)
        ORDER BY ledger_id);
BEGIN
    INSERT INTO tenure.ledger (ledger_id) SELECT id FROM unnest(_ledgers) AS id ORDER BY id ON CONFLICT DO NOTHING;
    PERFORM FROM tenure.ledger WHERE ledger_id = ANY (_ledgers) ORDER BY ledger_id FOR UPDATE;
END
$$;
