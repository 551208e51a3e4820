-- Row-level security of every table that belongs to ledgers, for its owner too (FORCE).
--
-- The application names the ledgers of a transaction in the setting tenure.ledgers; without it no row is seen and none
-- can be written. The setting is '' after the first transaction that set it, hence nullif. The sub-select makes the
-- array once per statement, not once per row. IS TRUE keeps the comparison from being an index condition: next to
-- `ledger_id = …`, which every statement has anyway, that would try each ledger of a batch in turn for every row.
-- The reader role sees all rows and has no privilege to write any.
SET LOCAL ROLE tenure_owner;

DO $$
DECLARE
    _table text;
BEGIN
    FOREACH _table IN ARRAY ARRAY[
        'ledger', 'stream', 'event', 'claim', 'tile', 'person_key', 'oprf_seed', 'flow', 'session', 'idempotency',
        'budget'
    ] LOOP
        EXECUTE format('ALTER TABLE tenure.%I ENABLE ROW LEVEL SECURITY', _table);
        EXECUTE format('ALTER TABLE tenure.%I FORCE ROW LEVEL SECURITY', _table);
        EXECUTE format(
            'CREATE POLICY %I ON tenure.%I TO tenure_app USING ((ledger_id = ANY '
            '((SELECT nullif(current_setting(''tenure.ledgers'', true), '''')::uuid[])::uuid[])) IS TRUE)',
            _table || '_of_ledgers', _table);
        EXECUTE format('CREATE POLICY %I ON tenure.%I FOR SELECT TO tenure_reader USING (true)',
            _table || '_for_reader', _table);
    END LOOP;
END
$$;

GRANT SELECT ON ALL TABLES IN SCHEMA tenure TO tenure_reader;

RESET ROLE;
