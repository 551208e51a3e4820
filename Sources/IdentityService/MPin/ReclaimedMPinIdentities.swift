import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
import TenureAPI

/// The M-Pin identities that end when a tenant reclaims the address that is their user id.
struct ReclaimedMPinIdentities: Sendable {
    /// An identity that has not ended, with the account that it is linked to.
    private struct Holder: Sendable {
        let identity: MPinIdentitySnapshot
        let account: AuthoritySubject?
    }

    private let tenant: TenantID
    private let holders: [Holder]
    /// The claims on the slots of the user id, and who holds them.
    private let slots: [ClaimKey]
    private let owners: [UUID]

    /// Finds the identities of an address.
    ///
    /// An identity holds a slot of its user id as long as it has not ended, so none is missing. The slots are those of
    /// the folded form, so each identity's own user id is compared with the address.
    init(of address: EmailAddress, in access: CompanyAccess, _ context: ServiceContext) async throws {
        let tenant = access.tenant.id
        self.tenant = tenant
        slots = address.foldings.compactMap { try? MPinUserID(String(decoding: $0, as: UTF8.self)) }.flatMap { id in
            KeyRing.mpinSlots.map { context.ring.mpinUserClaim(id, slot: $0, in: tenant) }
        }
        owners = slots.isEmpty ? [] : try await context.reader.claims(slots).values.map(\.owner)
        let streams = owners.map { StreamID.mpin(MPinIdentityID($0), in: tenant) }
        let keys = try await context.personKeys.load(owners, ledger: tenant.uuid)
        let events = streams.isEmpty ? [:] : try await context.reader.streams(streams)
        var holders: [Holder] = []
        for stream in streams {
            let identity = try StateLoader.mpin(MPinIdentityID(stream.id), events[stream] ?? [], keys: keys)
            guard let registration = identity.state.registration, identity.state.end == nil,
                !identity.state.isErased
            else { continue }
            if let text = registration.userID.text, let own = try? MPinUserID(text), own.address != address {
                continue
            }
            var account: AuthoritySubject?
            if let link = identity.state.link {
                account = try access.subject(
                    try await StateLoader(reader: context.reader).employee(link.employee, in: tenant))
            }
            holders.append(Holder(identity: identity, account: account))
        }
        self.holders = holders
    }

    /// Decides about every identity, and returns the events with the streams that they change.
    ///
    /// - Throws: `authorization.not_permitted` if an identity belongs to an account about which the caller may not
    ///   decide.
    func decide(
        _ decision: AuthorityDecision
    ) throws(ServiceError) -> [(stream: StreamID, version: Int, event: MPinIdentityEvent)] {
        var decisions: [(stream: StreamID, version: Int, event: MPinIdentityEvent)] = []
        for holder in holders {
            let command = MPinIdentity.Command.revoke(
                MPinIdentity.Revoke(account: holder.account, isReclaim: true, decision: decision))
            let events = try MPinIdentity.decided(holder.identity.state, command)
            for event in events {
                decisions.append((.mpin(holder.identity.id, in: tenant), holder.identity.version, event))
            }
        }
        return decisions
    }

    /// Adds the decisions to an append, which fails if another identity took a slot of the address meanwhile.
    func record(_ decision: AuthorityDecision, in recorder: inout DecisionRecorder<DecisionResponse>) throws {
        for (stream, version, event) in try decide(decision) {
            try recorder.add(event.payload, to: stream, version: version, keys: [:])
        }
        guard let kind = slots.first?.kind else { return }
        let count = Int64(owners.count)
        recorder.statements.append(
            """
            SELECT tenure.require(count(*) = \(count) AND count(*) FILTER (WHERE owner = ANY (\(owners))) = \(count))
            FROM tenure.claim
            WHERE ledger_id = \(tenant.uuid) AND kind = \(kind) AND key = ANY (\(slots.map(\.digest)))
            """)
    }
}
