package import Canonical

extension User {
    /// One account of a user and the tenant that it is in.
    package struct TenantAccount: Sendable {
        package var employee: Employee.State
        package var tenant: Tenant.State

        package init(employee: Employee.State, tenant: Tenant.State) {
            self.employee = employee
            self.tenant = tenant
        }
    }

    /// Whether a device key of one account may replace the credentials that all accounts of the user share.
    ///
    /// The key must be in force on every account that is older than its own, and carry the role on every account that has
    /// one. Otherwise an app that has seen the answers could register one more account, get its key authorized there, and
    /// replace the credentials of an admin. Accounts with a role that were registered after the key was authorized do not
    /// count: nobody founds a company in somebody's name to keep them from changing their credentials. Neither do
    /// accounts that are cancelled or provisional.
    ///
    /// - Parameters:
    ///   - key: The device key, in force on `own`.
    ///   - own: The account with which the user changes the credentials.
    ///   - others: All other accounts of the user, in this and in other tenants.
    package static func mayReplaceCredentials(
        _ key: PublicKeyBytes, of own: TenantAccount, others: [TenantAccount]
    ) -> Bool {
        guard let registeredAt = own.employee.account?.registeredAt, carriesRole(key, on: own),
            let authorizedAt = own.employee.keys[key]?.authorizedAt
        else { return false }
        return others.allSatisfy { other in
            guard let account = other.employee.account, !account.isCancelled, !other.employee.isProvisional else {
                return true
            }
            guard other.tenant.role(of: account.id) == .employee else {
                return authorizedAt <= account.registeredAt || carriesRole(key, on: other)
            }
            return registeredAt <= account.registeredAt || other.employee.authorizedKeys.contains(key)
        }
    }

    /// Whether a synced passkey alone may set the first secret of a user: for an admin only on the day of the
    /// registration. Later somebody else may have the passkey by its sync service, and would get the role by the secret.
    ///
    /// - Parameter accounts: All accounts of the user.
    package static func maySetFirstSecret(bySynced accounts: [TenantAccount], at time: Timestamp) -> Bool {
        accounts.allSatisfy { each in
            guard let account = each.employee.account, each.tenant.role(of: account.id) != .employee else {
                return true
            }
            return time <= account.registeredAt.adding(firstSecretTime)
        }
    }

    /// How long after the registration a synced passkey may set an admin's first secret.
    package static let firstSecretTime = Duration.seconds(86_400)

    private static func carriesRole(_ key: PublicKeyBytes, on account: TenantAccount) -> Bool {
        guard let id = account.employee.account?.id, account.tenant.role(of: id) != .employee else { return true }
        return account.employee.roleKeys(in: account.tenant).contains(key)
    }
}
