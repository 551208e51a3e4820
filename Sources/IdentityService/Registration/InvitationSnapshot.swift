import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
package import TenureAPI

/// An invitation at one version of its stream, with its texts decrypted.
struct InvitationSnapshot: Sendable {
    var id: InvitationID
    var state: Invitation.State
    var version: Int
    var issuedAt: Timestamp?
    /// The stream of the issuer's account, guarded when the invitation is used; `nil` for an app.
    var issuer: (stream: StreamID, version: Int)?
}

extension ServiceContext {
    /// Reads an invitation, and whether its issuer still has the authority to issue it.
    func invitation(_ id: InvitationID, in tenant: TenantSnapshot) async throws -> InvitationSnapshot {
        let stream = StreamID.invitation(id, in: tenant.id)
        let events = try await reader.streams([stream])[stream] ?? []
        let keys = try await personKeys.load([id.uuid], ledger: tenant.id.uuid)
        let state = Invitation.fold(try events.map { try EventCodec.decode($0, keys: keys) })
        var snapshot = InvitationSnapshot(
            id: id, state: state, version: events.version, issuedAt: events.first?.time)
        var issuer: EmployeeSnapshot?
        if case .employee(let employee, _)? = state.issue?.by {
            let found = try await StateLoader(reader: reader).employee(employee, in: tenant.id)
            snapshot.issuer = (.employee(employee, in: tenant.id), found.version)
            issuer = found
        }
        snapshot.state = state.backed(in: tenant.state, issuer: issuer?.state)
        return snapshot
    }

    /// The ids of a tenant's invitations that were not used or revoked, oldest claim first.
    func openInvitations(in tenant: TenantID, after: InvitationID?, limit: Int) async throws -> [InvitationID] {
        let ledger = LedgerID(tenant.uuid)
        let start = after?.uuid ?? UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        let rows = try await pool.query(
            """
            SELECT owner FROM tenure.claim
            WHERE ledger_id = \(ledger.uuid) AND kind = 'invitation' AND owner > \(start)
            ORDER BY owner LIMIT \(Int64(limit))
            """, in: [ledger])
        return try rows.map { InvitationID(try $0.decode(UUID.self)) }
    }
}

/// Lists a tenant's open invitations, which may still be used.
///
/// Claims only say what to look up; the state of each invitation comes from the log.
package struct ListInvitations: UseCase {
    /// The largest number of invitations in one reply.
    static let limit = 200
    package let company: String
    /// The app or employee that asks.
    package let caller: Caller

    package init(company: String, caller: Caller) {
        self.company = company
        self.caller = caller
    }

    /// Lists the invitations, oldest first.
    package func run(_ run: UseCaseRun<[InvitationResponse]>) async throws -> [InvitationResponse] {
        let context = run.context
        let access = try await context.access(company, caller, role: .administration)
        try access.require(.issueInvitation, about: .newcomer)
        var views: [InvitationResponse] = []
        var after: InvitationID?
        while views.count < Self.limit {
            let ids = try await context.openInvitations(in: access.tenant.id, after: after, limit: Self.limit)
            for id in ids where views.count < Self.limit {
                let invitation = try await context.invitation(id, in: access.tenant)
                guard let issue = invitation.state.issue, let issuedAt = invitation.issuedAt,
                    invitation.state.isOpen(at: run.call.time), invitation.state.isBacked
                else { continue }
                views.append(
                    InvitationResponse(
                        invitationId: id.uuid, companyEmployeeId: issue.companyEmployeeID.text,
                        email: issue.email?.text,
                        issuedAt: issuedAt, expiresAt: issue.expiresAt))
            }
            guard ids.count == Self.limit, let last = ids.last else { break }
            after = last
        }
        return views.sorted { $0.issuedAt < $1.issuedAt }
    }
}
