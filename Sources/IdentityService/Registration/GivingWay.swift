import Canonical
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// The effects of an unconfirmed address that gives way to the user who proved its mailbox.
///
/// Only the address moves, and M-Pin identities of that user id end. Credentials, accounts and sessions of its holder
/// stay. The append expects the streams of all
/// accounts as they were read: a holder for whom somebody vouches meanwhile keeps the address.
struct GivingWay: Sendable {
    private let holder: UserSnapshot
    private let claimant: UserID
    private let isVouched: Bool
    private let accounts: [EmployeeSnapshot]
    private let tenants: [TenantID]
    private let claim: ClaimKey
    private let identities: GivenMPinIdentities
    private let context: ServiceContext

    init(of holder: UserID, _ address: EmailAddress, to claimant: UserID, _ context: ServiceContext) async throws {
        let loader = StateLoader(reader: context.reader)
        self.holder = try await loader.user(holder)
        self.claimant = claimant
        self.context = context
        claim = context.ring.addressClaim(address)
        var accounts: [EmployeeSnapshot] = [], tenants: [TenantID] = []
        let found = try await context.accounts(of: holder)
        identities = try await GivenMPinIdentities(of: address, holder, accounts: found, context)
        for (tenant, employee) in found {
            accounts.append(try await loader.employee(employee, in: tenant))
            tenants.append(tenant)
        }
        (self.accounts, self.tenants) = (accounts, tenants)
        let own = Set(accounts.map(\.id))
        // A holder without any account is one whose rows somebody deleted.
        isVouched =
            accounts.isEmpty
            || accounts.contains { account in
                account.state.isVouched(besides: own) || account.state.account?.isEmailVerified == true
            }
    }

    private var decision: User.Command { .giveWay(User.GiveWay(to: claimant, isVouched: isVouched)) }

    /// Whether the holder loses the address.
    var isPossible: Bool { (try? User.decide(holder.state, decision))?.isEmpty == false }

    /// Adds the event and the move of the claim to an append, which fails if the holder is vouched for meanwhile.
    ///
    /// - Throws: `request.stale` if the holder keeps the address.
    func add(to recording: inout some EventRecording) throws {
        recording.recorder.claims.append(Claim(key: claim, owner: claimant.uuid))
        // The append may release it already, with the provisional account of its holder.
        guard !recording.recorder.releases.contains(where: { $0.key == claim }) else { return }
        let events = try User.decided(holder.state, decision)
        try recording.add(events, to: .user(holder.id), version: holder.version)
        try identities.record(in: &recording)
        recording.recorder.releases.append(ClaimRelease(key: claim, owner: holder.id.uuid))
        for (account, tenant) in zip(accounts, tenants) {
            recording.recorder.expectations.merge([.employee(account.id, in: tenant): account.version]) { known, _ in
                known
            }
        }
        recording.recorder.statements.append(context.stillAccounts(accounts.count, of: holder.id))
        recording.recorder.ledgers.insert(.directory(of: holder.id))
    }
}
