-- Short-lived rows of the service: none of them is part of the history.
SET LOCAL ROLE tenure_owner;

-- A registration or a log-in on its way.
CREATE TABLE tenure.flow (
    ledger_id uuid NOT NULL,
    flow_id uuid NOT NULL,
    version integer NOT NULL,
    sealed bytea NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT flow_pkey PRIMARY KEY (ledger_id, flow_id),
    CONSTRAINT flow_version CHECK (version >= 1),
    CONSTRAINT flow_sealed CHECK (octet_length(sealed) BETWEEN 28 AND 65536)
);

-- The digests of a session's tokens; the tokens themselves are never stored.
CREATE TABLE tenure.session (
    ledger_id uuid NOT NULL,
    session_id uuid NOT NULL,
    employee_id uuid NOT NULL,
    fingerprint bytea NOT NULL,
    access_digest bytea NOT NULL,
    refresh_digest bytea NOT NULL,
    previous_refresh_digest bytea,
    access_expires_at timestamptz NOT NULL,
    refresh_expires_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT session_pkey PRIMARY KEY (ledger_id, session_id),
    CONSTRAINT session_fingerprint CHECK (octet_length(fingerprint) = 32),
    CONSTRAINT session_access_digest CHECK (octet_length(access_digest) = 32),
    CONSTRAINT session_refresh_digest CHECK (octet_length(refresh_digest) = 32),
    CONSTRAINT session_previous_refresh_digest CHECK (octet_length(previous_refresh_digest) = 32)
);
-- Cancelling an employee or revoking a key ends all of the employee's sessions.
CREATE INDEX session_by_employee ON tenure.session (ledger_id, employee_id);

-- The answer to a request that may be sent again.
CREATE TABLE tenure.idempotency (
    ledger_id uuid NOT NULL,
    key bytea NOT NULL,
    fingerprint bytea NOT NULL,
    state text COLLATE "C" NOT NULL,
    answer bytea,
    lease_until timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT idempotency_pkey PRIMARY KEY (ledger_id, key),
    CONSTRAINT idempotency_key CHECK (octet_length(key) BETWEEN 16 AND 64),
    CONSTRAINT idempotency_fingerprint CHECK (octet_length(fingerprint) BETWEEN 16 AND 64),
    CONSTRAINT idempotency_state CHECK (octet_length(state) BETWEEN 1 AND 16),
    CONSTRAINT idempotency_answer CHECK (octet_length(answer) <= 65536)
);

-- How many attempts somebody has left.
CREATE TABLE tenure.budget (
    ledger_id uuid NOT NULL,
    key bytea NOT NULL,
    spent integer NOT NULL,
    lifetime integer NOT NULL,
    refilled_at timestamptz NOT NULL,
    blocked_until timestamptz,
    CONSTRAINT budget_pkey PRIMARY KEY (ledger_id, key),
    CONSTRAINT budget_key CHECK (octet_length(key) BETWEEN 16 AND 64),
    CONSTRAINT budget_spent CHECK (spent >= 0),
    CONSTRAINT budget_lifetime CHECK (lifetime >= 0)
) WITH (fillfactor = 70);

GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.flow, tenure.session, tenure.idempotency, tenure.budget TO tenure_app;

RESET ROLE;
