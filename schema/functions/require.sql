-- Fails with SQLSTATE P0T01 unless a condition holds, for a statement that is sent together with the COMMIT: it is the
-- last chance to refuse the transaction, because nobody reads the answer before. For the settings see lock_heads.sql.
CREATE OR REPLACE FUNCTION tenure.require(_condition boolean) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY INVOKER
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
    IF _condition IS NOT TRUE THEN
        RAISE EXCEPTION 'a condition of the transaction does not hold' USING ERRCODE = 'P0T01';
    END IF;
    RETURN true;
END
$$;
