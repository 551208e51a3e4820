-- Browsers of the pages that wait for the decision about their device key, see m022_openid.sql for those that have a
-- session. For row-level security see m015_scope.sql; for codes of rows see m017_row_codes.sql.
SET LOCAL ROLE tenure_owner;

-- The cookie of a waiting browser, of which there is a digest. The ledger is that of the tenant. `request` is the
-- handle of the stored authorization request, sealed under a key that the cookie yields; `origin` says where the
-- request came from, sealed. A mail that was sent for the wait has an id, an end and the position of its address in the
-- directory. `tries` counts the codes that were typed.
CREATE TABLE tenure.browser_wait (
    ledger_id uuid NOT NULL,
    flow_id uuid NOT NULL,
    digest bytea NOT NULL,
    employee_id uuid NOT NULL,
    fingerprint bytea NOT NULL,
    credential_id uuid NOT NULL,
    app_id uuid NOT NULL,
    methods text NOT NULL,
    proved_at timestamptz NOT NULL,
    request bytea,
    origin bytea NOT NULL,
    mail_id uuid,
    mail_until timestamptz,
    address bigint,
    tries bigint NOT NULL DEFAULT 0,
    expires_at timestamptz NOT NULL,
    mac bytea,
    CONSTRAINT browser_wait_pkey PRIMARY KEY (ledger_id, flow_id),
    CONSTRAINT browser_wait_sizes CHECK (octet_length(request) <= 512 AND octet_length(origin) <= 1024)
);
CREATE INDEX browser_wait_by_expiry ON tenure.browser_wait (expires_at);
CREATE INDEX browser_wait_by_mail ON tenure.browser_wait (ledger_id, mail_id);

ALTER TABLE tenure.browser_wait ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY browser_wait_of_ledgers ON tenure.browser_wait TO tenure_app USING (CASE
    WHEN strpos(current_setting('tenure.ledgers', true), ledger_id::text) > 0 THEN true
    ELSE tenure.outside_scope(ledger_id) END);
CREATE POLICY browser_wait_for_reader ON tenure.browser_wait FOR SELECT TO tenure_reader USING (true);
GRANT SELECT ON tenure.browser_wait TO tenure_reader;
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.browser_wait TO tenure_app;

RESET ROLE;
