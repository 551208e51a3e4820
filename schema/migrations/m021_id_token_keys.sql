-- The keys that sign ID tokens of the OpenID provider. They never sign an access token, and the keys of tenure.token_key
-- never sign an ID token, so that nobody who forgets to look at the type of a token takes one for the other.
SET LOCAL ROLE tenure_owner;

-- The private keys, sealed under the purpose key `tokens` with a label of their own. They are replaced as the keys of
-- tenure.token_key are.
CREATE TABLE tenure.id_token_key (
    key_id text COLLATE "C" NOT NULL,
    algorithm text NOT NULL,
    sealed bytea NOT NULL,
    created_at timestamptz NOT NULL,
    signs_from timestamptz NOT NULL,
    mac bytea,
    CONSTRAINT id_token_key_pkey PRIMARY KEY (key_id),
    CONSTRAINT id_token_key_id CHECK (octet_length(key_id) = 43),
    CONSTRAINT id_token_key_algorithm CHECK (algorithm IN ('RS256', 'ES256')),
    CONSTRAINT id_token_key_sealed CHECK (octet_length(sealed) BETWEEN 32 AND 4096)
);
ALTER TABLE tenure.id_token_key ALTER COLUMN sealed SET STATISTICS 0;

-- The keys belong to no ledger, so the table has no row-level security.
GRANT SELECT, INSERT, DELETE ON tenure.id_token_key TO tenure_app;

-- `tenure key status` lists the keys, and needs none of them.
GRANT SELECT (key_id, created_at, signs_from) ON tenure.token_key TO tenure_reader;
GRANT SELECT (key_id, algorithm, created_at, signs_from) ON tenure.id_token_key TO tenure_reader;

RESET ROLE;
