-- The log. `ledger_id` leads every key, so that a ledger can be moved to another machine and no order between ledgers
-- is ever implied.
SET LOCAL ROLE tenure_owner;

-- The head of a ledger: locking this row is what puts appends in order. Its position counter and its time go with it.
CREATE TABLE tenure.ledger (
    ledger_id uuid NOT NULL,
    size bigint NOT NULL DEFAULT 0,
    time timestamptz NOT NULL DEFAULT '0001-01-01T00:00:00Z',
    CONSTRAINT ledger_pkey PRIMARY KEY (ledger_id),
    CONSTRAINT ledger_size CHECK (size >= 0)
) WITH (fillfactor = 50);

-- The version of a stream: the number of its events.
CREATE TABLE tenure.stream (
    ledger_id uuid NOT NULL,
    stream_id uuid NOT NULL,
    kind text COLLATE "C" NOT NULL,
    version integer NOT NULL,
    CONSTRAINT stream_pkey PRIMARY KEY (ledger_id, stream_id, kind),
    CONSTRAINT stream_kind CHECK (octet_length(kind) BETWEEN 1 AND 32),
    CONSTRAINT stream_version CHECK (version >= 1)
) WITH (fillfactor = 80);

-- The events. `entry` is the event; the other columns repeat what is needed to find it, and the leaf hash (RFC 6962
-- section 2.1) is made by the table itself, so no writer can store another.
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
    leaf bytea NOT NULL GENERATED ALWAYS AS (sha256('\x00'::bytea || entry)) STORED,
    CONSTRAINT event_pkey PRIMARY KEY (ledger_id, position),
    CONSTRAINT event_id_key UNIQUE (ledger_id, event_id),
    CONSTRAINT event_stream_key UNIQUE (ledger_id, stream_id, kind, version),
    CONSTRAINT event_position CHECK (position >= 1),
    CONSTRAINT event_version CHECK (version >= 1),
    CONSTRAINT event_kind CHECK (octet_length(kind) BETWEEN 1 AND 32),
    CONSTRAINT event_type CHECK (octet_length(type) BETWEEN 1 AND 64),
    CONSTRAINT event_entry CHECK (octet_length(entry) BETWEEN 2 AND 65535)
);

-- What can belong to one owner only, by the keyed hash of what it is.
CREATE TABLE tenure.claim (
    ledger_id uuid NOT NULL,
    kind text COLLATE "C" NOT NULL,
    key bytea NOT NULL,
    owner uuid NOT NULL,
    value bytea,
    expires_at timestamptz,
    CONSTRAINT claim_pkey PRIMARY KEY (ledger_id, kind, key),
    CONSTRAINT claim_kind CHECK (octet_length(kind) BETWEEN 1 AND 32),
    CONSTRAINT claim_key CHECK (octet_length(key) = 32),
    CONSTRAINT claim_value CHECK (octet_length(value) <= 4096)
);

-- Full tiles of a ledger's tree: 256 hashes of one level, and the hash of the subtree above them. A cache: everything
-- in it follows from the leaves, and verification never reads it.
CREATE TABLE tenure.tile (
    ledger_id uuid NOT NULL,
    level smallint NOT NULL,
    index bigint NOT NULL,
    hashes bytea NOT NULL,
    root bytea NOT NULL,
    CONSTRAINT tile_pkey PRIMARY KEY (ledger_id, level, index),
    CONSTRAINT tile_level CHECK (level BETWEEN 0 AND 7),
    CONSTRAINT tile_index CHECK (index >= 0),
    CONSTRAINT tile_hashes CHECK (octet_length(hashes) = 8192),
    CONSTRAINT tile_root CHECK (octet_length(root) = 32)
);
-- Hashes do not compress.
ALTER TABLE tenure.tile ALTER COLUMN hashes SET STORAGE EXTERNAL;

-- Events are inserted and read, nothing else; that is a matter of privileges, not of triggers.
GRANT SELECT, INSERT ON tenure.event, tenure.tile TO tenure_app;
GRANT SELECT, INSERT, UPDATE ON tenure.ledger, tenure.stream TO tenure_app;
GRANT SELECT, INSERT, DELETE ON tenure.claim TO tenure_app;

RESET ROLE;
