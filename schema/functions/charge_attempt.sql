-- Charges one attempt, durably and before the evaluation it pays for, to a budget and to the shares of it: to all of them
-- or to none. The row locks make the counts exact over processes; the caller has locked the ledger's head before, so that
-- the order of locks is the same everywhere.
--
-- Whoever is refused hears the longest of the waits: after it an attempt is there, unless others took it. Whoever took the
-- last attempt is told the same, or 0 where the cap of a lifetime was reached.
CREATE OR REPLACE FUNCTION tenure.charge_attempt(
    charge_ledger uuid,
    charge_keys bytea[],
    charge_limits integer[],
    charge_lifetime_caps integer[],
    charge_time timestamptz,
    charge_refill_seconds integer,
    charge_free_of_delay integer,
    charge_delay_seconds integer,
    charge_keep_seconds integer
) RETURNS TABLE (charged boolean, spent integer, exhausted boolean, retry_after_seconds integer)
LANGUAGE plpgsql
SET search_path = pg_catalog, tenure
AS $$
#variable_conflict use_column
DECLARE
    _locked integer;
    _wait interval;
    _charged boolean;
    _spent integer;
    _exhausted boolean;
BEGIN
    PERFORM 1 FROM tenure.budget AS b WHERE b.ledger_id = charge_ledger AND b.key = ANY (charge_keys)
    ORDER BY b.key FOR UPDATE;
    GET DIAGNOSTICS _locked = ROW_COUNT;
    IF _locked < cardinality(charge_keys) THEN
        INSERT INTO tenure.budget (ledger_id, key, spent, lifetime, refilled_at)
        SELECT charge_ledger, part.key, 0, 0, charge_time FROM unnest(charge_keys) AS part (key) ORDER BY part.key
        -- Changes nothing, but locks the row that is there, or makes it anew when a sweep deletes it just now.
        ON CONFLICT ON CONSTRAINT budget_pkey DO UPDATE SET spent = excluded.spent WHERE false;
    END IF;

    SELECT max(tenure.budget_wait(b, part.most, part.cap, charge_time, charge_refill_seconds)) INTO _wait
    FROM unnest(charge_keys, charge_limits, charge_lifetime_caps) AS part (key, most, cap)
    JOIN tenure.budget AS b ON b.ledger_id = charge_ledger AND b.key = part.key;
    IF _wait IS NOT NULL THEN
        RETURN QUERY SELECT false, 0, true, greatest(1, ceil(extract(epoch FROM _wait)))::integer;
        RETURN;
    END IF;

    WITH changed AS (
        UPDATE tenure.budget AS b SET
            spent = now.spent + 1, lifetime = b.lifetime + 1, refilled_at = now.refilled_at,
            blocked_until = CASE
                WHEN charge_free_of_delay > 0 AND now.spent >= charge_free_of_delay THEN charge_time + least(
                    interval '1 hour',
                    make_interval(secs => charge_delay_seconds * 2 ^ least(20, now.spent - charge_free_of_delay)))
                ELSE b.blocked_until
            END,
            -- By days, so that a row nearly always keeps its place in the index: a person's as well as nobody's.
            forget_at = date_trunc('day', charge_time, 'UTC') + interval '1 day'
                + make_interval(secs => charge_keep_seconds)
        FROM unnest(charge_keys, charge_limits, charge_lifetime_caps) WITH ORDINALITY AS part (key, most, cap, number)
        JOIN tenure.budget AS old ON old.ledger_id = charge_ledger AND old.key = part.key
        CROSS JOIN LATERAL tenure.budget_refilled(old, charge_time, charge_refill_seconds) AS now
        WHERE b.ledger_id = charge_ledger AND b.key = part.key
        RETURNING b.spent, b.lifetime, part.*,
            tenure.budget_wait(b, part.most, part.cap, charge_time, charge_refill_seconds) AS wait)
    SELECT count(*) = cardinality(charge_keys), max(spent) FILTER (WHERE number = 1),
        bool_or(spent >= most OR (cap > 0 AND lifetime >= cap)),
        CASE WHEN NOT bool_or(cap > 0 AND lifetime >= cap) THEN max(wait) END
    INTO _charged, _spent, _exhausted, _wait FROM changed;
    RETURN QUERY SELECT _charged, _spent, _exhausted, coalesce(ceil(extract(epoch FROM _wait)), 0)::integer;
END;
$$;

GRANT EXECUTE ON FUNCTION tenure.charge_attempt TO tenure_app;
