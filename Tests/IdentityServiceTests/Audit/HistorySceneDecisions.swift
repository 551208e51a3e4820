import Canonical
import Crypto
import EventCoding
import Foundation
@testable import Identity
import Ledger
import Testing
@testable import Credentials
@testable import IdentityService

/// Decisions about an invitation, each with a right statement.
extension HistoryScene {
    /// How long an invitation may be used.
    static let invitationSeconds: Int64 = 86_400
    private static let subject = [UInt8](repeating: 4, count: 32)
    private var invitationStream: StreamID { .invitation(invitation, in: history.tenant) }

    /// The issue of an invitation.
    func issue(_ by: Authority) throws -> InvitationIssued {
        let subject = try #require(Bytes32(Self.subject))
        return InvitationIssued(
            invitationID: invitation, digest: subject, subject: subject,
            companyEmployeeID: Personal(owner: invitation.uuid, text: "8"),
            subjectSalt: Personal(owner: invitation.uuid, text: "salt"),
            expiresAt: history.time.adding(.seconds(Self.invitationSeconds)), by: by)
    }

    /// - Parameter id: Another id than that of the statement.
    mutating func invite(
        by decider: SignedHistory.Decider, under id: InvitationID? = nil,
        change: (inout InvitationStatement) -> Void = { _ in }
    ) throws {
        var statement = InvitationStatement(
            context: try history.context(decider), action: .issue, subject: Self.subject,
            seconds: Self.invitationSeconds, reason: "invited")
        change(&statement)
        // The id is the hash of the statement.
        let hash = try #require(UUID(bytes: Array(SHA256.hash(data: statement.bytes)).prefix(16)))
        invitation = id ?? InvitationID(hash)
        let unsigned = try issue(decider.unsigned)
        history.makeKey(of: invitation.uuid)
        try history.append(
            { by in
                var event = unsigned
                event.by = by
                return event
            }, by: decider, to: invitationStream, statement)
    }

    mutating func revokeInvitation(
        by decider: SignedHistory.Decider, change: (inout InvitationStatement) -> Void = { _ in }
    ) throws {
        var statement = InvitationStatement(
            context: try history.context(decider), action: .revoke, subject: Self.subject,
            invitation: invitation.uuid, reason: "revoked")
        change(&statement)
        let id = invitation
        try history.append(
            { InvitationRevoked(invitationID: id, reason: .revoked, by: $0) }, by: decider, to: invitationStream,
            statement)
    }

    /// Ends the invitation as the sweeper does.
    mutating func endInvitation() throws {
        try history.append(
            InvitationRevoked(invitationID: invitation, reason: .issuerEnded, by: .policy), to: invitationStream)
    }

    /// Registers somebody with an invitation.
    ///
    /// - Parameter id: Another invitation than the one that was issued.
    mutating func register(_ member: SignedHistory.Member, with id: InvitationID? = nil) throws {
        try history.register(member)
        let id = id ?? invitation
        try history.append(
            InvitationUsed(invitationID: id, employeeID: member.id), to: .invitation(id, in: history.tenant))
    }
}

/// Decisions about a recovery, each with a right statement.
extension HistoryScene {
    private static let hash = [UInt8](repeating: 7, count: 32)

    /// The opening of a recovery that waits as long as the policy says.
    ///
    /// - Parameter opener: The user behind whoever opens it.
    func opening(
        of member: SignedHistory.Member, for pair: SigningKeyPair, openedBy opener: UserID, _ by: Authority
    ) -> RecoveryOpened {
        let hours = history.state.tenant.recoveryDelayHours(at: history.time)
        let available = history.time.adding(.seconds(hours * 3_600))
        return RecoveryOpened(
            recoveryID: recovery, userID: member.user, tenant: history.tenant, employeeID: member.id,
            fingerprint: KeyFingerprint(of: pair.key), credentialID: CredentialID(UUID()),
            expiresAt: available.adding(User.recoveryLifetime), openerID: opener, availableAt: available, by: by)
    }

    mutating func openRecovery(
        of member: SignedHistory.Member, for pair: SigningKeyPair, by decider: SignedHistory.Decider
    ) throws {
        let statement = try recoveryStatement(.open, of: member, for: pair, by: decider)
        let unsigned = opening(of: member, for: pair, openedBy: decider.user, decider.unsigned)
        try history.append(
            { by in
                var event = unsigned
                event.by = by
                return event
            }, by: decider, to: .recovery(recovery, in: history.tenant), statement)
    }

    mutating func confirmRecovery(
        of member: SignedHistory.Member, for pair: SigningKeyPair, by decider: SignedHistory.Decider
    ) throws {
        let statement = try recoveryStatement(.confirm, of: member, for: pair, by: decider)
        let unsigned = RecoveryConfirmed(
            recoveryID: recovery, userID: member.user, tenant: history.tenant, employeeID: member.id,
            opened: try #require(Bytes32(Self.hash)), confirmerID: decider.user, by: decider.unsigned)
        try history.append(
            { by in
                var event = unsigned
                event.by = by
                return event
            }, by: decider, to: .recovery(recovery, in: history.tenant), statement)
    }

    /// The cancellation of a recovery.
    func cancellation(of member: SignedHistory.Member, _ by: Authority) throws -> RecoveryCancelled {
        RecoveryCancelled(
            recoveryID: recovery, userID: member.user, tenant: history.tenant, employeeID: member.id,
            reason: try #require(ReasonCode("mistake")), by: by)
    }

    mutating func cancelRecovery(
        of member: SignedHistory.Member, for pair: SigningKeyPair, by decider: SignedHistory.Decider
    ) throws {
        let statement = try recoveryStatement(.cancel, of: member, for: pair, by: decider)
        let unsigned = try cancellation(of: member, decider.unsigned)
        try history.append(
            { by in
                var event = unsigned
                event.by = by
                return event
            }, by: decider, to: .recovery(recovery, in: history.tenant), statement)
    }

    private func recoveryStatement(
        _ action: RecoveryStatement.Action, of member: SignedHistory.Member, for pair: SigningKeyPair,
        by decider: SignedHistory.Decider
    ) throws -> RecoveryStatement {
        RecoveryStatement(
            context: try history.context(decider, isOwn: action != .open && decider.isOwn(member)), action: action,
            user: member.user.uuid, employee: member.id.uuid, keyHash: KeyFingerprint(of: pair.key).bytes,
            followsHash: Self.hash, seconds: action == .open ? 96 * 3_600 : nil, reason: "decided")
    }
}

/// A key pair of whoever signs in a history: a device, an app or the operator.
struct SigningKeyPair: Sendable {
    private let secret = P256.Signing.PrivateKey()
    /// The public half.
    let key: PublicKeyBytes

    init() throws { key = try #require(PublicKeyBytes(Array(secret.publicKey.x963Representation))) }

    /// What the key signs.
    func sign(_ statement: [UInt8]) throws -> SignedStatement {
        let signature = try secret.signature(for: statement).rawRepresentation
        return SignedStatement(
            key: key, statement: statement, signature: try #require(SignatureBytes(Array(signature))))
    }
}
