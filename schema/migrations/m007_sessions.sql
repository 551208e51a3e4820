-- Sessions, and what ends many of them at once. For row-level security see m002_ledger.sql; for the missing checks of
-- digests see m006_requests.sql.
SET LOCAL ROLE tenure_owner;

-- A session of an employee. The tokens are never stored: of the access token there is a digest, of the refresh token
-- the counter that it carries. `ends_at` is fixed when the session opens, however often its tokens are renewed.
--
-- A session depends on the app and the secret that opened it, and on the version of the tenant's stream at that moment.
-- A session that names none of them is refused.
CREATE TABLE tenure.session (
    ledger_id uuid NOT NULL,
    session_id uuid NOT NULL,
    employee_id uuid NOT NULL,
    fingerprint bytea NOT NULL,
    access_digest bytea NOT NULL,
    access_expires_at timestamptz NOT NULL,
    refresh_expires_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL DEFAULT now() + interval '24 hours',
    app_id uuid,
    secret_id uuid,
    tenant_version bigint,
    refresh_counter bigint NOT NULL DEFAULT 0,
    CONSTRAINT session_pkey PRIMARY KEY (ledger_id, session_id)
);
-- Cancelling an employee or revoking a device key ends the employee's sessions.
CREATE INDEX session_by_employee ON tenure.session (ledger_id, employee_id);

ALTER TABLE tenure.session ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY session_of_ledgers ON tenure.session TO tenure_app
    USING ((ledger_id = ANY ((SELECT nullif(current_setting('tenure.ledgers', true), '')::uuid[])::uuid[])) IS TRUE);
CREATE POLICY session_for_reader ON tenure.session FOR SELECT TO tenure_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.session TO tenure_app;
GRANT SELECT ON tenure.session TO tenure_reader;

-- Ends every session that was opened before `tenant_version` of the tenant's stream through an app (in the tenant's
-- ledger) or by a secret (in the system ledger). The append that unlinks the app or revokes the secret writes the row.
CREATE TABLE tenure.session_cutoff (
    ledger_id uuid NOT NULL,
    subject uuid NOT NULL,
    tenant_version bigint NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT session_cutoff_pkey PRIMARY KEY (ledger_id, subject)
);

ALTER TABLE tenure.session_cutoff ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY session_cutoff_of_ledgers ON tenure.session_cutoff TO tenure_app
    USING ((ledger_id = ANY ((SELECT nullif(current_setting('tenure.ledgers', true), '')::uuid[])::uuid[])) IS TRUE);
CREATE POLICY session_cutoff_for_reader ON tenure.session_cutoff FOR SELECT TO tenure_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.session_cutoff TO tenure_app;
GRANT SELECT ON tenure.session_cutoff TO tenure_reader;

RESET ROLE;
