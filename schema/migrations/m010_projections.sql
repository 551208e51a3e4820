-- The projections: how they are kept, who does shared work, and the tables of the read models. For row-level security
-- see m002_ledger.sql.
--
-- Everything in a projection follows from the log and can be rebuilt. A projection has generations. One is live; a
-- rebuild fills another one beside it, and one update of projection_generation makes the cut-over.
SET LOCAL ROLE tenure_owner;

-- The live generation of each projection and the revision of the program that folded it, and the same of the generation
-- that is being built. A program of a greater revision rebuilds the projection.
CREATE TABLE tenure.projection_generation (
    projection text COLLATE "C" NOT NULL,
    live integer NOT NULL,
    building integer,
    building_revision integer,
    live_revision integer NOT NULL DEFAULT 1,
    CONSTRAINT projection_generation_pkey PRIMARY KEY (projection),
    CONSTRAINT projection_generation_live CHECK (live >= 1),
    CONSTRAINT projection_generation_building CHECK (building > live),
    CONSTRAINT projection_generation_revision CHECK ((building IS NULL) = (building_revision IS NULL))
) WITH (fillfactor = 50);

INSERT INTO tenure.projection_generation (projection, live, live_revision) VALUES
    ('employee_keys', 1, 1), ('employees', 1, 1), ('first_security_admins', 1, 1), ('mpin_identities', 1, 1),
    ('pending_authorizations', 1, 1), ('tenants', 1, 1);

GRANT SELECT ON tenure.projection_generation TO tenure_app;
GRANT SELECT, UPDATE ON tenure.projection_generation TO tenure_reader;

-- How far a projection has read a ledger; committed together with the rows of the projection. A projection that cannot
-- apply an event stops before it, for that ledger alone, and says why.
CREATE TABLE tenure.projection_progress (
    ledger_id uuid NOT NULL,
    projection text COLLATE "C" NOT NULL,
    generation integer NOT NULL,
    position bigint NOT NULL,
    failed_at_position bigint,
    failure text,
    CONSTRAINT projection_progress_pkey PRIMARY KEY (ledger_id, projection, generation),
    CONSTRAINT projection_progress_position CHECK (position >= 0),
    CONSTRAINT projection_progress_failure CHECK (
        (failed_at_position IS NULL) = (failure IS NULL) AND failed_at_position = position + 1)
) WITH (fillfactor = 70);
-- What a generation consists of, page by page: for building, comparing and dropping it.
CREATE INDEX projection_progress_by_generation ON tenure.projection_progress (projection, generation, ledger_id);
-- Stopped projections are asked for often, and there are few of them.
CREATE INDEX projection_progress_stopped
    ON tenure.projection_progress (ledger_id, projection) WHERE failure IS NOT NULL;

-- The service reads projections and never writes them. The projector runs as the reader role, which writes nothing
-- else.
ALTER TABLE tenure.projection_progress ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY projection_progress_of_ledgers ON tenure.projection_progress FOR SELECT TO tenure_app USING (CASE
    WHEN strpos(current_setting('tenure.ledgers', true), ledger_id::text) > 0 THEN true
    ELSE tenure.outside_scope(ledger_id) END);
CREATE POLICY projection_progress_for_reader ON tenure.projection_progress
    TO tenure_reader USING (true) WITH CHECK (true);
GRANT SELECT ON tenure.projection_progress TO tenure_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.projection_progress TO tenure_reader;

-- Who does a piece of work that one process should do. It saves work and decides nothing: a process without the lease,
-- or one that still believes in a lease that has ended, is as correct.
CREATE TABLE tenure.lease (
    name text COLLATE "C" NOT NULL,
    holder uuid NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT lease_pkey PRIMARY KEY (name),
    CONSTRAINT lease_name CHECK (octet_length(name) BETWEEN 1 AND 32)
) WITH (fillfactor = 50);
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.lease TO tenure_reader;

