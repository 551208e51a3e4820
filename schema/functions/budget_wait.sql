-- How long a budget refuses attempts from a time on, or NULL where it has one to give.
--
-- A budget that reached the cap of its lifetime names the next refill like any other that is spent: nobody sees from
-- outside that only new credentials end it. The outputs learned so far survive every refill.
-- For the settings see budget_refilled.sql.
CREATE OR REPLACE FUNCTION tenure.budget_wait(
    budget tenure.budget,
    wait_limit integer,
    wait_lifetime_cap integer,
    wait_time timestamptz,
    wait_refill_seconds integer
) RETURNS interval
LANGUAGE plpgsql IMMUTABLE
AS $$
DECLARE
    _now tenure.budget := tenure.budget_refilled(budget, wait_time, wait_refill_seconds);
    _since numeric := extract(epoch FROM wait_time - budget.refilled_at);
    _wait interval;
BEGIN
    IF budget.blocked_until > wait_time THEN
        _wait := budget.blocked_until - wait_time;
    END IF;
    IF _now.spent >= wait_limit OR (wait_lifetime_cap > 0 AND budget.lifetime >= wait_lifetime_cap) THEN
        _wait := greatest(_wait, make_interval(secs => wait_refill_seconds - mod(_since, wait_refill_seconds)));
    END IF;
    RETURN _wait;
END;
$$;

GRANT EXECUTE ON FUNCTION tenure.budget_wait TO tenure_app;
