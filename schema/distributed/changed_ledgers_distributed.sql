-- The form of ../functions/changed_ledgers.sql for a distributed database, where a transaction can be visible here before
-- it is visible on every node that it wrote to.
--
-- Such a transaction leaves a row in pg_dist_transaction with its own commit, and the row stays until every node is known
-- to have committed. So the mark names as running, besides the transactions that the snapshot sees as running, those that
-- wrote these rows: the next look asks for them by their numbers. A transaction that writes to one node only commits
-- there before it ends here. Looks cost more while rows stay, which citus.recover_2pc_interval limits.
CREATE OR REPLACE FUNCTION tenure.changed_ledgers(_since pg_snapshot)
RETURNS TABLE (mark text, ledger_id uuid, size bigint)
LANGUAGE plpgsql VOLATILE SECURITY INVOKER
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    _from xid8 := pg_snapshot_xmax(_since);
    _running xid8[] := ARRAY(SELECT pg_snapshot_xip(_since));
    _next bigint;
    _end xid8;
    _mark text;
BEGIN
    -- One statement, so that the snapshot and the rows agree. A row has 32 bits of a number; the others follow from _next.
    WITH present AS MATERIALIZED (
        SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next
    ), written AS (
        SELECT p.next - p.next % 4294967296 + t.xmin::text::bigint AS id, p.next
        FROM present AS p CROSS JOIN pg_dist_transaction AS t
    ), doubtful AS (
        SELECT x::text::bigint AS id FROM pg_snapshot_xip(pg_current_snapshot()) AS x
        UNION
        SELECT CASE WHEN w.id < w.next THEN w.id ELSE w.id - 4294967296 END FROM written AS w
    )
    SELECT p.next,
        format('%s:%s:%s', coalesce(min(d.id), p.next), p.next, string_agg(d.id::text, ',' ORDER BY d.id))
    INTO _next, _mark
    FROM present AS p LEFT JOIN doubtful AS d ON true GROUP BY p.next;
    _end := _next::text::xid8;

    RETURN QUERY SELECT _mark, NULL::uuid, NULL::bigint;
    IF _since IS NOT NULL THEN
        RETURN QUERY
        SELECT _mark, l.ledger_id, l.size FROM tenure.ledger AS l WHERE l.changed >= _from AND l.changed < _end;
    END IF;
    IF cardinality(_running) > 0 THEN
        RETURN QUERY
        SELECT _mark, l.ledger_id, l.size FROM tenure.ledger AS l WHERE l.changed = ANY (_running);
    END IF;
END
$$;
