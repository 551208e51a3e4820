-- Recoveries that wait for somebody of a company, for the list that its admins see: random ids and a key's fingerprint.
SET LOCAL ROLE tenure_owner;

-- What is decided stands in the log; these rows decide nothing. A row of a company lies under its ledger. One that belongs to
-- nobody, written so that it costs the same, lies under some directory and goes with what expires there.
CREATE TABLE tenure.recovery_request (
    ledger_id uuid NOT NULL,
    employee_id uuid NOT NULL,
    fingerprint bytea NOT NULL,
    requested_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    is_open boolean NOT NULL DEFAULT false,
    CONSTRAINT recovery_request_pkey PRIMARY KEY (ledger_id, employee_id, fingerprint),
    CONSTRAINT recovery_request_fingerprint CHECK (octet_length(fingerprint) = 32)
);
CREATE INDEX recovery_request_by_expiry ON tenure.recovery_request (ledger_id, expires_at);
-- The list of a company is read from its end, however long it is.
CREATE INDEX recovery_request_by_time ON tenure.recovery_request (ledger_id, is_open, requested_at);

ALTER TABLE tenure.recovery_request ENABLE ROW LEVEL SECURITY;
ALTER TABLE tenure.recovery_request FORCE ROW LEVEL SECURITY;
CREATE POLICY recovery_request_of_ledgers ON tenure.recovery_request TO tenure_app USING ((ledger_id = ANY
    ((SELECT nullif(current_setting('tenure.ledgers', true), '')::uuid[])::uuid[])) IS TRUE);
CREATE POLICY recovery_request_for_reader ON tenure.recovery_request FOR SELECT TO tenure_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.recovery_request TO tenure_app;
GRANT SELECT ON tenure.recovery_request TO tenure_reader;

RESET ROLE;
