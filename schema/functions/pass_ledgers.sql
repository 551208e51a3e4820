-- Moves the projections of many ledgers to the heads, where no event in between changes one, and answers the standing of
-- each ledger whose projections all have a row, run, and are not locked by another program.
--
-- Rows are locked in their present state, while heads and events are seen as of the statement's snapshot. A row may
-- therefore be ahead of the visible head, and then stays. But every event that the head counts is visible. Each table is
-- reached through the ledgers only: the planner does not rearrange subqueries that lock or have OFFSET 0. For the settings
-- see append.sql.
CREATE OR REPLACE FUNCTION tenure.pass_ledgers(
    _ledgers uuid[], _projections text[], _revisions integer[], _reach bigint, _ignored text[])
RETURNS TABLE (ledger_id uuid, "position" bigint, size bigint, is_passed boolean)
LANGUAGE plpgsql VOLATILE SECURITY INVOKER
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_generic_plan SET jit = off
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH live AS MATERIALIZED (
        SELECT g.projection, g.live AS generation FROM tenure.projection_generation AS g
        JOIN unnest(_projections, _revisions) AS m(projection, revision)
            ON m.projection = g.projection AND m.revision >= g.live_revision
    ), held AS MATERIALIZED (
        SELECT w.ledger_id, r.position FROM unnest(_ledgers) AS w(ledger_id)
        CROSS JOIN LATERAL (
            SELECT p.position FROM live AS l JOIN tenure.projection_progress AS p
                ON p.ledger_id = w.ledger_id AND p.projection = l.projection AND p.generation = l.generation
            WHERE p.failure IS NULL FOR NO KEY UPDATE OF p SKIP LOCKED
        ) AS r
    ), standing AS MATERIALIZED (
        SELECT s.ledger_id, s.position, h.size,
            h.size - s.position <= _reach AND NOT EXISTS (
                SELECT FROM tenure.event AS e
                WHERE e.ledger_id = s.ledger_id AND e.position > s.position AND e.position <= h.size
                    AND e.type <> ALL (_ignored)) AS is_passed
        FROM (
            SELECT h.ledger_id, min(h.position) AS position FROM held AS h
            GROUP BY h.ledger_id HAVING count(*) = cardinality(_projections)
        ) AS s CROSS JOIN LATERAL (
            SELECT v.size FROM tenure.ledger AS v WHERE v.ledger_id = s.ledger_id OFFSET 0
        ) AS h
    ), moved AS (
        UPDATE tenure.projection_progress AS p SET position = s.size FROM standing AS s
        WHERE s.is_passed AND p.ledger_id = s.ledger_id AND p.position < s.size
            AND p.generation = (SELECT l.generation FROM live AS l WHERE l.projection = p.projection)
    )
    SELECT s.ledger_id, s.position, s.size, s.is_passed FROM standing AS s;
END
$$;
