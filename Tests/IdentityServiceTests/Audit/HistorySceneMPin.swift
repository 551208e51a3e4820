import Canonical
import EventCoding
import Foundation
@testable import Identity
import Ledger
import Testing

@testable import Credentials
@testable import IdentityService

/// Events of an M-Pin identity, decisions with a right statement.
extension HistoryScene {
    private static let mpinIDHash = [UInt8](repeating: 6, count: 32)
    /// The time in which a registration must go on.
    static let mpinWindow = Duration.seconds(3_600)

    /// The stream of the identity.
    var mpinStream: StreamID { .mpin(mpin, in: history.tenant) }

    /// Starts a registration that waits for verification.
    mutating func startMPin() throws {
        history.makeKey(of: mpin.uuid)
        try history.append(
            MPinRegistrationStarted(
                identityID: mpin, mpinIDHash: try #require(Bytes32(Self.mpinIDHash)),
                userID: Personal(owner: mpin.uuid, text: "7"), verification: .email,
                expiresAt: history.time.adding(Self.mpinWindow)), to: mpinStream)
    }

    mutating func verifyMPin(
        by decider: SignedHistory.Decider, change: (inout MPinStatement) -> Void = { _ in }
    ) throws {
        var statement = try mpinStatement(.verify, by: decider)
        change(&statement)
        let until = history.time.adding(Self.mpinWindow)
        try history.append(
            { MPinIdentityVerified(method: .application, issueUntil: until, by: $0) }, by: decider, to: mpinStream,
            statement)
    }

    /// Verifies without a decision, as a mail or a code does.
    mutating func verifyMPin(_ method: MPinVerificationMethod) throws {
        try history.append(
            MPinIdentityVerified(
                method: method, issueUntil: history.time.adding(Self.mpinWindow), by: .policy), to: mpinStream)
    }

    /// Appends a right proof, which lies in the flow of its pass.
    mutating func proveMPin() throws {
        try history.append(MPinAuthenticated(identityID: mpin), to: .flow(UUID(), in: history.tenant))
    }

    /// Appends an event of the identity.
    mutating func appendMPin(_ payload: any EventPayload) throws { try history.append(payload, to: mpinStream) }

    /// Appends that a client key was issued.
    mutating func issueMPin() throws { try appendMPin(MPinClientKeyIssued(suite: .bls12381AMCL3SHA256, epoch: 1)) }

    /// Registers the identity by mail, the first right proof included.
    mutating func registerMPin() throws {
        try startMPin()
        try verifyMPin(.email)
        try issueMPin()
        try appendMPin(MPinRegistered())
        try proveMPin()
    }

    /// Appends a wrong proof, one more each time.
    mutating func failMPin(_ count: Int, of limit: Int, lifetime: Int? = nil) throws {
        try appendMPin(MPinAuthenticationFailed(failures: count, limit: limit, lifetime: lifetime ?? count))
    }

    mutating func linkMPin(
        to member: SignedHistory.Member, by decider: SignedHistory.Decider,
        change: (inout MPinStatement) -> Void = { _ in }
    ) throws {
        var statement = try mpinStatement(.link, about: member, by: decider)
        statement.employee = member.id.uuid
        change(&statement)
        let fingerprint = KeyFingerprint(of: try PublicKeyBytes.of(statement.context.signer))
        try history.append(
            { MPinLinked(employeeID: member.id, fingerprint: fingerprint, by: $0) }, by: decider, to: mpinStream,
            statement)
    }

    /// Starts an identity and links it by the device of the staff.
    mutating func linkMPinOfStaff() throws {
        try startMPin()
        try linkMPin(to: staff, by: .member(staff, staff.device))
    }

    mutating func revokeMPin(
        of member: SignedHistory.Member? = nil, by decider: SignedHistory.Decider,
        change: (inout MPinStatement) -> Void = { _ in }
    ) throws {
        var statement = try mpinStatement(.revoke, about: member, by: decider)
        change(&statement)
        try history.append({ MPinRevoked(reason: .revoked, by: $0) }, by: decider, to: mpinStream, statement)
    }

    mutating func issueActivation(by decider: SignedHistory.Decider) throws {
        let subject = [UInt8](repeating: 5, count: 32), id = MPinActivationID(UUID())
        let statement = MPinStatement(
            context: try history.context(decider), action: .activate, subject: subject, reason: "activated")
        let hash = try #require(Bytes32(subject)), end = history.time.adding(MPinActivation.lifetime)
        history.makeKey(of: id.uuid)
        try history.append(
            {
                MPinActivationIssued(
                    activationID: id, digest: hash, subject: hash, userID: Personal(owner: id.uuid, text: "7"),
                    subjectSalt: Personal(owner: id.uuid, text: "salt"), expiresAt: end, by: $0)
            }, by: decider, to: .activation(id, in: history.tenant), statement)
    }

    mutating func changeMPin(_ policy: MPinPolicy, by decider: SignedHistory.Decider) throws {
        let statement = PolicyStatement(
            context: try history.context(decider), settings: policy.settings,
            policyHash: history.state.leaf(history.state.tenant.mpinPolicySince))
        try history.append(
            { MPinPolicyChanged(policy: policy, by: $0) }, by: decider, to: .tenant(history.tenant), statement)
    }

    private func mpinStatement(
        _ action: MPinStatement.Action, about member: SignedHistory.Member? = nil, by decider: SignedHistory.Decider
    ) throws -> MPinStatement {
        let isOwn = member.map(decider.isOwn) ?? false
        return MPinStatement(
            context: try history.context(decider, isOwn: isOwn), action: action, subject: Self.mpinIDHash,
            identity: mpin.uuid, reason: "decided")
    }
}

extension PublicKeyBytes {
    /// The key that signs a statement.
    fileprivate static func of(_ key: StatementKey) throws -> PublicKeyBytes { try #require(PublicKeyBytes(key.bytes)) }
}
