import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger

/// The M-Pin identities that end when the address that is their user id gives way: those that are linked to an account
/// of the holder.
struct GivenMPinIdentities: Sendable {
    private var identities: [(tenant: TenantID, snapshot: MPinIdentitySnapshot)] = []
    private let holder: UserID

    /// Finds the identities in the tenants of the holder's accounts. An identity holds a slot of its user id as long as
    /// it has not ended.
    init(
        of address: EmailAddress, _ holder: UserID, accounts: [(tenant: TenantID, employee: EmployeeID)],
        _ context: ServiceContext
    ) async throws {
        self.holder = holder
        let ids = address.foldings.compactMap { try? MPinUserID(String(decoding: $0, as: UTF8.self)) }
        for tenant in Set(accounts.map(\.tenant)) {
            let slots = ids.flatMap { id in
                KeyRing.mpinSlots.map { context.ring.mpinUserClaim(id, slot: $0, in: tenant) }
            }
            let owners = slots.isEmpty ? [] : try await context.reader.claims(slots).values.map(\.owner)
            guard !owners.isEmpty else { continue }
            let keys = try await context.personKeys.load(owners, ledger: tenant.uuid)
            let events = try await context.reader.streams(owners.map { .mpin(MPinIdentityID($0), in: tenant) })
            for (stream, events) in events {
                let snapshot = try StateLoader.mpin(MPinIdentityID(stream.id), events, keys: keys)
                guard let link = snapshot.state.link, accounts.contains(where: { $0 == (tenant, link.employee) }),
                    let text = snapshot.state.registration?.userID.text, let own = try? MPinUserID(text),
                    own.address == address
                else { continue }
                identities.append((tenant, snapshot))
            }
        }
    }

    /// Adds the ends of the identities to an append.
    func record(in recording: inout some EventRecording) throws {
        for (tenant, identity) in identities {
            try recording.add(
                try MPinIdentity.decided(identity.state, .giveWay(holder)), to: .mpin(identity.id, in: tenant),
                version: identity.version)
        }
    }
}
