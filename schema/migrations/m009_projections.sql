-- How projections are kept: their generations, how far each has read, and who does shared work.
--
-- Everything in a projection follows from the log and can be rebuilt. A projection has generations. One is live; a
-- rebuild fills another one beside it, and one update of projection_generation makes the cut-over.
SET LOCAL ROLE tenure_owner;

-- The live generation of each projection and the revision of the program that folded it, and the same of the generation
-- that is being built. A program of a greater revision rebuilds the projection.
CREATE TABLE tenure.projection_generation (
    projection text COLLATE "C" NOT NULL,
    live integer NOT NULL,
    building integer,
    building_revision integer,
    live_revision integer NOT NULL DEFAULT 1,
    CONSTRAINT projection_generation_pkey PRIMARY KEY (projection),
    CONSTRAINT projection_generation_live CHECK (live >= 1),
    CONSTRAINT projection_generation_building CHECK (building > live),
    CONSTRAINT projection_generation_revision CHECK ((building IS NULL) = (building_revision IS NULL))
) WITH (fillfactor = 50);

-- An empty projection is of the newest revision: there is nothing to rebuild.
INSERT INTO tenure.projection_generation (projection, live, live_revision) VALUES
    ('employee_keys', 1, 2), ('employees', 1, 2), ('first_security_admins', 1, 1), ('pending_authorizations', 1, 2),
    ('tenants', 1, 2);

GRANT SELECT ON tenure.projection_generation TO tenure_app;
GRANT SELECT, UPDATE ON tenure.projection_generation TO tenure_reader;

-- How far a projection has read a ledger; committed together with the rows of the projection. A projection that cannot
-- apply an event stops before it, for that ledger alone, and says why.
CREATE TABLE tenure.projection_progress (
    ledger_id uuid NOT NULL,
    projection text COLLATE "C" NOT NULL,
    generation integer NOT NULL,
    position bigint NOT NULL,
    failed_at_position bigint,
    failure text,
    CONSTRAINT projection_progress_pkey PRIMARY KEY (ledger_id, projection, generation),
    CONSTRAINT projection_progress_position CHECK (position >= 0),
    CONSTRAINT projection_progress_failure CHECK (
        (failed_at_position IS NULL) = (failure IS NULL) AND failed_at_position = position + 1)
) WITH (fillfactor = 70);
-- What a generation consists of, page by page: for building, comparing and dropping it.
CREATE INDEX projection_progress_by_generation ON tenure.projection_progress (projection, generation, ledger_id);
-- Stopped projections are asked for often, and there are few of them.
CREATE INDEX projection_progress_stopped
    ON tenure.projection_progress (ledger_id, projection) WHERE failure IS NOT NULL;

-- The service reads projections and never writes them. The projector runs as the reader role, which writes nothing
-- else.
ALTER TABLE tenure.projection_progress ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY projection_progress_of_ledgers ON tenure.projection_progress FOR SELECT TO tenure_app
    USING (ledger_id = ANY ((SELECT nullif(current_setting('tenure.ledgers', true), '')::uuid[])::uuid[]));
CREATE POLICY projection_progress_for_reader ON tenure.projection_progress
    TO tenure_reader USING (true) WITH CHECK (true);
GRANT SELECT ON tenure.projection_progress TO tenure_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.projection_progress TO tenure_reader;

-- Who does a piece of work that one process should do. It saves work and decides nothing: a process without the lease,
-- or one that still believes in a lease that has ended, is as correct.
CREATE TABLE tenure.lease (
    name text COLLATE "C" NOT NULL,
    holder uuid NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT lease_pkey PRIMARY KEY (name),
    CONSTRAINT lease_name CHECK (octet_length(name) BETWEEN 1 AND 32)
) WITH (fillfactor = 50);
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.lease TO tenure_reader;

RESET ROLE;
