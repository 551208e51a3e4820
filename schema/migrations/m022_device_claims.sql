-- Which keys were ever presented for an employee: claims of the kind `device` in the company's ledger, by the SHA-256 of
-- the employee's id and the key, owned by the employee. An attempt from another device searches no history.
SET LOCAL ROLE tenure_owner;

-- Row-level security is for the owner too, except while this runs. The tables are locked in the order in which they were
-- made, as pg_dump locks them.
ALTER TABLE tenure.event NO FORCE ROW LEVEL SECURITY;
ALTER TABLE tenure.claim NO FORCE ROW LEVEL SECURITY;
ALTER TABLE tenure.projection_progress NO FORCE ROW LEVEL SECURITY;
ALTER TABLE tenure.employee_keys NO FORCE ROW LEVEL SECURITY;

-- Keys that were presented before: those of the view, and those of the events that it has not read, because it lags or is
-- stopped. The log as a whole is too long to be read while everybody waits.
WITH tenant AS (
    SELECT DISTINCT ledger_id FROM tenure.claim WHERE kind = 'member'
), live AS (
    SELECT live AS generation FROM tenure.projection_generation WHERE projection = 'employee_keys'
), presented AS (
    SELECT v.ledger_id, v.employee_id, v.key FROM tenure.employee_keys AS v JOIN live USING (generation)
    UNION
    SELECT t.ledger_id, e.stream_id,
        decode(translate(convert_from(e.entry, 'UTF8')::json #>> '{data,key}', '-_', '+/') || '=', 'base64')
    FROM tenant AS t CROSS JOIN live LEFT JOIN tenure.projection_progress AS p
        ON p.ledger_id = t.ledger_id AND p.projection = 'employee_keys' AND p.generation = live.generation
    CROSS JOIN LATERAL (
        SELECT e.stream_id, e.entry FROM tenure.event AS e
        WHERE e.ledger_id = t.ledger_id AND e.position > coalesce(p.position, 0) AND e.type = 'EmployeeKeyPresented'
        -- By ledger and position, whatever the planner thinks of the whole.
        OFFSET 0) AS e
)
INSERT INTO tenure.claim (ledger_id, kind, key, owner)
SELECT k.ledger_id, 'device', sha256(uuid_send(k.employee_id) || k.key), k.employee_id
FROM presented AS k
    -- Whoever was erased is no member.
    JOIN tenure.claim AS m ON m.ledger_id = k.ledger_id AND m.kind = 'member' AND m.value = uuid_send(k.employee_id);

ALTER TABLE tenure.employee_keys FORCE ROW LEVEL SECURITY;
ALTER TABLE tenure.projection_progress FORCE ROW LEVEL SECURITY;
ALTER TABLE tenure.claim FORCE ROW LEVEL SECURITY;
ALTER TABLE tenure.event FORCE ROW LEVEL SECURITY;

RESET ROLE;
