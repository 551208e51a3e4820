-- Budgets from which everything was given back say what no row says, and a refund leaves none any more.
SET LOCAL ROLE tenure_owner;

ALTER TABLE tenure.budget NO FORCE ROW LEVEL SECURITY;
DELETE FROM tenure.budget WHERE spent = 0 AND lifetime = 0;
ALTER TABLE tenure.budget FORCE ROW LEVEL SECURITY;

RESET ROLE;
