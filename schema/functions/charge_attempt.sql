-- Charges one attempt to a budget, durably and before the evaluation it pays for. The row lock makes the count exact
-- over processes; the caller has locked the ledger's head before, so that the order of locks is the same everywhere.
CREATE OR REPLACE FUNCTION tenure.charge_attempt(
    charge_ledger uuid,
    charge_key bytea,
    charge_time timestamptz,
    charge_limit integer,
    charge_refill_seconds integer,
    charge_lifetime_cap integer,
    charge_free_of_delay integer,
    charge_delay_seconds integer
) RETURNS TABLE (charged boolean, spent integer, locked boolean, retry_after_seconds integer)
LANGUAGE plpgsql
SET search_path = pg_catalog, tenure
AS $$
#variable_conflict use_column
DECLARE
    _row tenure.budget;
    _refills bigint;
    _wait interval;
BEGIN
    INSERT INTO tenure.budget (ledger_id, key, spent, lifetime, refilled_at)
    VALUES (charge_ledger, charge_key, 0, 0, charge_time)
    ON CONFLICT DO NOTHING;
    SELECT * INTO STRICT _row FROM tenure.budget
    WHERE budget.ledger_id = charge_ledger AND budget.key = charge_key FOR UPDATE;

    -- A clock that ran backwards refills nothing.
    _refills := greatest(0, floor(extract(epoch FROM charge_time - _row.refilled_at) / charge_refill_seconds));
    IF _refills >= _row.spent THEN
        _row.spent := 0;
        _row.refilled_at := greatest(_row.refilled_at, charge_time);
    ELSE
        _row.spent := _row.spent - _refills;
        _row.refilled_at := _row.refilled_at + make_interval(secs => _refills * charge_refill_seconds);
    END IF;

    IF charge_lifetime_cap > 0 AND _row.lifetime >= charge_lifetime_cap THEN
        -- Only new credentials end this: the outputs learned so far survive every refill.
        _wait := interval '1 day';
    ELSIF _row.blocked_until > charge_time THEN
        _wait := _row.blocked_until - charge_time;
    ELSIF _row.spent >= charge_limit THEN
        _wait := _row.refilled_at + make_interval(secs => charge_refill_seconds) - charge_time;
    END IF;
    IF _wait IS NOT NULL THEN
        RETURN QUERY SELECT false, _row.spent, true, greatest(1, ceil(extract(epoch FROM _wait)))::integer;
        RETURN;
    END IF;

    _row.spent := _row.spent + 1;
    IF charge_free_of_delay > 0 AND _row.spent > charge_free_of_delay THEN
        _row.blocked_until := charge_time + least(
            interval '1 hour',
            make_interval(secs => charge_delay_seconds * 2 ^ least(20, _row.spent - charge_free_of_delay - 1)));
    END IF;
    UPDATE tenure.budget SET
        spent = _row.spent, lifetime = budget.lifetime + 1,
        refilled_at = _row.refilled_at, blocked_until = _row.blocked_until
    WHERE budget.ledger_id = charge_ledger AND budget.key = charge_key;
    RETURN QUERY SELECT true, _row.spent, _row.spent >= charge_limit, 0;
END;
$$;

GRANT EXECUTE ON FUNCTION tenure.charge_attempt TO tenure_app;
