-- The log: heads, events, tiles and checkpoints.
--
-- `ledger_id` leads every key of every table that belongs to ledgers, so that a ledger can move to another machine and
-- nothing implies an order between ledgers.
--
-- Row-level security holds for every such table, for its owner too (FORCE). The application names the ledgers of a
-- transaction in the setting tenure.ledgers, and sees and writes their rows only. For every other row
-- tenure.outside_scope decides. The policies have one form for a single server and for a distributed database, which
-- takes no sub-select in a policy. They compare the setting as text, because an array would be parsed for each row;
-- docs/measurements has the cost. The reader role sees all rows and may write none.
SET LOCAL ROLE tenure_owner;

-- The answer of a policy about a row outside of the transaction's ledgers. It is false, or an error if the transaction
-- named no ledgers, so that a forgotten scope is not taken for an empty table.
--
-- It takes the ledger only to depend on the row. Otherwise it would be called when the statement is planned.
CREATE FUNCTION tenure.outside_scope(_ledger uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY INVOKER
AS $$
BEGIN
    IF coalesce(pg_catalog.current_setting('tenure.ledgers', true), '') = '' THEN
        RAISE EXCEPTION 'the transaction names no ledgers'
            USING ERRCODE = 'insufficient_privilege', HINT = 'Call tenure.enter_scope first, after BEGIN.';
    END IF;
    RETURN false;
END
$$;

-- The head of a ledger. Appends lock this row, which puts them in order. `changed` is the transaction that changed the
-- head last, so that the difference between two snapshots is a short range of an index (functions/changed_ledgers.sql).
-- It is no cursor: nobody stores it elsewhere, and 0 means "not known".
--
-- A head may be ahead of the clock, because a clock was wrong or an event was forged. Then the ledger takes no events
-- until the operator accepted the time of the head; `accepted` is that time. The log has the decision as
-- LedgerTimeAccepted, and a head that is later than `accepted` is not covered by it.
CREATE TABLE tenure.ledger (
    ledger_id uuid NOT NULL,
    size bigint NOT NULL DEFAULT 0,
    time timestamptz NOT NULL DEFAULT '0001-01-01T00:00:00Z',
    accepted timestamptz,
    changed xid8 NOT NULL DEFAULT '0',
    CONSTRAINT ledger_pkey PRIMARY KEY (ledger_id),
    CONSTRAINT ledger_size CHECK (size BETWEEN 0 AND 9007199254740991),
    -- Whoever writes the database must not be able to stop its readers by a time or a size that no program can read.
    CONSTRAINT ledger_time CHECK (time >= '0001-01-01T00:00:00Z' AND time < '10000-01-01T00:00:00Z')
) WITH (fillfactor = 50);
CREATE INDEX ledger_by_change ON tenure.ledger (changed);

ALTER TABLE tenure.ledger ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY ledger_of_ledgers ON tenure.ledger TO tenure_app USING (CASE
    WHEN strpos(current_setting('tenure.ledgers', true), ledger_id::text) > 0 THEN true
    ELSE tenure.outside_scope(ledger_id) END);
CREATE POLICY ledger_for_reader ON tenure.ledger FOR SELECT TO tenure_reader USING (true);
GRANT SELECT, INSERT, UPDATE ON tenure.ledger TO tenure_app;
GRANT SELECT ON tenure.ledger TO tenure_reader;

-- The events. `entry` is the event; the other columns repeat what is needed to find it. The table computes the leaf
-- hash (RFC 6962 section 2.1) itself, so no writer can store another one. The version of a stream is that of its last
-- event. `code` says that a service wrote the entry: two bytes that name a key, and sixteen of an HMAC.
CREATE TABLE tenure.event (
    ledger_id uuid NOT NULL,
    position bigint NOT NULL,
    event_id uuid NOT NULL,
    stream_id uuid NOT NULL,
    kind text COLLATE "C" NOT NULL,
    version integer NOT NULL,
    type text COLLATE "C" NOT NULL,
    time timestamptz NOT NULL,
    entry bytea NOT NULL,
    code bytea NOT NULL,
    leaf bytea NOT NULL GENERATED ALWAYS AS (sha256('\x00'::bytea || entry)) STORED,
    CONSTRAINT event_pkey PRIMARY KEY (ledger_id, position),
    CONSTRAINT event_id_key UNIQUE (ledger_id, event_id),
    CONSTRAINT event_stream_key UNIQUE (ledger_id, stream_id, kind, version),
    CONSTRAINT event_position CHECK (position BETWEEN 1 AND 9007199254740991),
    CONSTRAINT event_version CHECK (version >= 1),
    CONSTRAINT event_kind CHECK (octet_length(kind) BETWEEN 1 AND 32),
    CONSTRAINT event_type CHECK (octet_length(type) BETWEEN 1 AND 64),
    CONSTRAINT event_entry CHECK (octet_length(entry) BETWEEN 2 AND 65535),
    CONSTRAINT event_code CHECK (octet_length(code) = 18),
    CONSTRAINT event_time CHECK (time >= '0001-01-01T00:00:00Z' AND time < '10000-01-01T00:00:00Z')
) WITH (toast_tuple_target = 8160);
-- Sealed bytes and hashes do not compress, and trying takes as long as the rest of the insertion. An entry stays in its
-- row up to what a page can hold.
ALTER TABLE tenure.event ALTER COLUMN entry SET STORAGE EXTERNAL;

-- The application inserts and reads events, nothing else. Privileges enforce that, not triggers.
ALTER TABLE tenure.event ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY event_of_ledgers ON tenure.event TO tenure_app USING (CASE
    WHEN strpos(current_setting('tenure.ledgers', true), ledger_id::text) > 0 THEN true
    ELSE tenure.outside_scope(ledger_id) END);
CREATE POLICY event_for_reader ON tenure.event FOR SELECT TO tenure_reader USING (true);
GRANT SELECT, INSERT ON tenure.event TO tenure_app;
GRANT SELECT ON tenure.event TO tenure_reader;

-- Full tiles of a ledger's tree: 256 hashes of one level, and the hash of the subtree above them. A cache: everything
-- in it follows from the leaves. `mac` is the service's code over the root; a tile without a right one is replaced.
CREATE TABLE tenure.tile (
    ledger_id uuid NOT NULL,
    level smallint NOT NULL,
    index bigint NOT NULL,
    hashes bytea NOT NULL,
    root bytea NOT NULL,
    mac bytea NOT NULL,
    CONSTRAINT tile_pkey PRIMARY KEY (ledger_id, level, index),
    CONSTRAINT tile_level CHECK (level BETWEEN 0 AND 7),
    CONSTRAINT tile_index CHECK (index BETWEEN 0 AND 9007199254740991),
    CONSTRAINT tile_hashes CHECK (octet_length(hashes) = 8192),
    CONSTRAINT tile_root CHECK (octet_length(root) = 32)
);
ALTER TABLE tenure.tile ALTER COLUMN hashes SET STORAGE EXTERNAL;

ALTER TABLE tenure.tile ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tile_of_ledgers ON tenure.tile TO tenure_app USING (CASE
    WHEN strpos(current_setting('tenure.ledgers', true), ledger_id::text) > 0 THEN true
    ELSE tenure.outside_scope(ledger_id) END);
CREATE POLICY tile_for_reader ON tenure.tile FOR SELECT TO tenure_reader USING (true);
GRANT SELECT, INSERT, UPDATE (hashes, root, mac) ON tenure.tile TO tenure_app;
GRANT SELECT ON tenure.tile TO tenure_reader;

-- The newest signed checkpoint of each ledger. The system ledger records every older one. Its own newest checkpoint,
-- the anchor, has a row here too. A later checkpoint replaces an earlier one; none is deleted.
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

ALTER TABLE tenure.checkpoint ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY checkpoint_of_ledgers ON tenure.checkpoint TO tenure_app USING (CASE
    WHEN strpos(current_setting('tenure.ledgers', true), ledger_id::text) > 0 THEN true
    ELSE tenure.outside_scope(ledger_id) END);
CREATE POLICY checkpoint_for_reader ON tenure.checkpoint FOR SELECT TO tenure_reader USING (true);
GRANT SELECT, INSERT, UPDATE ON tenure.checkpoint TO tenure_app;
GRANT SELECT ON tenure.checkpoint TO tenure_reader;

RESET ROLE;
