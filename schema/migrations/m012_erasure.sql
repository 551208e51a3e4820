-- Who was erased, and which master keys have to be destroyed until nothing can bring that person back.
SET LOCAL ROLE tenure_owner;

-- Written in the transaction that appends EmployeeErased or UserErased. `destroyed_at` is null while keys are left: a
-- run that was killed goes on from here. The ids are random and stand in the log anyway.
CREATE TABLE tenure.erasure (
    ledger_id uuid NOT NULL,
    person_id uuid NOT NULL,
    kind text COLLATE "C" NOT NULL,
    recorded_at timestamptz NOT NULL,
    master_version integer,
    destroyed_at timestamptz,
    CONSTRAINT erasure_pkey PRIMARY KEY (ledger_id, person_id),
    CONSTRAINT erasure_kind CHECK (kind IN ('employee', 'user')),
    CONSTRAINT erasure_master_version CHECK (master_version >= 1)
);
-- What is left to do is found without reading all that was done.
CREATE INDEX erasure_open ON tenure.erasure (ledger_id) WHERE destroyed_at IS NULL;

ALTER TABLE tenure.erasure ENABLE ROW LEVEL SECURITY;
ALTER TABLE tenure.erasure FORCE ROW LEVEL SECURITY;
CREATE POLICY erasure_of_ledgers ON tenure.erasure TO tenure_app USING ((ledger_id = ANY
    ((SELECT nullif(current_setting('tenure.ledgers', true), '')::uuid[])::uuid[])) IS TRUE);
CREATE POLICY erasure_for_reader ON tenure.erasure FOR SELECT TO tenure_reader USING (true);
GRANT SELECT, INSERT, UPDATE ON tenure.erasure TO tenure_app;
GRANT SELECT ON tenure.erasure TO tenure_reader;

-- ANALYZE copies samples of columns into pg_statistic, where a destroyed key would stay until the next one. Nothing
-- searches by these columns, so nobody misses the statistics.
ALTER TABLE tenure.person_key ALTER COLUMN wrapped SET STATISTICS 0;
ALTER TABLE tenure.oprf_seed ALTER COLUMN wrapped SET STATISTICS 0;
ALTER TABLE tenure.bucket_key ALTER COLUMN wrapped SET STATISTICS 0;
ALTER TABLE tenure.purpose_key ALTER COLUMN wrapped SET STATISTICS 0;
ALTER TABLE tenure.flow ALTER COLUMN sealed SET STATISTICS 0;
ALTER TABLE tenure.idempotency ALTER COLUMN answer SET STATISTICS 0;

RESET ROLE;
