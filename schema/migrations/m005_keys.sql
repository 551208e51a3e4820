-- Wrapped keys, the record of erasures, and the keys that sign tokens. Destroying a row of person_key or oprf_seed, and
-- the wrapping key of its bucket, destroys what that key sealed. For row-level security see m002_ledger.sql.
--
-- ANALYZE copies samples of columns into pg_statistic, where a destroyed key would stay until the next run. Columns
-- with wrapped keys therefore keep no statistics; no statement searches by them.
SET LOCAL ROLE tenure_owner;

-- The key of one user or of one employee.
CREATE TABLE tenure.person_key (
    ledger_id uuid NOT NULL,
    key_id uuid NOT NULL,
    bucket smallint NOT NULL,
    epoch integer NOT NULL,
    wrapped bytea NOT NULL,
    CONSTRAINT person_key_pkey PRIMARY KEY (ledger_id, key_id),
    CONSTRAINT person_key_bucket CHECK (bucket BETWEEN 0 AND 255),
    CONSTRAINT person_key_epoch CHECK (epoch >= 1),
    CONSTRAINT person_key_wrapped CHECK (octet_length(wrapped) BETWEEN 16 AND 256)
);
ALTER TABLE tenure.person_key ALTER COLUMN wrapped SET STATISTICS 0;
-- Re-keying a bucket wraps all its rows again.
CREATE INDEX person_key_by_bucket ON tenure.person_key (bucket);

ALTER TABLE tenure.person_key ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY person_key_of_ledgers ON tenure.person_key TO tenure_app USING (CASE
    WHEN strpos(current_setting('tenure.ledgers', true), ledger_id::text) > 0 THEN true
    ELSE tenure.outside_scope(ledger_id) END);
CREATE POLICY person_key_for_reader ON tenure.person_key FOR SELECT TO tenure_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.person_key TO tenure_app;
GRANT SELECT ON tenure.person_key TO tenure_reader;

-- The seeds of the oblivious pseudo-random functions of one set of credentials.
CREATE TABLE tenure.oprf_seed (
    ledger_id uuid NOT NULL,
    credential_id uuid NOT NULL,
    purpose text COLLATE "C" NOT NULL,
    epoch integer NOT NULL,
    wrapped bytea NOT NULL,
    CONSTRAINT oprf_seed_pkey PRIMARY KEY (ledger_id, credential_id, purpose),
    CONSTRAINT oprf_seed_purpose CHECK (octet_length(purpose) BETWEEN 1 AND 32),
    CONSTRAINT oprf_seed_epoch CHECK (epoch >= 1),
    CONSTRAINT oprf_seed_wrapped CHECK (octet_length(wrapped) BETWEEN 16 AND 256)
);
ALTER TABLE tenure.oprf_seed ALTER COLUMN wrapped SET STATISTICS 0;
-- Re-keying a bucket finds its seeds without reading all of them.
CREATE INDEX oprf_seed_by_bucket ON tenure.oprf_seed (get_byte(sha256(uuid_send(credential_id)), 0));

ALTER TABLE tenure.oprf_seed ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY oprf_seed_of_ledgers ON tenure.oprf_seed TO tenure_app USING (CASE
    WHEN strpos(current_setting('tenure.ledgers', true), ledger_id::text) > 0 THEN true
    ELSE tenure.outside_scope(ledger_id) END);
CREATE POLICY oprf_seed_for_reader ON tenure.oprf_seed FOR SELECT TO tenure_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.oprf_seed TO tenure_app;
GRANT SELECT ON tenure.oprf_seed TO tenure_reader;

-- The 256 keys between the master key and the rows above.
CREATE TABLE tenure.bucket_key (
    bucket smallint NOT NULL,
    epoch integer NOT NULL,
    master_version integer NOT NULL,
    wrapped bytea NOT NULL,
    CONSTRAINT bucket_key_pkey PRIMARY KEY (bucket),
    CONSTRAINT bucket_key_bucket CHECK (bucket BETWEEN 0 AND 255),
    CONSTRAINT bucket_key_epoch CHECK (epoch >= 1),
    CONSTRAINT bucket_key_master_version CHECK (master_version >= 1),
    CONSTRAINT bucket_key_wrapped CHECK (octet_length(wrapped) BETWEEN 16 AND 256)
);
ALTER TABLE tenure.bucket_key ALTER COLUMN wrapped SET STATISTICS 0;

