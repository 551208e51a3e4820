-- The OpenID provider: browser sessions, authorization requests, codes and grants. For row-level security see
-- m015_scope.sql; for codes of rows see m017_row_codes.sql.
SET LOCAL ROLE tenure_owner;

-- The cookie of a browser, of which there is a digest. It ends with its session, whatever ends that. There is no foreign
-- key: a distributed database takes one only between tables that are distributed in its order.
CREATE TABLE tenure.browser_session (
    ledger_id uuid NOT NULL,
    browser_session_id uuid NOT NULL,
    session_id uuid NOT NULL,
    employee_id uuid NOT NULL,
    digest bytea NOT NULL,
    opened_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    mac bytea,
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
    mac bytea,
    CONSTRAINT authorization_code_pkey PRIMARY KEY (ledger_id, code_id),
    CONSTRAINT authorization_code_nonce CHECK (octet_length(nonce) <= 2048)
);
CREATE INDEX authorization_code_by_end ON tenure.authorization_code (forget_at);

-- A grant of a client. Its tokens are never stored: they are the grant's id and the counter with a code. `session_id` is
-- the session that it goes on under, `opened_in` the one in which the person authorized the client.
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
    mac bytea,
    CONSTRAINT client_grant_pkey PRIMARY KEY (ledger_id, grant_id)
);
CREATE INDEX client_grant_by_employee ON tenure.client_grant (ledger_id, employee_id, client_id);
CREATE INDEX client_grant_by_end ON tenure.client_grant (ends_at);

DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['browser_session', 'authorization_request', 'authorization_code', 'client_grant']
    LOOP
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

RESET ROLE;
