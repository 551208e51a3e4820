-- Rows that decide carry a code: four bytes that name a key and a message authentication code over what the row says,
-- bound to its table and key. Whoever writes the database without the keys of the service cannot make one. Which
-- columns a code covers is listed in docs/verification.md; the service computes and compares it, SQL never does.
SET LOCAL ROLE tenure_owner;

ALTER TABLE tenure.session ADD COLUMN mac bytea;
ALTER TABLE tenure.session_cutoff ADD COLUMN mac bytea;
ALTER TABLE tenure.mpin_pass ADD COLUMN mac bytea;
ALTER TABLE tenure.mail_outbox ADD COLUMN mac bytea;
ALTER TABLE tenure.idempotency ADD COLUMN mac bytea;
ALTER TABLE tenure.recovery_request ADD COLUMN mac bytea;
ALTER TABLE tenure.token_key ADD COLUMN mac bytea;
ALTER TABLE tenure.claim ADD COLUMN mac bytea;

-- The append takes a claim, and a statement of the same transaction adds its code.
GRANT UPDATE (mac) ON tenure.claim TO tenure_app;
GRANT UPDATE (mac) ON tenure.token_key TO tenure_app;
-- Claims from before this migration: the service gives them codes from the log, and finds those that are left.
CREATE INDEX claim_without_code ON tenure.claim (ledger_id) WHERE mac IS NULL;

-- The reply to the newest refresh of a session, for whoever presents the same token once more within ten seconds. It
-- is sealed under a key that the token yields.
CREATE TABLE tenure.refresh_reply (
    ledger_id uuid NOT NULL,
    session_id uuid NOT NULL,
    refresh_counter bigint NOT NULL,
    exchanged_at timestamptz NOT NULL,
    sealed bytea NOT NULL,
    CONSTRAINT refresh_reply_pkey PRIMARY KEY (ledger_id, session_id),
    CONSTRAINT refresh_reply_sealed CHECK (octet_length(sealed) BETWEEN 28 AND 65536)
) WITH (fillfactor = 50);
-- Without statistics no sample of a reply outlives its row; see m005_keys.sql.
ALTER TABLE tenure.refresh_reply ALTER COLUMN sealed SET STATISTICS 0;
-- The sweeper reads what is ten seconds old, in all ledgers.
CREATE INDEX refresh_reply_by_time ON tenure.refresh_reply (exchanged_at);

ALTER TABLE tenure.refresh_reply ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY refresh_reply_of_ledgers ON tenure.refresh_reply TO tenure_app USING (CASE
    WHEN strpos(current_setting('tenure.ledgers', true), ledger_id::text) > 0 THEN true
    ELSE tenure.outside_scope(ledger_id) END);
CREATE POLICY refresh_reply_for_reader ON tenure.refresh_reply FOR SELECT TO tenure_reader USING (true);
GRANT SELECT ON tenure.refresh_reply TO tenure_reader;
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.refresh_reply TO tenure_app;

RESET ROLE;
