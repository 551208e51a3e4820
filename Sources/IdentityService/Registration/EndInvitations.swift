import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
package import TenureAPI

/// Ends open invitations whose issuer lost the role or the link, and deletes those that ended unused.
///
/// Nothing depends on it: a registration checks an invitation's end and the issuer's authority on the streams. An
/// invitation keeps its claim until it is used or deleted, so that the sweep finds it.
struct EndInvitations: Sendable {
    /// The number of invitations that one sweep looks at.
    static let limit: Int64 = 256
    /// The time for which an expired invitation is kept.
    static let grace: Duration = .seconds(86_400)
    let context: ServiceContext
    /// Finds candidates in all tenants: the application role sees only ledgers that it names.
    let readerPool: PostgresPool

    /// Sweeps invitations in the order of their ids, from `after` on.
    ///
    /// - Returns: The id to continue from in the next sweep; `nil` at the end.
    func run(at time: Timestamp, after: UUID?) async throws -> UUID? {
        let start = after ?? UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        let rows = try await readerPool.withConnection { connection in
            try await connection.query(
                """
                SELECT ledger_id, owner FROM tenure.claim
                WHERE kind = 'invitation' AND owner > \(start) ORDER BY owner LIMIT \(Self.limit)
                """)
        }
        var last: UUID?
        var forgotten: [PendingRekeying] = []
        for row in rows {
            let (ledger, id) = try row.decode(UUID.self, UUID.self)
            last = id
            let isOver = try await optimistic { try await end(InvitationID(id), in: TenantID(ledger), at: time) }
            if isOver { forgotten.append(try await forget(InvitationID(id), in: LedgerID(ledger))) }
        }
        // Once for each bucket. Whatever fails or is interrupted before is left to the sweeper of re-keyings.
        await RekeyBuckets(context: context).run(forgotten)
        return rows.count == Int(Self.limit) ? last : nil
    }

    /// Ends an invitation whose issuer lost the authority, and returns whether it has ended unused.
    private func end(_ id: InvitationID, in tenant: TenantID, at time: Timestamp) async throws -> Bool {
        let company = try await StateLoader(reader: context.reader).tenant(tenant)
        let invitation = try await context.invitation(id, in: company)
        guard let issue = invitation.state.issue else { return false }
        switch invitation.state.end {
        case .used: return false
        case .revoked: return true
        case nil: break
        }
        let stream = StreamID.invitation(id, in: tenant)
        let events = try Invitation.decided(invitation.state, .endWithIssuer(at: time))
        guard !events.isEmpty else { return issue.expiresAt.adding(Self.grace) <= time }
        var recorder = EventRecorder(context, at: time)
        recorder.expectations[.tenant(tenant)] = company.version
        if let issuer = invitation.issuer { recorder.expectations[issuer.stream] = issuer.version }
        try recorder.add(events, to: stream, version: invitation.version)
        try await recorder.append()
        return true
    }

    /// Deletes the key of an invitation that ended unused, together with its claim; the bucket must be re-keyed.
    ///
    /// The key encrypts the names of a person who may never have registered, and whom no erasure would find.
    private func forget(_ id: InvitationID, in ledger: LedgerID) async throws -> PendingRekeying {
        let pending = PendingRekeying(id, context.ring)
        let ledgers = [pending.claim.ledger, ledger]
        let statements: [SQL] = [
            PersonKeys.deletion(of: id.uuid, ledger: ledger.uuid),
            """
            DELETE FROM tenure.claim
            WHERE ledger_id = \(ledger.uuid) AND kind = 'invitation' AND owner = \(id.uuid)
            """, pending.insertion(context.ring),
        ]
        let opening = [Appender.lockingHeads(ledgers)]
        try await context.pool.withTransaction(in: ledgers, opening: opening) { connection, _ in
            _ = try await connection.pipeline(statements)
        }
        context.personKeys.forget(id.uuid, ledger: ledger.uuid)
        return pending
    }
}

/// Revokes an unused invitation. An admin signs, or an app vouches.
///
/// ``EndInvitations`` destroys its key and releases its claim afterwards.
package struct RevokeInvitation: CallerUseCase {
    package let id: String
    package let company: String
    /// The statement and an admin's signature over it, in the second call.
    package let signed: StatementSignature?
    /// The app or employee that decides.
    package let caller: Caller

    package init(id: String, company: String, signed: StatementSignature? = nil, caller: Caller) {
        self.id = id
        self.company = company
        self.signed = signed
        self.caller = caller
    }

    /// Revokes the invitation, or returns the statement to sign.
    package func run(_ run: UseCaseRun<DecisionResponse>) async throws -> DecisionResponse {
        let context = run.context
        // No invitation has a malformed id.
        guard let id = InvitationID(entered: id) else { throw ServiceError(.invitationInvalid) }
        return try await run.decide(by: caller, signed) {
            let access = try await context.access(company, caller, role: .administration)
            try access.require(.revokeInvitation, about: .newcomer)
            let invitation = try await context.invitation(id, in: access.tenant)
            guard let issue = invitation.state.issue else { throw ServiceError(.invitationInvalid) }
            return SignedDecision(
                access: access, decide: { try Invitation.decided(invitation.state, .revoke($0)) },
                statement: { $0.revocation(of: id, issue, reason: "revoked") },
                holding: { .done(nil, position: nil) },
                record: { recorder, events, _ in
                    try recorder.add(
                        events, to: .invitation(id, in: access.tenant.id), version: invitation.version)
                    return try await recorder.append(nil)
                })
        }
    }
}
