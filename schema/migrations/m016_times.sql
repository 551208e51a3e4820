-- What an append was decided on, and which times it may write.
--
-- The append functions compare a head with what they decided on when they write it, so they have other parameters. A
-- caller names the latest time at which its events may be recorded, and how far they may be ahead of the clock.
SET LOCAL ROLE tenure_owner;

-- A head may be ahead of the clock, because a clock was wrong or an event was forged. Then the ledger takes no events
-- until the operator accepted the time of the head; `accepted` is that time. The log has the decision as
-- LedgerTimeAccepted, and a head that is later than `accepted` is not covered by it.
ALTER TABLE tenure.ledger ADD COLUMN accepted timestamptz;

-- The head of a ledger as a batch was decided on.
CREATE TYPE tenure.append_head AS (ledger_id uuid, size bigint, time timestamptz, accepted timestamptz);

ALTER TYPE tenure.append_event ADD ATTRIBUTE time timestamptz;
ALTER TYPE tenure.append_batch
    ADD ATTRIBUTE limits timestamptz[], ADD ATTRIBUTE tolerances integer[], ADD ATTRIBUTE followers integer[],
    ADD ATTRIBUTE heads tenure.append_head[];

-- The old signatures go; functions/ creates the new ones.
DROP FUNCTION IF EXISTS tenure.append(
    timestamptz[], integer[], uuid[], text[], uuid[], integer[], uuid[], text[], bytea[], integer[], uuid[], text[],
    uuid[], integer[], integer[], uuid[], text[], bytea[], uuid[], bytea[], timestamptz[], integer[], uuid[], text[],
    bytea[], uuid[]);
DROP FUNCTION IF EXISTS tenure.append_independent(
    uuid[], integer[], timestamptz[], timestamptz[], integer[], integer[], text[], uuid[], integer[], uuid[], text[],
    timestamptz[], bytea[], uuid[], text[], uuid[], integer[]);
DROP FUNCTION IF EXISTS tenure.append_new(
    uuid, timestamptz, uuid[], text[], integer[], uuid[], text[], bytea[]);

RESET ROLE;
