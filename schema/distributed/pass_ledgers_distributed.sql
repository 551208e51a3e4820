-- The form of ../functions/pass_ledgers.sql for a distributed database: a few statements for each ledger. The rows are
-- locked before the head is read, so that they are never ahead of it.
CREATE OR REPLACE FUNCTION tenure.pass_ledgers(
    _ledgers uuid[], _projections text[], _revisions integer[], _reach bigint, _ignored text[])
RETURNS TABLE (ledger_id uuid, "position" bigint, size bigint, is_passed boolean)
LANGUAGE plpgsql VOLATILE SECURITY INVOKER
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    _live text[];
    _ledger uuid;
    _held text[];
    _position bigint;
    _size bigint;
    _is_passed boolean;
BEGIN
    -- Names of projections with the numbers of their live generations.
    _live := ARRAY(
        SELECT format('%s/%s', g.projection, g.live) FROM tenure.projection_generation AS g
        JOIN unnest(_projections, _revisions) AS m(projection, revision)
            ON m.projection = g.projection AND m.revision >= g.live_revision);
    FOREACH _ledger IN ARRAY _ledgers LOOP
        SELECT array_agg(h.name), min(h.position) INTO _held, _position FROM (
            SELECT p.projection || '/' || p.generation AS name, p.position FROM tenure.projection_progress AS p
            WHERE p.ledger_id = _ledger AND p.failure IS NULL AND p.projection || '/' || p.generation = ANY (_live)
            FOR NO KEY UPDATE OF p SKIP LOCKED) AS h;
        CONTINUE WHEN coalesce(cardinality(_held), 0) <> cardinality(_projections);
        _size := NULL;
        SELECT v.size INTO _size FROM tenure.ledger AS v WHERE v.ledger_id = _ledger;
        CONTINUE WHEN _size IS NULL;
        _is_passed := false;
        IF _size - _position <= _reach THEN
            PERFORM 1 FROM tenure.event AS e
            WHERE e.ledger_id = _ledger AND e.position > _position AND e.position <= _size AND e.type <> ALL (_ignored)
            LIMIT 1;
            _is_passed := NOT FOUND;
        END IF;
        IF _is_passed AND _position < _size THEN
            UPDATE tenure.projection_progress AS p SET position = _size
            WHERE p.ledger_id = _ledger AND p.projection || '/' || p.generation = ANY (_held) AND p.position < _size;
        END IF;
        RETURN QUERY SELECT _ledger, _position, _size, _is_passed;
    END LOOP;
END
$$;
