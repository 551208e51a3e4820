-- tenure.append_lock has another result since m016, and CREATE OR REPLACE cannot change one. Databases from before have the
-- old form; functions/ creates the new one.
SET LOCAL ROLE tenure_owner;

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_proc WHERE pronamespace = 'tenure'::regnamespace AND proname = 'append_lock'
        AND prorettype = 'void'::regtype)
    THEN
        DROP FUNCTION tenure.append_lock(tenure.append_batch);
    END IF;
END
$$;

RESET ROLE;
