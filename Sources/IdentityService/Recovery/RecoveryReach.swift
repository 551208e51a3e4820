import Canonical
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
import Projections

extension ServiceContext {
    /// How far a company's word goes for a user, and the statement that refuses the append when that is not so any more.
    ///
    /// The user's stream, which says who holds the address, and the company's, which says what domain is confirmed, are
    /// guarded by the append as well.
    func recoveryReach(
        of user: UserSnapshot, in tenant: TenantSnapshot
    ) async throws -> (reach: User.RecoveryReach, stillSo: SQL) {
        let accounts = try await accounts(of: user.id)
        let isElsewhere = accounts.contains { $0.tenant != tenant.id }
        let ownsAddress = isElsewhere ? try await owns(addressOf: user, tenant) : false
        return (
            User.RecoveryReach(hasAccountsElsewhere: isElsewhere, ownsAddress: ownsAddress),
            stillAccounts(accounts.count, of: user.id)
        )
    }

    private func owns(addressOf user: UserSnapshot, _ tenant: TenantSnapshot) async throws -> Bool {
        guard let entered = tenant.state.companyName, let name = try? CompanyName(entered),
            tenant.state.confirmedDomains.contains(name.canonicalText)
        else { return false }
        let keys = try await personKeys.load([user.id.uuid], ledger: LedgerID.directory(of: user.id).uuid)
        let opened = User.fold(try user.events.map { try EventCodec.decode($0, keys: keys) })
        guard let text = opened.email?.text, let address = try? EmailAddress(text) else { return false }
        return address.isOwned(by: name)
    }
}
