-- What is over is deleted wherever it lies, and no longer by each request for its own ledger.
SET LOCAL ROLE tenure_owner;

DROP INDEX tenure.recovery_request_by_expiry;
CREATE INDEX recovery_request_by_end ON tenure.recovery_request (expires_at);

RESET ROLE;
