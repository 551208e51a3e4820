-- A session ends for good at a moment that is fixed when it opens, however often its tokens are renewed.
SET LOCAL ROLE tenure_owner;

-- The default is for a process of the version before that still serves while this one starts.
ALTER TABLE tenure.session ADD COLUMN ends_at timestamptz NOT NULL DEFAULT now() + interval '24 hours';

-- Sessions that are open already have the limit of those that come. Row-level security is for the owner too, except while
-- this runs.
ALTER TABLE tenure.session NO FORCE ROW LEVEL SECURITY;
UPDATE tenure.session SET ends_at = created_at + interval '24 hours',
    access_expires_at = least(access_expires_at, created_at + interval '24 hours'),
    refresh_expires_at = least(refresh_expires_at, created_at + interval '24 hours');
ALTER TABLE tenure.session FORCE ROW LEVEL SECURITY;

RESET ROLE;
