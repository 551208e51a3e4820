-- M-Pin: authentications in progress, and the server keys of tenants. For row-level security see m002_ledger.sql, for
-- codes of rows m003_claims.sql.
SET LOCAL ROLE tenure_owner;

-- An authentication: the challenge of pass 1, the verdict of pass 2, and whether an app has taken the verdict. A row
-- lives a minute or so. What it decides is in the log.
CREATE TABLE tenure.mpin_pass (
    ledger_id uuid NOT NULL,
    pass_id uuid NOT NULL,
    app_id uuid NOT NULL,
    mpin_hash bytea NOT NULL,
    commitment bytea NOT NULL,
    challenge bytea NOT NULL,
    opened_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    token bytea,
    verdict text COLLATE "C",
    sealed_id bytea,
    redeemed boolean NOT NULL DEFAULT false,
    mac bytea NOT NULL,
    CONSTRAINT mpin_pass_pkey PRIMARY KEY (ledger_id, pass_id),
    CONSTRAINT mpin_pass_sealed_id CHECK (octet_length(sealed_id) BETWEEN 28 AND 4096)
) WITH (fillfactor = 50);
ALTER TABLE tenure.mpin_pass ALTER COLUMN sealed_id SET STATISTICS 0;
-- The open challenges of an M-Pin ID, newest last.
CREATE INDEX mpin_pass_by_identity ON tenure.mpin_pass (ledger_id, mpin_hash, opened_at);
-- The sweeper deletes what expired, in all ledgers.
CREATE INDEX mpin_pass_by_expiry ON tenure.mpin_pass (expires_at);

ALTER TABLE tenure.mpin_pass ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY mpin_pass_of_ledgers ON tenure.mpin_pass TO tenure_app USING (CASE
    WHEN strpos(current_setting('tenure.ledgers', true), ledger_id::text) > 0 THEN true
    ELSE tenure.outside_scope(ledger_id) END);
CREATE POLICY mpin_pass_for_reader ON tenure.mpin_pass FOR SELECT TO tenure_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.mpin_pass TO tenure_app;
GRANT SELECT ON tenure.mpin_pass TO tenure_reader;

-- The sum of both D-TAs' shares of a tenant's server key, sealed. A missing row is fetched again.
CREATE TABLE tenure.mpin_server_key (
    ledger_id uuid NOT NULL,
    epoch integer NOT NULL,
    sealed bytea NOT NULL,
    CONSTRAINT mpin_server_key_pkey PRIMARY KEY (ledger_id, epoch),
    CONSTRAINT mpin_server_key_epoch CHECK (epoch >= 1),
    CONSTRAINT mpin_server_key_sealed CHECK (octet_length(sealed) BETWEEN 28 AND 512)
);
ALTER TABLE tenure.mpin_server_key ALTER COLUMN sealed SET STATISTICS 0;

ALTER TABLE tenure.mpin_server_key ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY mpin_server_key_of_ledgers ON tenure.mpin_server_key TO tenure_app USING (CASE
    WHEN strpos(current_setting('tenure.ledgers', true), ledger_id::text) > 0 THEN true
    ELSE tenure.outside_scope(ledger_id) END);
CREATE POLICY mpin_server_key_for_reader ON tenure.mpin_server_key FOR SELECT TO tenure_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.mpin_server_key TO tenure_app;
GRANT SELECT ON tenure.mpin_server_key TO tenure_reader;

RESET ROLE;
