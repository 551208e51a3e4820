-- As for the idempotency rows (m021): these checks held digests that the service computes to their length, and the server
-- read their text anew for each statement that writes. A row with another digest is never found. One table for each
-- migration, so that it and a request cannot wait for each other.
SET LOCAL ROLE tenure_owner;

ALTER TABLE tenure.session DROP CONSTRAINT session_fingerprint, DROP CONSTRAINT session_access_digest,
    DROP CONSTRAINT session_refresh_digest, DROP CONSTRAINT session_previous_refresh_digest;

RESET ROLE;