-- The read models: what projections fold from the ledgers of tenants. Personal texts stay encrypted here, as in the
-- event: {"event", "pointer", "sealed": {"k", "c"}}.

-- A tenant.
CREATE TABLE tenure.tenants (
    ledger_id uuid NOT NULL,
    generation integer NOT NULL,
    company_name text COLLATE "C" NOT NULL,
    founded_at timestamptz NOT NULL,
    employees bigint NOT NULL,
    confirmed_domain text COLLATE "C",
    key_authorization text COLLATE "C" NOT NULL,
    approval text COLLATE "C" NOT NULL,
    blind_only boolean NOT NULL,
    questions_with_passphrase boolean NOT NULL,
    linked_apps json NOT NULL,
    security_admin_id uuid NOT NULL,
    changed_position bigint NOT NULL,
    registration_mode text COLLATE "C" NOT NULL DEFAULT 'open',
    recovery_delay_hours integer NOT NULL DEFAULT 24,
    admin_session_hours integer NOT NULL DEFAULT 1,
    log_in text COLLATE "C" NOT NULL DEFAULT 'secret',
    admins_need_passkey boolean NOT NULL DEFAULT false,
    cloned_key text COLLATE "C" NOT NULL DEFAULT 'report',
    CONSTRAINT tenants_pkey PRIMARY KEY (ledger_id, generation)
) WITH (fillfactor = 70);

-- An app lists the tenants that it is linked to. The index is of the class jsonb_ops, because jsonb_path_ops does not
-- know the operator `?`.
CREATE INDEX tenants_by_linked_app ON tenure.tenants USING gin ((linked_apps::jsonb));

ALTER TABLE tenure.tenants ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants_of_ledgers ON tenure.tenants FOR SELECT TO tenure_app USING (CASE
    WHEN strpos(current_setting('tenure.ledgers', true), ledger_id::text) > 0 THEN true
    ELSE tenure.outside_scope(ledger_id) END);
CREATE POLICY tenants_for_reader ON tenure.tenants TO tenure_reader USING (true) WITH CHECK (true);
GRANT SELECT ON tenure.tenants TO tenure_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.tenants TO tenure_reader;

-- The employees that `tenants.employees` does not count: its next change depends on them.
CREATE TABLE tenure.tenant_cancelled_employees (
    ledger_id uuid NOT NULL,
    generation integer NOT NULL,
    employee_id uuid NOT NULL,
    CONSTRAINT tenant_cancelled_employees_pkey PRIMARY KEY (ledger_id, generation, employee_id)
);

ALTER TABLE tenure.tenant_cancelled_employees ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_cancelled_employees_of_ledgers ON tenure.tenant_cancelled_employees
    FOR SELECT TO tenure_app USING (CASE
    WHEN strpos(current_setting('tenure.ledgers', true), ledger_id::text) > 0 THEN true
    ELSE tenure.outside_scope(ledger_id) END);
CREATE POLICY tenant_cancelled_employees_for_reader ON tenure.tenant_cancelled_employees
    TO tenure_reader USING (true) WITH CHECK (true);
GRANT SELECT ON tenure.tenant_cancelled_employees TO tenure_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.tenant_cancelled_employees TO tenure_reader;

