-- Stores the wrapped key of a person, if its bucket still has the epoch under whose key it was wrapped. The lock on the
-- bucket delays a re-keying until the transaction has ended, so nothing stays wrapped under a destroyed key. Otherwise it
-- fails like a missing epoch, with SQLSTATE 23502.
CREATE OR REPLACE FUNCTION tenure.insert_person_key(
    _ledger uuid, _id uuid, _bucket smallint, _epoch integer, _wrapped bytea) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY INVOKER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM FROM tenure.bucket_key AS b WHERE b.bucket = _bucket AND b.epoch = _epoch FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the bucket was re-keyed'
            USING ERRCODE = 'not_null_violation', SCHEMA = 'tenure', TABLE = 'person_key', COLUMN = 'epoch';
    END IF;
    INSERT INTO tenure.person_key (ledger_id, key_id, bucket, epoch, wrapped)
    VALUES (_ledger, _id, _bucket, _epoch, _wrapped);
END
$$;

-- The same for the seeds of a credential, one for each purpose.
CREATE OR REPLACE FUNCTION tenure.insert_oprf_seeds(
    _ledger uuid, _credential uuid, _bucket smallint, _epoch integer, _purposes text[], _wrapped bytea[]) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY INVOKER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _purpose text;
    _seed bytea;
BEGIN
    PERFORM FROM tenure.bucket_key AS b WHERE b.bucket = _bucket AND b.epoch = _epoch FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the bucket was re-keyed'
            USING ERRCODE = 'not_null_violation', SCHEMA = 'tenure', TABLE = 'oprf_seed', COLUMN = 'epoch';
    END IF;
    FOR _i IN 1 .. cardinality(_purposes) LOOP
        _purpose := _purposes[_i];
        _seed := _wrapped[_i];
        INSERT INTO tenure.oprf_seed (ledger_id, credential_id, purpose, epoch, wrapped)
        VALUES (_ledger, _credential, _purpose, _epoch, _seed);
    END LOOP;
END
$$;
