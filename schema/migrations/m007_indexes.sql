-- Indexes of single modules.
SET LOCAL ROLE tenure_owner;

-- Which employees a user has in a tenant: claims of the kind `member`, found by their owner, the user. Reclaiming an
-- e-mail starts from here, because a security decision never reads a projection. Partial, so that no look-up of a claim
-- by its key can ever be planned over it.
CREATE INDEX claim_by_owner ON tenure.claim (ledger_id, owner) WHERE kind = 'member';

-- Re-keying a bucket finds its seeds without reading all of them.
CREATE INDEX oprf_seed_by_bucket ON tenure.oprf_seed (get_byte(sha256(uuid_send(credential_id)), 0));

-- Sweeping reads what expired, not the whole table.
CREATE INDEX flow_by_expiry ON tenure.flow (expires_at);
CREATE INDEX idempotency_by_expiry ON tenure.idempotency (expires_at);

RESET ROLE;
