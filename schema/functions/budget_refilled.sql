-- A budget as it stands at a time: every refill_seconds gave one attempt back. A clock that ran backwards gives nothing.
--
-- It has no settings of its own, which would cost more than it does: charge_attempt, which calls it, has them.
CREATE OR REPLACE FUNCTION tenure.budget_refilled(
    budget tenure.budget,
    refill_time timestamptz,
    refill_seconds integer
) RETURNS tenure.budget
LANGUAGE plpgsql IMMUTABLE
AS $$
DECLARE
    _refills bigint := greatest(0, floor(extract(epoch FROM refill_time - budget.refilled_at) / refill_seconds));
BEGIN
    IF _refills >= budget.spent THEN
        budget.spent := 0;
        budget.refilled_at := greatest(budget.refilled_at, refill_time);
    ELSE
        budget.spent := budget.spent - _refills;
        budget.refilled_at := budget.refilled_at + make_interval(secs => _refills * refill_seconds);
    END IF;
    RETURN budget;
END;
$$;

GRANT EXECUTE ON FUNCTION tenure.budget_refilled TO tenure_app;