-- Independent random keys, one per purpose.
CREATE TABLE tenure.purpose_key (
    purpose text COLLATE "C" NOT NULL,
    master_version integer NOT NULL,
    wrapped bytea NOT NULL,
    CONSTRAINT purpose_key_pkey PRIMARY KEY (purpose),
    CONSTRAINT purpose_key_purpose CHECK (octet_length(purpose) BETWEEN 1 AND 32),
    CONSTRAINT purpose_key_master_version CHECK (master_version >= 1),
    CONSTRAINT purpose_key_wrapped CHECK (octet_length(wrapped) BETWEEN 16 AND 256)
);
ALTER TABLE tenure.purpose_key ALTER COLUMN wrapped SET STATISTICS 0;

-- Both belong to no ledger, so they have no row-level security.
GRANT SELECT, INSERT, UPDATE ON tenure.bucket_key, tenure.purpose_key TO tenure_app;
GRANT SELECT ON tenure.bucket_key, tenure.purpose_key TO tenure_reader;

-- Who was erased, and which version of the master key must be destroyed until nothing can bring that person back. The
-- transaction that appends EmployeeErased or UserErased writes the row. `destroyed_at` is null while keys are left, and
-- an interrupted run continues from there. The ids are random and stand in the log anyway. The kind `mpin` is an M-Pin
-- identity that is linked to nobody, or an activation code.
CREATE TABLE tenure.erasure (
    ledger_id uuid NOT NULL,
    person_id uuid NOT NULL,
    kind text COLLATE "C" NOT NULL,
    recorded_at timestamptz NOT NULL,
    master_version integer,
    destroyed_at timestamptz,
    CONSTRAINT erasure_pkey PRIMARY KEY (ledger_id, person_id),
    CONSTRAINT erasure_kind CHECK (kind IN ('employee', 'user', 'mpin')),
    CONSTRAINT erasure_master_version CHECK (master_version >= 1)
);
-- Finds what is left to do without reading all that was done.
CREATE INDEX erasure_open ON tenure.erasure (ledger_id) WHERE destroyed_at IS NULL;

ALTER TABLE tenure.erasure ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY erasure_of_ledgers ON tenure.erasure TO tenure_app USING (CASE
    WHEN strpos(current_setting('tenure.ledgers', true), ledger_id::text) > 0 THEN true
    ELSE tenure.outside_scope(ledger_id) END);
CREATE POLICY erasure_for_reader ON tenure.erasure FOR SELECT TO tenure_reader USING (true);
GRANT SELECT, INSERT, UPDATE ON tenure.erasure TO tenure_app;
GRANT SELECT ON tenure.erasure TO tenure_reader;

-- The private keys that sign access tokens, sealed under the purpose key `tokens`. A key is published from its creation
-- and signs from `signs_from` on, so that those who verify tokens know it first. An older key stays published until its
-- last token has expired.
CREATE TABLE tenure.token_key (
    key_id text COLLATE "C" NOT NULL,
    sealed bytea NOT NULL,
    created_at timestamptz NOT NULL,
    signs_from timestamptz NOT NULL,
    mac bytea NOT NULL,
    CONSTRAINT token_key_pkey PRIMARY KEY (key_id),
    CONSTRAINT token_key_id CHECK (octet_length(key_id) = 43),
    CONSTRAINT token_key_sealed CHECK (octet_length(sealed) BETWEEN 32 AND 256)
);
ALTER TABLE tenure.token_key ALTER COLUMN sealed SET STATISTICS 0;

-- The keys that sign ID tokens of the OpenID provider, sealed under the purpose key `tokens` with a label of their own.
-- They never sign an access token, and the keys of tenure.token_key never sign an ID token, so that nobody who forgets
-- to look at the type of a token takes one for the other. They are replaced as the keys of tenure.token_key are.
CREATE TABLE tenure.id_token_key (
    key_id text COLLATE "C" NOT NULL,
    algorithm text NOT NULL,
    sealed bytea NOT NULL,
    created_at timestamptz NOT NULL,
    signs_from timestamptz NOT NULL,
    mac bytea NOT NULL,
    CONSTRAINT id_token_key_pkey PRIMARY KEY (key_id),
    CONSTRAINT id_token_key_id CHECK (octet_length(key_id) = 43),
    CONSTRAINT id_token_key_algorithm CHECK (algorithm IN ('RS256', 'ES256')),
    CONSTRAINT id_token_key_sealed CHECK (octet_length(sealed) BETWEEN 32 AND 4096)
);
ALTER TABLE tenure.id_token_key ALTER COLUMN sealed SET STATISTICS 0;

-- The keys belong to no ledger, so their tables have no row-level security.
GRANT SELECT, INSERT, DELETE ON tenure.token_key, tenure.id_token_key TO tenure_app;

-- `tenure key status` lists the keys, and needs none of them.
GRANT SELECT (key_id, created_at, signs_from) ON tenure.token_key TO tenure_reader;
GRANT SELECT (key_id, algorithm, created_at, signs_from) ON tenure.id_token_key TO tenure_reader;

RESET ROLE;
