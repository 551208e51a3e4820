-- Short-lived rows behind requests: flows, replayed responses, attempt budgets, recoveries that wait for a decision,
-- and mails that wait to be sent. None of them is part of the history. For row-level security see m002_ledger.sql, for
-- codes of rows m003_claims.sql.
--
-- The server parses the text of all checks of a table again for every statement that writes to it, and each log-in
-- writes here several times. So only a few things are checked: the length of what a stranger can make long, and that
-- nothing spent is below 0. Digests and versions that the service computes have no check: a wrong one is never found.
--
-- Sealed bytes do not compress, and these rows are read as often as they are written. So they stay in one piece up to
-- what a page can hold. Half of each page is kept for new versions of its rows, which then need no new index entries.
SET LOCAL ROLE tenure_owner;

-- A flow: a registration or a log-in in progress.
CREATE TABLE tenure.flow (
    ledger_id uuid NOT NULL,
    flow_id uuid NOT NULL,
    version integer NOT NULL,
    sealed bytea NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT flow_pkey PRIMARY KEY (ledger_id, flow_id),
    CONSTRAINT flow_sealed CHECK (octet_length(sealed) BETWEEN 28 AND 65536)
) WITH (fillfactor = 50, toast_tuple_target = 8160);
-- Without statistics no sample of a sealed state outlives its row; see m005_keys.sql.
ALTER TABLE tenure.flow ALTER COLUMN sealed SET STORAGE EXTERNAL, ALTER COLUMN sealed SET STATISTICS 0;
-- The sweeper reads what expired, not the whole table.
CREATE INDEX flow_by_expiry ON tenure.flow (expires_at);

ALTER TABLE tenure.flow ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY flow_of_ledgers ON tenure.flow TO tenure_app USING (CASE
    WHEN strpos(current_setting('tenure.ledgers', true), ledger_id::text) > 0 THEN true
    ELSE tenure.outside_scope(ledger_id) END);
CREATE POLICY flow_for_reader ON tenure.flow FOR SELECT TO tenure_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.flow TO tenure_app;
GRANT SELECT ON tenure.flow TO tenure_reader;

-- The response to a request that may be sent again.
CREATE TABLE tenure.idempotency (
    ledger_id uuid NOT NULL,
    key bytea NOT NULL,
    fingerprint bytea NOT NULL,
    state text COLLATE "C" NOT NULL,
    answer bytea,
    lease_until timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    mac bytea NOT NULL,
    CONSTRAINT idempotency_pkey PRIMARY KEY (ledger_id, key),
    CONSTRAINT idempotency_answer CHECK (octet_length(answer) <= 65536)
) WITH (fillfactor = 50, toast_tuple_target = 8160);
ALTER TABLE tenure.idempotency ALTER COLUMN answer SET STORAGE EXTERNAL, ALTER COLUMN answer SET STATISTICS 0;
CREATE INDEX idempotency_by_expiry ON tenure.idempotency (expires_at);

ALTER TABLE tenure.idempotency ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY idempotency_of_ledgers ON tenure.idempotency TO tenure_app USING (CASE
    WHEN strpos(current_setting('tenure.ledgers', true), ledger_id::text) > 0 THEN true
    ELSE tenure.outside_scope(ledger_id) END);
CREATE POLICY idempotency_for_reader ON tenure.idempotency FOR SELECT TO tenure_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.idempotency TO tenure_app;
GRANT SELECT ON tenure.idempotency TO tenure_reader;

-- What is spent of an attempt budget. A budget without a row is full.
CREATE TABLE tenure.budget (
    ledger_id uuid NOT NULL,
    key bytea NOT NULL,
    spent integer NOT NULL,
    lifetime integer NOT NULL,
    refilled_at timestamptz NOT NULL,
    blocked_until timestamptz,
    forget_at timestamptz,
    CONSTRAINT budget_pkey PRIMARY KEY (ledger_id, key),
    CONSTRAINT budget_spent CHECK (spent >= 0),
    CONSTRAINT budget_lifetime CHECK (lifetime >= 0)
) WITH (fillfactor = 70);
-- From `forget_at` on a row says no more than no row. A row that counts towards the lifetime cap of a credential has no
-- such moment, and so no place in this index.
CREATE INDEX budget_by_forgetting ON tenure.budget (forget_at) WHERE forget_at IS NOT NULL;

