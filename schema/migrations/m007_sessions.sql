-- Sessions, what ends many of them at once, and replies to refreshes. For row-level security see m002_ledger.sql, for
-- codes of rows m003_claims.sql, and for the missing checks of digests m006_requests.sql.
SET LOCAL ROLE tenure_owner;

-- A session of an employee. The tokens are never stored: of the access token there is a digest, of the refresh token
-- the counter that it carries. `ends_at` is fixed when the session opens, however often its tokens are renewed.
--
-- A session depends on the app and the secret that opened it, and on the version of the tenant's stream at that moment.
-- A session that names none of them is refused. `methods` says how the person logged in: values of RFC 8176, separated
-- by spaces. `used_at` says when the session of a browser was used last, five minutes more or less; sessions with tokens
-- have none.
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
    methods text NOT NULL,
    used_at timestamptz,
    mac bytea NOT NULL,
    CONSTRAINT session_pkey PRIMARY KEY (ledger_id, session_id)
);
-- Cancelling an employee or revoking a device key ends the employee's sessions.
CREATE INDEX session_by_employee ON tenure.session (ledger_id, employee_id);

ALTER TABLE tenure.session ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY session_of_ledgers ON tenure.session TO tenure_app USING (CASE
    WHEN strpos(current_setting('tenure.ledgers', true), ledger_id::text) > 0 THEN true
    ELSE tenure.outside_scope(ledger_id) END);
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
    mac bytea NOT NULL,
    CONSTRAINT session_cutoff_pkey PRIMARY KEY (ledger_id, subject)
);

ALTER TABLE tenure.session_cutoff ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY session_cutoff_of_ledgers ON tenure.session_cutoff TO tenure_app USING (CASE
    WHEN strpos(current_setting('tenure.ledgers', true), ledger_id::text) > 0 THEN true
    ELSE tenure.outside_scope(ledger_id) END);
CREATE POLICY session_cutoff_for_reader ON tenure.session_cutoff FOR SELECT TO tenure_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.session_cutoff TO tenure_app;
GRANT SELECT ON tenure.session_cutoff TO tenure_reader;

-- The reply to the newest refresh of a session, for whoever presents the same token once more within ten seconds. It
-- is sealed under a key that the token yields.
CREATE TABLE tenure.refresh_reply (
    ledger_id uuid NOT NULL,
    session_id uuid NOT NULL,
    refresh_counter bigint NOT NULL,
    exchanged_at timestamptz NOT NULL,
    sealed bytea NOT NULL,
    CONSTRAINT refresh_reply_pkey PRIMARY KEY (ledger_id, session_id),
    CONSTRAINT refresh_reply_sealed CHECK (octet_length(sealed) BETWEEN 28 AND 65536)
) WITH (fillfactor = 50);
-- Without statistics no sample of a reply outlives its row; see m005_keys.sql.
ALTER TABLE tenure.refresh_reply ALTER COLUMN sealed SET STATISTICS 0;
-- The sweeper reads what is ten seconds old, in all ledgers.
CREATE INDEX refresh_reply_by_time ON tenure.refresh_reply (exchanged_at);

ALTER TABLE tenure.refresh_reply ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY refresh_reply_of_ledgers ON tenure.refresh_reply TO tenure_app USING (CASE
    WHEN strpos(current_setting('tenure.ledgers', true), ledger_id::text) > 0 THEN true
    ELSE tenure.outside_scope(ledger_id) END);
CREATE POLICY refresh_reply_for_reader ON tenure.refresh_reply FOR SELECT TO tenure_reader USING (true);
GRANT SELECT ON tenure.refresh_reply TO tenure_reader;
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.refresh_reply TO tenure_app;

RESET ROLE;
