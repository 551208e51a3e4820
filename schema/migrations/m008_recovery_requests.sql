-- Recoveries that wait for a decision of the tenant, for the list that its admins see: random ids and a device key's
-- fingerprint. For row-level security see m002_ledger.sql.
--
-- The log holds what is decided; these rows decide nothing. A row of a tenant lies under the tenant's ledger. The row
-- of a decoy, written so that both cost the same, lies under the id of the app that asked, which keeps the newest
-- 10,000.
SET LOCAL ROLE tenure_owner;

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
-- A tenant's list is read from its end, however long it is. So are the decoys of an app.
CREATE INDEX recovery_request_by_time ON tenure.recovery_request (ledger_id, is_open, requested_at);
-- The sweeper deletes what expired, in all ledgers.
CREATE INDEX recovery_request_by_end ON tenure.recovery_request (expires_at);

ALTER TABLE tenure.recovery_request ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY recovery_request_of_ledgers ON tenure.recovery_request TO tenure_app
    USING ((ledger_id = ANY ((SELECT nullif(current_setting('tenure.ledgers', true), '')::uuid[])::uuid[])) IS TRUE);
CREATE POLICY recovery_request_for_reader ON tenure.recovery_request FOR SELECT TO tenure_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.recovery_request TO tenure_app;
GRANT SELECT ON tenure.recovery_request TO tenure_reader;

RESET ROLE;
