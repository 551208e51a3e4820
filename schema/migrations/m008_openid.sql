-- The OpenID provider and the pages for browsers: browser sessions and browsers that wait, authorization requests,
-- codes, grants, and the app that the pages act as. For row-level security see m002_ledger.sql, for codes of rows
-- m003_claims.sql.
SET LOCAL ROLE tenure_owner;

-- The cookie of a browser, of which there is a digest. It ends with its session, whatever ends that. There is no
-- foreign key: a distributed database takes one only between tables that are distributed in its order.
CREATE TABLE tenure.browser_session (
    ledger_id uuid NOT NULL,
    browser_session_id uuid NOT NULL,
    session_id uuid NOT NULL,
    employee_id uuid NOT NULL,
    digest bytea NOT NULL,
    opened_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    mac bytea NOT NULL,
    CONSTRAINT browser_session_pkey PRIMARY KEY (ledger_id, browser_session_id)
);
CREATE INDEX browser_session_by_end ON tenure.browser_session (ends_at);

-- A request to the authorization endpoint or to the log-out endpoint that waits for a page, sealed under a key that its
-- handle yields. The ledger is the directory of the first byte of the id, as for flows.
CREATE TABLE tenure.authorization_request (
    ledger_id uuid NOT NULL,
    request_id uuid NOT NULL,
    version integer NOT NULL,
    sealed bytea NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT authorization_request_pkey PRIMARY KEY (ledger_id, request_id),
    CONSTRAINT authorization_request_sealed CHECK (octet_length(sealed) BETWEEN 28 AND 32768)
) WITH (fillfactor = 50, toast_tuple_target = 8160);
ALTER TABLE tenure.authorization_request
    ALTER COLUMN sealed SET STORAGE EXTERNAL, ALTER COLUMN sealed SET STATISTICS 0;
CREATE INDEX authorization_request_by_expiry ON tenure.authorization_request (expires_at);

-- An authorization code, of which there is a digest. It stays for ten minutes after its end, so that a second use is
-- noticed. `is_dead` says that somebody presented it wrongly; `methods` and `authenticated_at` are those of the log-in.
CREATE TABLE tenure.authorization_code (
    ledger_id uuid NOT NULL,
    code_id uuid NOT NULL,
    digest bytea NOT NULL,
    session_id uuid NOT NULL,
    employee_id uuid NOT NULL,
    client_id uuid NOT NULL,
    redirect text NOT NULL,
    challenge bytea NOT NULL,
    nonce text,
    scopes text NOT NULL,
    is_dead boolean NOT NULL DEFAULT false,
    expires_at timestamptz NOT NULL,
    forget_at timestamptz NOT NULL,
    methods text NOT NULL,
    authenticated_at timestamptz NOT NULL,
    mac bytea NOT NULL,
    CONSTRAINT authorization_code_pkey PRIMARY KEY (ledger_id, code_id),
    CONSTRAINT authorization_code_nonce CHECK (octet_length(nonce) <= 2048)
);
CREATE INDEX authorization_code_by_end ON tenure.authorization_code (forget_at);

-- A grant of a client. Its tokens are never stored: they are the grant's id and the counter with a code. `session_id`
-- is the session that it goes on under, `opened_in` the one in which the person authorized the client.
CREATE TABLE tenure.client_grant (
    ledger_id uuid NOT NULL,
    grant_id uuid NOT NULL,
    session_id uuid NOT NULL,
    employee_id uuid NOT NULL,
    fingerprint bytea NOT NULL,
    client_id uuid NOT NULL,
    secret_id uuid,
    app_id uuid NOT NULL,
    tenant_version bigint NOT NULL,
    scopes text NOT NULL,
    methods text NOT NULL,
    authenticated_at timestamptz NOT NULL,
    refresh_counter bigint NOT NULL,
    refreshed_at timestamptz NOT NULL,
    access_expires_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    opened_in uuid NOT NULL,
    mac bytea NOT NULL,
    CONSTRAINT client_grant_pkey PRIMARY KEY (ledger_id, grant_id)
);
CREATE INDEX client_grant_by_employee ON tenure.client_grant (ledger_id, employee_id, client_id);
CREATE INDEX client_grant_by_end ON tenure.client_grant (ends_at);

-- The cookie of a browser that waits for the decision about its device key, of which there is a digest. The ledger is
-- that of the tenant. `request` is the handle of the stored authorization request, sealed under a key that the cookie
-- yields; `origin` says where the request came from, sealed. A mail that was sent for the wait has an id, an end and
-- the position of its address in the directory. `tries` counts the codes that were typed.
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
    mac bytea NOT NULL,
    CONSTRAINT browser_wait_pkey PRIMARY KEY (ledger_id, flow_id),
    CONSTRAINT browser_wait_sizes CHECK (octet_length(request) <= 512 AND octet_length(origin) <= 1024)
);
CREATE INDEX browser_wait_by_expiry ON tenure.browser_wait (expires_at);
CREATE INDEX browser_wait_by_mail ON tenure.browser_wait (ledger_id, mail_id);

DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'browser_session', 'authorization_request', 'authorization_code', 'client_grant', 'browser_wait'] LOOP
        EXECUTE format('ALTER TABLE tenure.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY %I ON tenure.%I TO tenure_app USING (CASE'
            ' WHEN strpos(current_setting(''tenure.ledgers'', true), ledger_id::text) > 0 THEN true'
            ' ELSE tenure.outside_scope(ledger_id) END)', name || '_of_ledgers', name);
        EXECUTE format('CREATE POLICY %I ON tenure.%I FOR SELECT TO tenure_reader USING (true)', name || '_for_reader',
            name);
        EXECUTE format('GRANT SELECT ON tenure.%I TO tenure_reader', name);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.%I TO tenure_app', name);
    END LOOP;
END
$$;

-- The app that the pages act as: one row while pages are enabled. It is the one app whose secret lies in the service;
-- see docs/threat_model.md. The secret is sealed under the purpose key `tokens` with a label of its own. The public URL
-- is the one that the service was last started with: device keys of browsers belong to it.
CREATE TABLE tenure.pages_app (
    is_only boolean NOT NULL DEFAULT true,
    app_id uuid NOT NULL,
    secret_id uuid NOT NULL,
    sealed bytea NOT NULL,
    public_url text,
    changed_at timestamptz NOT NULL,
    mac bytea NOT NULL,
    CONSTRAINT pages_app_pkey PRIMARY KEY (is_only),
    CONSTRAINT pages_app_is_only CHECK (is_only),
    CONSTRAINT pages_app_sealed CHECK (octet_length(sealed) BETWEEN 32 AND 256),
    CONSTRAINT pages_app_public_url CHECK (octet_length(public_url) <= 2048)
);
ALTER TABLE tenure.pages_app ALTER COLUMN sealed SET STATISTICS 0;

-- The row belongs to no ledger, so the table has no row-level security.
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.pages_app TO tenure_app;

-- `tenure doctor` asks whether there are pages, and needs no secret.
GRANT SELECT (is_only, app_id, secret_id, public_url, changed_at) ON tenure.pages_app TO tenure_reader;

RESET ROLE;
