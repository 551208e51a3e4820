-- The newest signed checkpoint of each ledger. Every older one is recorded in the system ledger, whose own newest
-- checkpoint, the anchor, has a row here too.
SET LOCAL ROLE tenure_owner;

CREATE TABLE tenure.checkpoint (
    ledger_id uuid NOT NULL,
    size bigint NOT NULL,
    root bytea NOT NULL,
    note text COLLATE "C" NOT NULL,
    CONSTRAINT checkpoint_pkey PRIMARY KEY (ledger_id),
    CONSTRAINT checkpoint_size CHECK (size >= 1),
    CONSTRAINT checkpoint_root CHECK (octet_length(root) = 32),
    CONSTRAINT checkpoint_note CHECK (octet_length(note) BETWEEN 1 AND 4096)
) WITH (fillfactor = 50);

ALTER TABLE tenure.checkpoint ENABLE ROW LEVEL SECURITY;
ALTER TABLE tenure.checkpoint FORCE ROW LEVEL SECURITY;
CREATE POLICY checkpoint_of_ledgers ON tenure.checkpoint TO tenure_app USING ((ledger_id = ANY (
    (SELECT nullif(current_setting('tenure.ledgers', true), '')::uuid[])::uuid[])) IS TRUE);
CREATE POLICY checkpoint_for_reader ON tenure.checkpoint FOR SELECT TO tenure_reader USING (true);
GRANT SELECT ON tenure.checkpoint TO tenure_reader;
-- A checkpoint is replaced by a later one and never deleted.
GRANT SELECT, INSERT, UPDATE ON tenure.checkpoint TO tenure_app;

RESET ROLE;
