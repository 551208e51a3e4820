-- Names the ledgers of a transaction, as the text of an array of ids, and says whether its commit waits for the disk. It
-- counts until the end of the transaction. `remote_apply` waits for more than the disk and is kept.
--
-- SET LOCAL rather than set_config: a distributed database passes it on to the nodes that the transaction reaches.
CREATE OR REPLACE FUNCTION tenure.enter_scope(_ledgers text, _waits boolean) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY INVOKER
AS $$
BEGIN
    EXECUTE pg_catalog.format('SET LOCAL tenure.ledgers = %L', _ledgers);
    IF NOT _waits THEN
        SET LOCAL synchronous_commit = off;
    ELSIF pg_catalog.current_setting('synchronous_commit') <> 'remote_apply' THEN
        SET LOCAL synchronous_commit = on;
    END IF;
END
$$;