ALTER TABLE tenure.budget ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY budget_of_ledgers ON tenure.budget TO tenure_app USING (CASE
    WHEN strpos(current_setting('tenure.ledgers', true), ledger_id::text) > 0 THEN true
    ELSE tenure.outside_scope(ledger_id) END);
CREATE POLICY budget_for_reader ON tenure.budget FOR SELECT TO tenure_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.budget TO tenure_app;
GRANT SELECT ON tenure.budget TO tenure_reader;

-- Recoveries that wait for a decision of the tenant, for the list that its admins see: random ids and a device key's
-- fingerprint.
--
-- The log holds what is decided; these rows decide nothing. A row of a tenant lies under the tenant's ledger. The row
-- of a decoy, written so that both cost the same, lies under the id of the app that asked, which keeps the newest
-- 10,000.
CREATE TABLE tenure.recovery_request (
    ledger_id uuid NOT NULL,
    employee_id uuid NOT NULL,
    fingerprint bytea NOT NULL,
    requested_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    is_open boolean NOT NULL DEFAULT false,
    mac bytea NOT NULL,
    CONSTRAINT recovery_request_pkey PRIMARY KEY (ledger_id, employee_id, fingerprint),
    CONSTRAINT recovery_request_fingerprint CHECK (octet_length(fingerprint) = 32)
);
-- A tenant's list is read from its end, however long it is. So are the decoys of an app.
CREATE INDEX recovery_request_by_time ON tenure.recovery_request (ledger_id, is_open, requested_at);
-- The sweeper deletes what expired, in all ledgers.
CREATE INDEX recovery_request_by_end ON tenure.recovery_request (expires_at);

ALTER TABLE tenure.recovery_request ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY recovery_request_of_ledgers ON tenure.recovery_request TO tenure_app USING (CASE
    WHEN strpos(current_setting('tenure.ledgers', true), ledger_id::text) > 0 THEN true
    ELSE tenure.outside_scope(ledger_id) END);
CREATE POLICY recovery_request_for_reader ON tenure.recovery_request FOR SELECT TO tenure_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.recovery_request TO tenure_app;
GRANT SELECT ON tenure.recovery_request TO tenure_reader;

-- Mails that wait to be sent, and the few that are being sent: random ids and words. A row is written in the
-- transaction that appends MailQueued, and deleted in that of MailSent or MailFailed. It holds no address and no
-- secret: whoever sends derives both.
CREATE TABLE tenure.mail_outbox (
    ledger_id uuid NOT NULL,
    mail_id uuid NOT NULL,
    recipient_kind text NOT NULL,
    recipient_id uuid NOT NULL,
    kind text NOT NULL,
    -- The language of the text, if it is known.
    locale text,
    -- Not before this time, and not before the lease of another process has ended.
    next_try timestamptz NOT NULL,
    lease_until timestamptz,
    attempts integer NOT NULL DEFAULT 0,
    expires_at timestamptz NOT NULL,
    mac bytea NOT NULL,
    CONSTRAINT mail_outbox_pkey PRIMARY KEY (ledger_id, mail_id),
    CONSTRAINT mail_outbox_words CHECK (
        octet_length(recipient_kind) <= 16 AND octet_length(kind) <= 32 AND octet_length(locale) <= 35)
);
-- The worker takes what is due, in all ledgers.
CREATE INDEX mail_outbox_by_try ON tenure.mail_outbox (next_try);

ALTER TABLE tenure.mail_outbox ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY mail_outbox_of_ledgers ON tenure.mail_outbox TO tenure_app USING (CASE
    WHEN strpos(current_setting('tenure.ledgers', true), ledger_id::text) > 0 THEN true
    ELSE tenure.outside_scope(ledger_id) END);
CREATE POLICY mail_outbox_for_reader ON tenure.mail_outbox FOR SELECT TO tenure_reader USING (true);
GRANT SELECT ON tenure.mail_outbox TO tenure_reader;
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.mail_outbox TO tenure_app;

RESET ROLE;
