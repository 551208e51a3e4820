-- Waits until every transaction that has ended on the coordinator is visible on all nodes. A transaction that wrote to
-- two nodes is prepared on each before it ends here, and committed there afterwards. So whoever holds a row lock of the
-- coordinator calls this before it relies on what former holders wrote to ledgers. What is prepared now is enough to wait
-- for. It fails with SQLSTATE 40001 if a node is away, or keeps a transaction for ten seconds.
CREATE OR REPLACE FUNCTION tenure.settle() RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY INVOKER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _first text[];
    _now text[];
    _answers boolean;
BEGIN
    FOR _look IN 1 .. 200 LOOP
        SELECT bool_and(r.success), array_agg(x.gid) FILTER (WHERE x.gid <> '') INTO _answers, _now
        FROM run_command_on_workers($look$
            SELECT coalesce(string_agg(gid, ','), '') FROM pg_prepared_xacts
            WHERE database = current_database() AND starts_with(gid, 'citus_')
        $look$) AS r LEFT JOIN LATERAL unnest(string_to_array(r.result, ',')) AS x(gid) ON true;
        IF NOT coalesce(_answers, false) THEN
            RAISE EXCEPTION 'a node does not answer' USING ERRCODE = 'serialization_failure';
        END IF;
        _first := coalesce(_first, _now, '{}');
        IF NOT _first && coalesce(_now, '{}') THEN
            RETURN;
        END IF;
        PERFORM pg_sleep(0.05);
    END LOOP;
    RAISE EXCEPTION 'a transaction is in doubt on a node' USING ERRCODE = 'serialization_failure';
END
$$;
