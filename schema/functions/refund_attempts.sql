-- Refunds the charges of one flow after its success, to the budget and its shares. Charges of other flows stay spent.
--
-- A budget without further charges loses its row. Otherwise the time of the next charge would tell whether the user
-- ever logged in from another device.
CREATE OR REPLACE FUNCTION tenure.refund_attempts(
    refund_ledger uuid,
    refund_keys bytea[],
    refund_count integer
) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, tenure
AS $$
BEGIN
    -- PL/pgSQL keeps the plan of this statement. A function in SQL would be planned at each call.
    WITH gone AS (
        DELETE FROM tenure.budget
        WHERE ledger_id = refund_ledger AND key = ANY (refund_keys) AND greatest(spent, lifetime) <= refund_count
    )
    UPDATE tenure.budget SET
        spent = greatest(0, spent - refund_count),
        lifetime = greatest(0, lifetime - refund_count),
        blocked_until = NULL
    WHERE ledger_id = refund_ledger AND key = ANY (refund_keys) AND greatest(spent, lifetime) > refund_count;
END
$$;

-- Refunds the charges of one flow to the budget of a known device. Its lifetime counts failures in a row, so a success
-- sets it to 0.
CREATE OR REPLACE FUNCTION tenure.refund_known_device(
    refund_ledger uuid,
    refund_keys bytea[],
    refund_count integer
) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, tenure
AS $$
BEGIN
    WITH gone AS (
        DELETE FROM tenure.budget
        WHERE ledger_id = refund_ledger AND key = ANY (refund_keys) AND spent <= refund_count
    )
    UPDATE tenure.budget SET spent = spent - refund_count, lifetime = 0, blocked_until = NULL
    WHERE ledger_id = refund_ledger AND key = ANY (refund_keys) AND spent > refund_count;
END
$$;

GRANT EXECUTE ON FUNCTION tenure.refund_attempts TO tenure_app;
GRANT EXECUTE ON FUNCTION tenure.refund_known_device TO tenure_app;
