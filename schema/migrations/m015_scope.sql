-- One form of the policies for a single server and for a distributed database, which takes no sub-select in a policy.
--
-- The rows of the ledgers in tenure.ledgers are visible. For every other row tenure.outside_scope decides: it answers
-- false, or fails if the transaction named no ledgers, so that a forgotten scope is not taken for an empty table. The
-- setting is compared as text, because an array would be parsed for each row; docs/measurements has the cost.
SET LOCAL ROLE tenure_owner;

-- It takes the ledger only to depend on the row. Otherwise it would be called when the statement is planned.
CREATE FUNCTION tenure.outside_scope(_ledger uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY INVOKER
AS $$
BEGIN
    IF coalesce(pg_catalog.current_setting('tenure.ledgers', true), '') = '' THEN
        RAISE EXCEPTION 'the transaction names no ledgers'
            USING ERRCODE = 'insufficient_privilege', HINT = 'Call tenure.enter_scope first, after BEGIN.';
    END IF;
    RETURN false;
END
$$;

DO $$
DECLARE
    _policy record;
BEGIN
    FOR _policy IN
        SELECT p.polname, c.relname FROM pg_policy AS p JOIN pg_class AS c ON c.oid = p.polrelid
        WHERE c.relnamespace = 'tenure'::regnamespace AND p.polname = c.relname || '_of_ledgers'
    LOOP
        EXECUTE format(
            'ALTER POLICY %I ON tenure.%I USING (CASE
                WHEN strpos(current_setting(''tenure.ledgers'', true), ledger_id::text) > 0 THEN true
                ELSE tenure.outside_scope(ledger_id) END)', _policy.polname, _policy.relname);
    END LOOP;
END
$$;

-- It answers a mark for the next look now, and a function cannot change what it returns; functions/ makes it again.
DROP FUNCTION IF EXISTS tenure.changed_ledgers(pg_snapshot);

RESET ROLE;
