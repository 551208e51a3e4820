-- Claims: what can belong to one owner only, by the keyed hash of what it is. Some kinds say what an owner has:
-- employees, accounts, device keys in force. For row-level security see m002_ledger.sql.
--
-- Rows that decide carry a code, here and in other tables: four bytes that name a key and a message authentication code
-- over what the row says, bound to its table and key. Whoever writes the database without the keys of the service
-- cannot make one. docs/rows.md lists which columns a code covers; the service computes and compares it, SQL never
-- does. The append takes a claim, and a statement of the same transaction adds its code. A claim without one counts for
-- nobody.
SET LOCAL ROLE tenure_owner;

CREATE TABLE tenure.claim (
    ledger_id uuid NOT NULL,
    kind text COLLATE "C" NOT NULL,
    key bytea NOT NULL,
    owner uuid NOT NULL,
    value bytea,
    expires_at timestamptz,
    mac bytea,
    CONSTRAINT claim_pkey PRIMARY KEY (ledger_id, kind, key),
    CONSTRAINT claim_kind CHECK (octet_length(kind) BETWEEN 1 AND 32),
    CONSTRAINT claim_key CHECK (octet_length(key) = 32),
    CONSTRAINT claim_value CHECK (octet_length(value) <= 4096)
);

-- These indexes are partial, so that the planner can never use one for the look-up of a claim by its key.
--
-- The employees of a user in a tenant: claims of the kind `member`, owned by the user. Reclaiming an e-mail address
-- starts from here, because a security decision never reads a projection.
CREATE INDEX claim_by_owner ON tenure.claim (ledger_id, owner) WHERE kind = 'member';
-- The tenants in which a user has accounts: claims of the kind `account` in the user's directory. Ending all sessions
-- of a user starts from here.
CREATE INDEX claim_account_by_owner ON tenure.claim (ledger_id, owner) WHERE kind = 'account';
-- The known device keys of an employee: claims of the kind `device`, owned by the employee. A reclaimed address or a
-- released id ends them all.
CREATE INDEX claim_device_by_owner ON tenure.claim (ledger_id, owner) WHERE kind = 'device';
-- The M-Pin identities that are linked to an employee: claims of the kind `mpin-linked`, owned by the employee. The
-- erasure of the employee starts from here.
CREATE INDEX claim_mpin_by_employee ON tenure.claim (ledger_id, owner) WHERE kind = 'mpin-linked';
-- Open invitations in the order of their ids: each invitation owns its claims.
CREATE INDEX claim_by_invitation ON tenure.claim (owner) WHERE kind = 'invitation';
-- Claims of flows on addresses that somebody else holds. They end with the flow, and are deleted then.
CREATE INDEX claim_claimant_by_end ON tenure.claim (expires_at) WHERE kind = 'claimant';

ALTER TABLE tenure.claim ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY claim_of_ledgers ON tenure.claim TO tenure_app USING (CASE
    WHEN strpos(current_setting('tenure.ledgers', true), ledger_id::text) > 0 THEN true
    ELSE tenure.outside_scope(ledger_id) END);
CREATE POLICY claim_for_reader ON tenure.claim FOR SELECT TO tenure_reader USING (true);
GRANT SELECT, INSERT, UPDATE (mac), DELETE ON tenure.claim TO tenure_app;
GRANT SELECT ON tenure.claim TO tenure_reader;

RESET ROLE;
