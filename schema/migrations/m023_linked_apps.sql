-- An app lists the tenants that it is linked to. The projection `tenants` has all tenants, and the app one of them or
-- many: this index finds them. It is of the class jsonb_ops, because jsonb_path_ops does not know the operator `?`.
SET LOCAL ROLE tenure_owner;

CREATE INDEX tenants_by_linked_app ON tenure.tenants USING gin ((linked_apps::jsonb));

RESET ROLE;
