-- Charges one attempt to a budget and its shares, to all of them or to none. The charge is durable before the service
-- does the evaluation that it pays for. The caller holds the lock of the ledger's head, so charges come one after the
-- other and locks are always taken in the same order.
--
-- Every charge_refill_seconds a budget gets one attempt back. A clock that ran backwards refills nothing. `lifetime`
-- counts charges and is never refilled, because callers keep the outputs of earlier evaluations. At its lifetime cap a
-- budget refuses until the user gets new credentials. The refusal names the next refill all the same, so that callers
-- cannot tell the cap from a spent budget.
--
-- A budget that was never charged, or was refunded in full, has no row. One statement inserts and updates rows, so that
-- a first charge costs the server about as much as a later one.
--
-- `spent` has the spent attempts of each key, this charge included.
--
-- `retry_after_seconds` is the longest wait among the keys. After it an attempt is available, unless another caller
-- took it. The caller that takes the last attempt gets it too, or 0 if the charge reached a lifetime cap.
--
-- A known device has delays: its charge_free_of_delay is above 0. Its lifetime counts failures in a row, because a
-- success sets it to 0. The cap does not end its budget: from the cap on the device has one attempt a day.
CREATE OR REPLACE FUNCTION tenure.charge_attempt(
    charge_ledger uuid,
    charge_keys bytea[],
    charge_limits integer[],
    charge_lifetime_caps integer[],
    charge_time timestamptz,
    charge_refill_seconds integer,
    charge_free_of_delay integer,
    charge_delay_seconds integer,
    charge_keep_seconds integer,
    OUT charged boolean,
    OUT spent integer[],
    OUT exhausted boolean,
    OUT retry_after_seconds integer
)
LANGUAGE plpgsql
SET search_path = pg_catalog, tenure
AS $$
#variable_conflict use_column
DECLARE
    -- For each budget: the attempts spent before this charge, the time up to which refills are counted, and the end of
    -- the delay after this charge. `_found` has the keys with a row.
    _spent integer[];
    _refilled timestamptz[];
    _blocked timestamptz[];
    _found bytea[];
    _wait interval;
    _written bigint;
BEGIN
    SELECT array_agg(now.spent ORDER BY part.number), array_agg(now.refilled ORDER BY part.number),
        array_agg(
            -- A first attempt causes no delay.
            CASE WHEN b.key IS NULL OR charge_free_of_delay = 0 THEN b.blocked_until
            WHEN part.cap BETWEEN 1 AND b.lifetime + 1 THEN charge_time + interval '1 day'
            WHEN now.spent + 1 > charge_free_of_delay THEN charge_time + least(
                interval '1 hour',
                make_interval(secs => charge_delay_seconds * 2 ^ least(20, now.spent - charge_free_of_delay)))
            ELSE b.blocked_until END ORDER BY part.number),
        array_agg(b.key),
        max(greatest(
            CASE WHEN b.blocked_until > charge_time THEN b.blocked_until - charge_time END,
            CASE WHEN now.spent >= part.most
                OR (charge_free_of_delay = 0 AND part.cap > 0 AND b.lifetime >= part.cap) THEN
                make_interval(secs => charge_refill_seconds - mod(old.age, charge_refill_seconds)) END))
    INTO _spent, _refilled, _blocked, _found, _wait
    FROM unnest(charge_keys, charge_limits, charge_lifetime_caps) WITH ORDINALITY AS part (key, most, cap, number)
    LEFT JOIN (
        SELECT k.key, k.spent, k.lifetime, k.refilled_at, k.blocked_until FROM tenure.budget AS k
        WHERE k.ledger_id = charge_ledger AND k.key = ANY (charge_keys) ORDER BY k.key FOR UPDATE) AS b
        ON b.key = part.key
    CROSS JOIN LATERAL (
        SELECT coalesce(b.spent, 0) AS spent, extract(epoch FROM charge_time - coalesce(b.refilled_at, charge_time)) AS age
    ) AS old
    CROSS JOIN LATERAL (SELECT greatest(0, floor(old.age / charge_refill_seconds)) AS count) AS refills
    CROSS JOIN LATERAL (SELECT
        CASE WHEN refills.count >= old.spent THEN 0 ELSE old.spent - refills.count::integer END AS spent,
        CASE WHEN refills.count >= old.spent THEN greatest(b.refilled_at, charge_time)
            ELSE b.refilled_at + make_interval(secs => refills.count * charge_refill_seconds) END AS refilled) AS now;
    IF _wait IS NOT NULL THEN
        charged := false;
        spent := '{}';
        exhausted := true;
        retry_after_seconds := greatest(1, ceil(extract(epoch FROM _wait)))::integer;
        RETURN;
    END IF;

    WITH changed AS (
        INSERT INTO tenure.budget AS b (ledger_id, key, spent, lifetime, refilled_at, blocked_until, forget_at)
        SELECT charge_ledger, part.key, part.spent + 1, 1, part.refilled, part.blocked,
            -- Whole days, so that an update rarely moves the row in the index, for users and decoys alike.
            date_trunc('day', charge_time, 'UTC') + interval '1 day' + make_interval(secs => charge_keep_seconds)
        FROM unnest(charge_keys, _spent, _refilled, _blocked) AS part (key, spent, refilled, blocked)
        ON CONFLICT ON CONSTRAINT budget_pkey DO UPDATE SET
            spent = excluded.spent, lifetime = b.lifetime + 1, refilled_at = excluded.refilled_at,
            blocked_until = excluded.blocked_until,
            forget_at = excluded.forget_at
        -- Skips a row that was inserted after the SELECT above.
        WHERE b.key = ANY (_found)
        RETURNING b.key, b.spent, b.lifetime, b.refilled_at, b.blocked_until
    ), judged AS (
        SELECT b.blocked_until, b.spent >= part.most AS spent, part.cap > 0 AND b.lifetime >= part.cap AS is_capped,
            charge_refill_seconds - mod(extract(epoch FROM charge_time - b.refilled_at), charge_refill_seconds) AS rest
        FROM changed AS b
        JOIN unnest(charge_keys, charge_limits, charge_lifetime_caps) AS part (key, most, cap) ON b.key = part.key)
    SELECT count(*), bool_or(spent OR is_capped),
        CASE WHEN charge_free_of_delay > 0 OR NOT bool_or(is_capped) THEN max(greatest(
            CASE WHEN blocked_until > charge_time THEN blocked_until - charge_time END,
            CASE WHEN spent THEN make_interval(secs => rest) END)) END
    INTO _written, exhausted, _wait FROM judged;
    IF _written <> cardinality(charge_keys) THEN
        RAISE EXCEPTION 'a budget was charged beside the head' USING ERRCODE = 'serialization_failure';
    END IF;
    charged := true;
    spent := ARRAY(SELECT s + 1 FROM unnest(_spent) WITH ORDINALITY AS t(s, number) ORDER BY number);
    retry_after_seconds := coalesce(ceil(extract(epoch FROM _wait)), 0)::integer;
END;
$$;

GRANT EXECUTE ON FUNCTION tenure.charge_attempt TO tenure_app;
