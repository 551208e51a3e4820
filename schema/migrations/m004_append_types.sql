-- The rows that the append function works on. Its callers pass plain arrays.
SET LOCAL ROLE tenure_owner;

-- One event; `ordinal` is its place in the batch.
CREATE TYPE tenure.append_event AS (
    caller integer, ledger_id uuid, kind text, stream_id uuid, version integer, event_id uuid, type text, entry bytea,
    code bytea, ordinal integer, time timestamptz
);

-- The version one caller expects of a stream, whether or not it appends to it.
CREATE TYPE tenure.append_expectation AS (
    caller integer, ledger_id uuid, kind text, stream_id uuid, version integer
);

-- A claim to take.
CREATE TYPE tenure.append_claim AS (
    caller integer, ledger_id uuid, kind text, key bytea, owner uuid, value bytea, expires_at timestamptz
);

-- A claim to give back; if it names an owner, only from that owner.
CREATE TYPE tenure.append_release AS (caller integer, ledger_id uuid, kind text, key bytea, owner uuid);

-- The head of a ledger as a batch is decided on.
CREATE TYPE tenure.append_head AS (ledger_id uuid, size bigint, time timestamptz, accepted timestamptz);

-- A whole batch, so that it travels between functions as one value.
CREATE TYPE tenure.append_batch AS (
    times timestamptz[], events tenure.append_event[], expectations tenure.append_expectation[],
    claims tenure.append_claim[], releases tenure.append_release[], limits timestamptz[], tolerances integer[],
    followers integer[], heads tenure.append_head[]
);

-- The outcome of one caller's append. The outcome decides which of the other columns are set:
-- appended, duplicate: positions, in the order of the caller's events; version: the stream and its version;
-- time: the time to encode with; taken, missing: the ledger and the kind of the claim; reused: nothing.
CREATE TYPE tenure.append_outcome AS (
    caller integer, outcome text, ledger_id uuid, kind text, stream_id uuid, version integer, time timestamptz,
    positions bigint[]
);

RESET ROLE;
