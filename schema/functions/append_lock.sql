-- Locks the heads of all ledgers that a batch touches; see lock_heads.sql for the order.
--
-- The ledgers of claims are locked too. That keeps the order "heads, then claims" without a second kind of waiting, and
-- a claim is only ever taken or given back by the holder of its ledger's head. Answers the ledgers.
CREATE OR REPLACE FUNCTION tenure.append_lock(_batch tenure.append_batch) RETURNS uuid[]
LANGUAGE plpgsql VOLATILE SECURITY INVOKER
AS $$
DECLARE
    _ledgers uuid[] := ARRAY(
        SELECT ledger_id FROM unnest(_batch.events)
        UNION SELECT ledger_id FROM unnest(_batch.expectations)
        UNION SELECT ledger_id FROM unnest(_batch.claims)
        UNION SELECT ledger_id FROM unnest(_batch.releases));
BEGIN
    PERFORM tenure.lock_heads(_ledgers);
    RETURN _ledgers;
END
$$;
