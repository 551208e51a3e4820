-- The read model of M-Pin identities, and what erasing one needs. Read models: see m009_projections.sql and
-- m010_read_models.sql. Personal texts stay encrypted here, as in the event.
SET LOCAL ROLE tenure_owner;

-- An M-Pin identity. A registration that is not completed expires at `expires_at` by time alone, which no event records.
CREATE TABLE tenure.mpin_identities (
    ledger_id uuid NOT NULL,
    generation integer NOT NULL,
    identity_id uuid NOT NULL,
    user_id json NOT NULL,
    device_name json,
    verification text COLLATE "C" NOT NULL,
    status text COLLATE "C" NOT NULL,
    employee_id uuid,
    failures integer NOT NULL,
    started_at timestamptz NOT NULL,
    started_position bigint NOT NULL,
    expires_at timestamptz,
    end_reason text COLLATE "C",
    changed_position bigint NOT NULL,
    CONSTRAINT mpin_identities_pkey PRIMARY KEY (ledger_id, generation, identity_id),
    CONSTRAINT mpin_identities_status CHECK (
        status IN ('started', 'activated', 'issued', 'registered', 'blocked', 'revoked')),
    CONSTRAINT mpin_identities_end CHECK ((end_reason IS NOT NULL) = (status IN ('blocked', 'revoked')))
) WITH (fillfactor = 80);
CREATE INDEX mpin_identities_by_start ON tenure.mpin_identities (ledger_id, generation, started_position);

ALTER TABLE tenure.mpin_identities ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY mpin_identities_of_ledgers ON tenure.mpin_identities FOR SELECT TO tenure_app
    USING (ledger_id = ANY ((SELECT nullif(current_setting('tenure.ledgers', true), '')::uuid[])::uuid[]));
CREATE POLICY mpin_identities_for_reader ON tenure.mpin_identities TO tenure_reader USING (true) WITH CHECK (true);
GRANT SELECT ON tenure.mpin_identities TO tenure_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.mpin_identities TO tenure_reader;

INSERT INTO tenure.projection_generation (projection, live, live_revision) VALUES ('mpin_identities', 1, 1);

-- The identities that are linked to an employee: claims of the kind `mpin-linked`, owned by the employee. The erasure of
-- the employee starts from here. The index is partial for the reason given in m003_claims.sql.
CREATE INDEX claim_mpin_by_employee ON tenure.claim (ledger_id, owner) WHERE kind = 'mpin-linked';

-- The kind `mpin` is an identity that is linked to nobody, or an activation code.
ALTER TABLE tenure.erasure DROP CONSTRAINT erasure_kind,
    ADD CONSTRAINT erasure_kind CHECK (kind IN ('employee', 'user', 'mpin'));

RESET ROLE;