-- An employee.
CREATE TABLE tenure.employees (
    ledger_id uuid NOT NULL,
    generation integer NOT NULL,
    employee_id uuid NOT NULL,
    user_id uuid NOT NULL,
    company_employee_id json NOT NULL,
    email json NOT NULL,
    is_company_owned_email boolean NOT NULL,
    status text COLLATE "C" NOT NULL,
    role text COLLATE "C" NOT NULL,
    is_approved boolean NOT NULL,
    is_appointed boolean NOT NULL,
    is_reclaimed boolean NOT NULL,
    registered_at timestamptz NOT NULL,
    registered_position bigint NOT NULL,
    changed_at timestamptz NOT NULL,
    changed_position bigint NOT NULL,
    is_provisional boolean NOT NULL DEFAULT false,
    is_released boolean NOT NULL DEFAULT false,
    is_email_verified boolean NOT NULL DEFAULT false,
    CONSTRAINT employees_pkey PRIMARY KEY (ledger_id, generation, employee_id),
    CONSTRAINT employees_status CHECK (status IN ('registered', 'active', 'cancelled')),
    CONSTRAINT employees_role CHECK (role IN ('securityAdmin', 'admin', 'employee'))
) WITH (fillfactor = 80);
CREATE INDEX employees_by_registration ON tenure.employees (ledger_id, generation, registered_position);
-- The predecessor, when another employee becomes the security admin.
CREATE INDEX employees_security_admin ON tenure.employees (ledger_id, generation) WHERE role = 'securityAdmin';
-- Provisional employee ids that expired, in all tenants.
CREATE INDEX employees_provisional ON tenure.employees (registered_at) WHERE is_provisional;

ALTER TABLE tenure.employees ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY employees_of_ledgers ON tenure.employees FOR SELECT TO tenure_app USING (CASE
    WHEN strpos(current_setting('tenure.ledgers', true), ledger_id::text) > 0 THEN true
    ELSE tenure.outside_scope(ledger_id) END);
CREATE POLICY employees_for_reader ON tenure.employees TO tenure_reader USING (true) WITH CHECK (true);
GRANT SELECT ON tenure.employees TO tenure_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.employees TO tenure_reader;

-- A device key of an employee. A pending key expires by time alone, which no event records.
CREATE TABLE tenure.employee_keys (
    ledger_id uuid NOT NULL,
    generation integer NOT NULL,
    employee_id uuid NOT NULL,
    key bytea NOT NULL,
    state text COLLATE "C" NOT NULL,
    is_first boolean NOT NULL,
    flow_id uuid NOT NULL,
    presented_at timestamptz NOT NULL,
    presented_position bigint NOT NULL,
    presented_event_id uuid NOT NULL,
    decided_at timestamptz,
    decided_position bigint,
    decided_event_id uuid,
    decided_by text COLLATE "C",
    decided_by_id uuid,
    reason text COLLATE "C",
    note json,
    fingerprint bytea NOT NULL GENERATED ALWAYS AS (sha256(key)) STORED,
    CONSTRAINT employee_keys_pkey PRIMARY KEY (ledger_id, generation, employee_id, key),
    CONSTRAINT employee_keys_key CHECK (octet_length(key) IN (65, 256)),
    CONSTRAINT employee_keys_state CHECK (state IN ('pending', 'authorized', 'refused', 'revoked'))
) WITH (fillfactor = 80);

ALTER TABLE tenure.employee_keys ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY employee_keys_of_ledgers ON tenure.employee_keys FOR SELECT TO tenure_app USING (CASE
    WHEN strpos(current_setting('tenure.ledgers', true), ledger_id::text) > 0 THEN true
    ELSE tenure.outside_scope(ledger_id) END);
CREATE POLICY employee_keys_for_reader ON tenure.employee_keys TO tenure_reader USING (true) WITH CHECK (true);
GRANT SELECT ON tenure.employee_keys TO tenure_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.employee_keys TO tenure_reader;

-- Who founded a tenant, and who is its security admin now, each with the event that proves it.
CREATE TABLE tenure.first_security_admins (
    ledger_id uuid NOT NULL,
    generation integer NOT NULL,
    employee_id uuid NOT NULL,
    event_id uuid NOT NULL,
    position bigint NOT NULL,
    since timestamptz NOT NULL,
    current_employee_id uuid NOT NULL,
    current_event_id uuid NOT NULL,
    current_position bigint NOT NULL,
    current_since timestamptz NOT NULL,
    CONSTRAINT first_security_admins_pkey PRIMARY KEY (ledger_id, generation)
);

