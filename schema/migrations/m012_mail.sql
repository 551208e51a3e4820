-- Mails that wait to be sent, and the few that are being sent: random ids and words. A row is written in the transaction
-- that appends MailQueued, and deleted in that of MailSent or MailFailed. It holds no address and no secret: whoever
-- sends derives both. For row-level security see m002_ledger.sql.
SET LOCAL ROLE tenure_owner;

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
    CONSTRAINT mail_outbox_pkey PRIMARY KEY (ledger_id, mail_id),
    CONSTRAINT mail_outbox_words CHECK (
        octet_length(recipient_kind) <= 16 AND octet_length(kind) <= 32 AND octet_length(locale) <= 35)
);
-- The worker takes what is due, in all ledgers.
CREATE INDEX mail_outbox_by_try ON tenure.mail_outbox (next_try);

ALTER TABLE tenure.mail_outbox ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY mail_outbox_of_ledgers ON tenure.mail_outbox TO tenure_app
    USING ((ledger_id = ANY ((SELECT nullif(current_setting('tenure.ledgers', true), '')::uuid[])::uuid[])) IS TRUE);
CREATE POLICY mail_outbox_for_reader ON tenure.mail_outbox FOR SELECT TO tenure_reader USING (true);
GRANT SELECT ON tenure.mail_outbox TO tenure_reader;
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.mail_outbox TO tenure_app;

RESET ROLE;
