-- The form of ../functions/enter_scope.sql for a distributed database: SET LOCAL reaches the nodes of the transaction.
-- A transaction over several ledgers always waits for the disk. If the coordinator lost its commit in a crash, nodes that
-- had committed already would keep half of it.
CREATE OR REPLACE FUNCTION tenure.enter_scope(_ledgers text, _waits boolean) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY INVOKER
AS $$
BEGIN
    SET LOCAL citus.propagate_set_commands = 'local';
    EXECUTE pg_catalog.format('SET LOCAL tenure.ledgers = %L', _ledgers);
    IF NOT _waits AND pg_catalog.strpos(_ledgers, ',') = 0 THEN
        SET LOCAL synchronous_commit = off;
    ELSIF pg_catalog.current_setting('synchronous_commit') <> 'remote_apply' THEN
        SET LOCAL synchronous_commit = on;
    END IF;
END
$$;
