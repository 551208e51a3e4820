-- The three roles and the schema. Roles belong to the whole cluster, so an existing role is used as it is, after a check
-- that it cannot bypass row-level security. Nothing here runs as one of them: another node of a distributed database
-- knows a new role only when its transaction has ended.
DO $$
DECLARE
    _role text;
    _may boolean := (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user);
BEGIN
    -- Several programs may migrate at once, and only one of them can create a role.
    PERFORM pg_advisory_xact_lock(hashtextextended('tenure/roles', 0));
    FOREACH _role IN ARRAY ARRAY['tenure_owner', 'tenure_app', 'tenure_reader'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = _role) THEN
            IF NOT _may THEN
                RAISE EXCEPTION 'role % is missing and role % may not create it', _role, current_user
                    USING ERRCODE = 'insufficient_privilege',
                        HINT = 'Migrate as a superuser or as a role with CREATEROLE, or create the role first.';
            END IF;
            BEGIN
                EXECUTE format(
                    'CREATE ROLE %I LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION', _role);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                -- Advisory locks hold within one database; the migration of another one was faster.
                NULL;
            END;
        END IF;
        IF EXISTS (SELECT FROM pg_roles WHERE rolname = _role AND (rolsuper OR rolbypassrls)) THEN
            RAISE EXCEPTION 'role % bypasses row-level security', _role
                USING ERRCODE = 'invalid_role_specification', HINT = 'Make it NOSUPERUSER NOBYPASSRLS.';
        END IF;
    END LOOP;
    IF NOT pg_has_role(current_user, 'tenure_owner', 'USAGE') THEN
        IF NOT _may THEN
            RAISE EXCEPTION 'role % is not a member of tenure_owner', current_user
                USING ERRCODE = 'insufficient_privilege', HINT = 'Migrate as tenure_owner or as a member of it.';
        END IF;
        EXECUTE format('GRANT tenure_owner TO %I', current_user);
    END IF;
END
$$;

CREATE SCHEMA tenure AUTHORIZATION tenure_owner;
GRANT USAGE ON SCHEMA tenure TO tenure_app, tenure_reader;
