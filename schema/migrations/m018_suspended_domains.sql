-- The folded name of a tenant whose domain was confirmed before A-labels, if more than one domain folds to it. It gives no
-- power until the operator confirms the domain again. The projection of revision 3 fills it.
SET LOCAL ROLE tenure_owner;

ALTER TABLE tenure.tenants ADD COLUMN IF NOT EXISTS suspended_domain text COLLATE "C";

RESET ROLE;
