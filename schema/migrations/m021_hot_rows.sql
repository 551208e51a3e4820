-- What every step of a log-in pays for its short-lived rows.
SET LOCAL ROLE tenure_owner;

-- The charge computes waits and refills by itself, at once for the budget and its shares; and it answers one row, which
-- needs no set of rows.
DROP FUNCTION IF EXISTS tenure.budget_wait(tenure.budget, integer, integer, timestamptz, integer);
DROP FUNCTION IF EXISTS tenure.budget_refilled(tenure.budget, timestamptz, integer);
DROP FUNCTION IF EXISTS tenure.charge_attempt(
    uuid, bytea[], integer[], integer[], timestamptz, integer, integer, integer, integer);

-- The server reads the text of every check anew for each statement that writes to a table. These held digests of a fixed
-- length to their length, and constants to theirs: a row with another one is never found. What strangers make long keeps
-- its limit.
ALTER TABLE tenure.idempotency DROP CONSTRAINT idempotency_key, DROP CONSTRAINT idempotency_fingerprint,
    DROP CONSTRAINT idempotency_state;
ALTER TABLE tenure.flow DROP CONSTRAINT flow_version;
ALTER TABLE tenure.budget DROP CONSTRAINT budget_key;

RESET ROLE;
