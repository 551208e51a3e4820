-- Wrapped keys. Destroying a row of person_key or oprf_seed, and the wrapping key of its bucket, destroys what it sealed.
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
-- A bucket gets a new key by wrapping all its rows again.
CREATE INDEX person_key_by_bucket ON tenure.person_key (bucket);

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

GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.person_key, tenure.oprf_seed TO tenure_app;
GRANT SELECT, INSERT, UPDATE ON tenure.bucket_key, tenure.purpose_key TO tenure_app;

RESET ROLE;
