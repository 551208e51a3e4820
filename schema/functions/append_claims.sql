-- Gives back and takes the claims of the winners. That a claim is free was decided under its ledger's lock; the unique
-- key is the last wall, and meeting it means that somebody writes claims beside the append.
CREATE OR REPLACE FUNCTION tenure.append_claims(_batch tenure.append_batch, _winners integer[]) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY INVOKER
AS $$
DECLARE
    _due bigint;
    _taken bigint;
BEGIN
    IF cardinality(_batch.releases) > 0 THEN
        SELECT count(*) INTO _due FROM unnest(_batch.releases) AS r WHERE r.caller = ANY (_winners);
        DELETE FROM tenure.claim AS c USING unnest(_batch.releases) AS r
        WHERE r.caller = ANY (_winners) AND c.ledger_id = r.ledger_id AND c.kind = r.kind AND c.key = r.key
            AND c.owner = coalesce(r.owner, c.owner);
        GET DIAGNOSTICS _taken = ROW_COUNT;
        IF _taken <> _due THEN
            RAISE EXCEPTION 'a claim was given back beside the append' USING ERRCODE = 'serialization_failure';
        END IF;
    END IF;
    IF cardinality(_batch.claims) > 0 THEN
        DELETE FROM tenure.claim AS c USING unnest(_batch.claims) AS t
        WHERE t.caller = ANY (_winners) AND c.ledger_id = t.ledger_id AND c.kind = t.kind AND c.key = t.key
            AND c.expires_at <= _batch.times[t.caller];
        SELECT count(*) INTO _due FROM unnest(_batch.claims) AS t WHERE t.caller = ANY (_winners);
        INSERT INTO tenure.claim (ledger_id, kind, key, owner, value, expires_at)
        SELECT t.ledger_id, t.kind, t.key, t.owner, t.value, t.expires_at
        FROM unnest(_batch.claims) AS t WHERE t.caller = ANY (_winners) ORDER BY t.ledger_id, t.kind, t.key
        ON CONFLICT DO NOTHING;
        GET DIAGNOSTICS _taken = ROW_COUNT;
        IF _taken <> _due THEN
            RAISE EXCEPTION 'a claim was taken beside the append' USING ERRCODE = 'serialization_failure';
        END IF;
    END IF;
END
$$;
