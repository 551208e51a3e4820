-- A key is a digest that the service computes. See m024. That nothing spent is below 0 is still checked.
SET LOCAL ROLE tenure_owner;

ALTER TABLE tenure.budget DROP CONSTRAINT budget_key;

RESET ROLE;
