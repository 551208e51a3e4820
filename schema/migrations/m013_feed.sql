-- What the projector finds its work with, and which revision of the program the live rows of a view come from.
SET LOCAL ROLE tenure_owner;

-- The transaction that changed a head last, so that what two snapshots see differently is a short range of an index
-- (see functions/changed_ledgers.sql). It is no cursor: nobody stores it elsewhere, and 0 means "not known".
ALTER TABLE tenure.ledger ADD COLUMN changed xid8 NOT NULL DEFAULT '0';
CREATE INDEX ledger_by_change ON tenure.ledger (changed);

-- Who does a piece of work that one process should do. It spares work and decides nothing: whoever holds no lease, or
-- still believes in one that has ended, is as correct.
CREATE TABLE tenure.lease (
    name text COLLATE "C" NOT NULL,
    holder uuid NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT lease_pkey PRIMARY KEY (name),
    CONSTRAINT lease_name CHECK (octet_length(name) BETWEEN 1 AND 32)
) WITH (fillfactor = 50);
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.lease TO tenure_reader;

-- The revision that folded the live rows; a program of a greater one builds them anew.
ALTER TABLE tenure.projection_generation ADD COLUMN live_revision integer NOT NULL DEFAULT 1;

-- What has stopped is asked for often, and there is little of it.
CREATE INDEX projection_progress_stopped ON tenure.projection_progress (ledger_id, projection) WHERE failure IS NOT NULL;

RESET ROLE;
