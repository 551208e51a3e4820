-- The views: read models folded from the ledgers of tenants. Everything in them follows from the log and can be rebuilt.
--
-- A view has generations. One is live; another may be built beside it, and replaces it by one update of
-- projection_generation. Personal texts stay sealed here: {"event", "pointer", "sealed": {"k", "c"}}.
SET LOCAL ROLE tenure_owner;

-- Which generation of a view is read and followed, and which one is being built by which revision of the program.
CREATE TABLE tenure.projection_generation (
    projection text COLLATE "C" NOT NULL,
    live integer NOT NULL,
    building integer,
    building_revision integer,
    CONSTRAINT projection_generation_pkey PRIMARY KEY (projection),
    CONSTRAINT projection_generation_live CHECK (live >= 1),
    CONSTRAINT projection_generation_building CHECK (building > live),
    CONSTRAINT projection_generation_revision CHECK ((building IS NULL) = (building_revision IS NULL))
) WITH (fillfactor = 50);

-- How far a view has read a ledger; it is committed together with the rows of the view. A view that cannot take an
-- event stays before it, for that ledger alone, and says why.
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
-- What a generation consists of, page by page: for building, comparing and dropping.
CREATE INDEX projection_progress_by_generation
    ON tenure.projection_progress (projection, generation, ledger_id);

-- A company.
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
    CONSTRAINT tenants_pkey PRIMARY KEY (ledger_id, generation)
) WITH (fillfactor = 70);

-- The employees that `tenants.employees` does not count: what its next change depends on.
CREATE TABLE tenure.tenant_cancelled_employees (
    ledger_id uuid NOT NULL,
    generation integer NOT NULL,
    employee_id uuid NOT NULL,
    CONSTRAINT tenant_cancelled_employees_pkey PRIMARY KEY (ledger_id, generation, employee_id)
);

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
    CONSTRAINT employees_pkey PRIMARY KEY (ledger_id, generation, employee_id),
    CONSTRAINT employees_status CHECK (status IN ('registered', 'active', 'cancelled')),
    CONSTRAINT employees_role CHECK (role IN ('securityAdmin', 'admin', 'employee'))
) WITH (fillfactor = 80);
CREATE INDEX employees_by_registration ON tenure.employees (ledger_id, generation, registered_position);
-- The one before, when another employee becomes the security admin.
CREATE INDEX employees_security_admin ON tenure.employees (ledger_id, generation) WHERE role = 'securityAdmin';

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
    CONSTRAINT employee_keys_key CHECK (octet_length(key) = 65),
    CONSTRAINT employee_keys_state CHECK (state IN ('pending', 'authorized', 'refused', 'revoked'))
) WITH (fillfactor = 80);

-- Who founded a company, and who is its security admin now, each with the event that proves it.
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

-- A key that waits for somebody with authority.
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
    CONSTRAINT pending_authorizations_key CHECK (octet_length(key) = 65),
    CONSTRAINT pending_authorizations_leaf CHECK (octet_length(presented_leaf) = 32)
);
CREATE INDEX pending_authorizations_by_presentation
    ON tenure.pending_authorizations (ledger_id, generation, presented_position);

INSERT INTO tenure.projection_generation (projection, live) VALUES
    ('employee_keys', 1), ('employees', 1), ('first_security_admins', 1), ('pending_authorizations', 1),
    ('tenants', 1);

-- The service reads views and never writes them; the reader role, which the projector runs as, writes nothing else.
DO $$
DECLARE
    _table text;
BEGIN
    FOREACH _table IN ARRAY ARRAY[
        'projection_progress', 'tenants', 'tenant_cancelled_employees', 'employees', 'employee_keys',
        'first_security_admins', 'pending_authorizations'
    ] LOOP
        EXECUTE format('ALTER TABLE tenure.%I ENABLE ROW LEVEL SECURITY', _table);
        EXECUTE format('ALTER TABLE tenure.%I FORCE ROW LEVEL SECURITY', _table);
        EXECUTE format(
            'CREATE POLICY %I ON tenure.%I FOR SELECT TO tenure_app USING (ledger_id = ANY '
            '((SELECT nullif(current_setting(''tenure.ledgers'', true), '''')::uuid[])::uuid[]))',
            _table || '_of_ledgers', _table);
        EXECUTE format('CREATE POLICY %I ON tenure.%I TO tenure_reader USING (true) WITH CHECK (true)',
            _table || '_for_reader', _table);
        EXECUTE format('GRANT SELECT ON tenure.%I TO tenure_app', _table);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.%I TO tenure_reader', _table);
    END LOOP;
END
$$;
GRANT SELECT ON tenure.projection_generation TO tenure_app;
GRANT SELECT, UPDATE ON tenure.projection_generation TO tenure_reader;

RESET ROLE;
