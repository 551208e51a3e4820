-- Which keys were ever presented for an employee: claims of the kind `device` in the company's ledger, by the SHA-256 of
-- the employee's id and the key, owned by the employee. An attempt from another device searches no history.
SET LOCAL ROLE tenure_owner;

-- Keys that were presented before, from the view: the log is too long to be read while everybody waits. One that is
-- missing here counts as a stranger's device until it has logged in once more. Row-level security is for the owner too,
-- except while this runs.
ALTER TABLE tenure.employee_keys NO FORCE ROW LEVEL SECURITY;
ALTER TABLE tenure.claim NO FORCE ROW LEVEL SECURITY;
INSERT INTO tenure.claim (ledger_id, kind, key, owner)
SELECT k.ledger_id, 'device', sha256(uuid_send(k.employee_id) || k.key), k.employee_id
FROM tenure.employee_keys AS k
    JOIN tenure.projection_generation AS g ON g.projection = 'employee_keys' AND k.generation = g.live
    -- Whoever was erased is no member.
    JOIN tenure.claim AS m ON m.ledger_id = k.ledger_id AND m.kind = 'member' AND m.value = uuid_send(k.employee_id);
ALTER TABLE tenure.claim FORCE ROW LEVEL SECURITY;
ALTER TABLE tenure.employee_keys FORCE ROW LEVEL SECURITY;

RESET ROLE;
