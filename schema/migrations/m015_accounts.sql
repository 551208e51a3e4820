-- In which companies a user has accounts, found from the user: claims of the kind `account` in the user's directory.
SET LOCAL ROLE tenure_owner;

-- Ending all sessions of a user starts from here. Partial, as the index of members is.
CREATE INDEX claim_account_by_owner ON tenure.claim (ledger_id, owner) WHERE kind = 'account';

-- Everybody who is a member of a company already. Row-level security is for the owner too, except while this runs; a
-- directory's id ends with the first byte of its users' ids.
ALTER TABLE tenure.claim NO FORCE ROW LEVEL SECURITY;
INSERT INTO tenure.claim (ledger_id, kind, key, owner, value)
SELECT ('00000000-0000-8000-8000-0000000001' || left(c.owner::text, 2))::uuid, 'account', c.key, c.owner,
    uuid_send(c.ledger_id) || c.value
FROM tenure.claim c WHERE c.kind = 'member';
ALTER TABLE tenure.claim FORCE ROW LEVEL SECURITY;

RESET ROLE;