ALTER TABLE tenure.first_security_admins ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY first_security_admins_of_ledgers ON tenure.first_security_admins FOR SELECT TO tenure_app USING (CASE
    WHEN strpos(current_setting('tenure.ledgers', true), ledger_id::text) > 0 THEN true
    ELSE tenure.outside_scope(ledger_id) END);
CREATE POLICY first_security_admins_for_reader ON tenure.first_security_admins
    TO tenure_reader USING (true) WITH CHECK (true);
GRANT SELECT ON tenure.first_security_admins TO tenure_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.first_security_admins TO tenure_reader;

-- A device key that waits for authorization.
CREATE TABLE tenure.pending_authorizations (
    ledger_id uuid NOT NULL,
    generation integer NOT NULL,
    employee_id uuid NOT NULL,
    key bytea NOT NULL,
    is_first boolean NOT NULL,
    flow_id uuid NOT NULL,
    presented_at timestamptz NOT NULL,
    presented_position bigint NOT NULL,
    presented_event_id uuid NOT NULL,
    presented_leaf bytea NOT NULL,
    fingerprint bytea NOT NULL GENERATED ALWAYS AS (sha256(key)) STORED,
    CONSTRAINT pending_authorizations_pkey PRIMARY KEY (ledger_id, generation, employee_id, key),
    CONSTRAINT pending_authorizations_key CHECK (octet_length(key) IN (65, 256)),
    CONSTRAINT pending_authorizations_leaf CHECK (octet_length(presented_leaf) = 32)
);
CREATE INDEX pending_authorizations_by_presentation
    ON tenure.pending_authorizations (ledger_id, generation, presented_position);

ALTER TABLE tenure.pending_authorizations ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY pending_authorizations_of_ledgers ON tenure.pending_authorizations FOR SELECT TO tenure_app USING (CASE
    WHEN strpos(current_setting('tenure.ledgers', true), ledger_id::text) > 0 THEN true
    ELSE tenure.outside_scope(ledger_id) END);
CREATE POLICY pending_authorizations_for_reader ON tenure.pending_authorizations
    TO tenure_reader USING (true) WITH CHECK (true);
GRANT SELECT ON tenure.pending_authorizations TO tenure_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.pending_authorizations TO tenure_reader;

-- An M-Pin identity. A registration that is not completed expires at `expires_at` by time alone, which no event
-- records.
CREATE TABLE tenure.mpin_identities (
    ledger_id uuid NOT NULL,
    generation integer NOT NULL,
    identity_id uuid NOT NULL,
    user_id json NOT NULL,
    device_name json,
    verification text COLLATE "C" NOT NULL,
    status text COLLATE "C" NOT NULL,
    employee_id uuid,
    failures integer NOT NULL,
    started_at timestamptz NOT NULL,
    started_position bigint NOT NULL,
    expires_at timestamptz,
    end_reason text COLLATE "C",
    changed_position bigint NOT NULL,
    CONSTRAINT mpin_identities_pkey PRIMARY KEY (ledger_id, generation, identity_id),
    CONSTRAINT mpin_identities_status CHECK (
        status IN ('started', 'activated', 'issued', 'registered', 'blocked', 'revoked')),
    CONSTRAINT mpin_identities_end CHECK ((end_reason IS NOT NULL) = (status IN ('blocked', 'revoked')))
) WITH (fillfactor = 80);
CREATE INDEX mpin_identities_by_start ON tenure.mpin_identities (ledger_id, generation, started_position);

ALTER TABLE tenure.mpin_identities ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY mpin_identities_of_ledgers ON tenure.mpin_identities FOR SELECT TO tenure_app USING (CASE
    WHEN strpos(current_setting('tenure.ledgers', true), ledger_id::text) > 0 THEN true
    ELSE tenure.outside_scope(ledger_id) END);
CREATE POLICY mpin_identities_for_reader ON tenure.mpin_identities TO tenure_reader USING (true) WITH CHECK (true);
GRANT SELECT ON tenure.mpin_identities TO tenure_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.mpin_identities TO tenure_reader;

RESET ROLE;
