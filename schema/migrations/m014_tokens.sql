-- The keys that sign access tokens, and what a session's tokens say about its log-in.
SET LOCAL ROLE tenure_owner;

-- How the person of the session logged in: values of RFC 8176, separated by spaces. A session that an older version
-- opened proved its device key at least.
ALTER TABLE tenure.session ADD COLUMN methods text NOT NULL DEFAULT 'pop';

-- The private keys, sealed under the purpose key `tokens`. A key is published from its creation and signs from
-- `signs_from` on, so that those who verify tokens know it first. An older key stays published until its last token has
-- expired.
CREATE TABLE tenure.token_key (
    key_id text COLLATE "C" NOT NULL,
    sealed bytea NOT NULL,
    created_at timestamptz NOT NULL,
    signs_from timestamptz NOT NULL,
    CONSTRAINT token_key_pkey PRIMARY KEY (key_id),
    CONSTRAINT token_key_id CHECK (octet_length(key_id) = 43),
    CONSTRAINT token_key_sealed CHECK (octet_length(sealed) BETWEEN 32 AND 256)
);
ALTER TABLE tenure.token_key ALTER COLUMN sealed SET STATISTICS 0;

-- The keys belong to no ledger, so the table has no row-level security.
GRANT SELECT, INSERT, DELETE ON tenure.token_key TO tenure_app;

RESET ROLE;
