-- The app that the pages for browsers act as. It is the one app whose secret lies in the service; see
-- docs/threat_model.md. For codes of rows see m017_row_codes.sql.
SET LOCAL ROLE tenure_owner;

-- One row while pages are enabled. The secret is sealed under the purpose key `tokens` with a label of its own. The
-- public URL is the one that the service was last started with: device keys of browsers belong to it.
CREATE TABLE tenure.pages_app (
    is_only boolean NOT NULL DEFAULT true,
    app_id uuid NOT NULL,
    secret_id uuid NOT NULL,
    sealed bytea NOT NULL,
    public_url text,
    changed_at timestamptz NOT NULL,
    mac bytea,
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
