-- Shares of a budget, and the moment from which a row says no more than no row does.
SET LOCAL ROLE tenure_owner;

-- Budgets of known devices fill again, and those of decoys are forgotten after a year. What counts towards the cap of a
-- credential's lifetime has no such moment, and so no place in the index.
ALTER TABLE tenure.budget ADD COLUMN forget_at timestamptz;
CREATE INDEX budget_by_forgetting ON tenure.budget (forget_at) WHERE forget_at IS NOT NULL;

RESET ROLE;

-- What one attempt is charged to now comes as arrays; another list of arguments is another function.
DROP FUNCTION IF EXISTS tenure.charge_attempt(
    uuid, bytea, timestamptz, integer, integer, integer, integer, integer);
DROP FUNCTION IF EXISTS tenure.refund_attempts(uuid, bytea, integer);
