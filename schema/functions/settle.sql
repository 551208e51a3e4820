-- Waits until transactions that have ended are visible everywhere. On one server they are when they end. See
-- ../distributed/settle_distributed.sql.
CREATE OR REPLACE FUNCTION tenure.settle() RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY INVOKER
AS $$
BEGIN
END
$$;
