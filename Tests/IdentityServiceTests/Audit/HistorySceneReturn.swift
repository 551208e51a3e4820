import Canonical
import EventCoding
import Foundation
@testable import Identity
import Ledger
import Testing

@testable import Credentials
@testable import IdentityService

/// The return of the founder with the device key ``HistoryScene/waiting``.
extension HistoryScene {
    private var stream: StreamID { .employee(founder.id, in: history.tenant) }

    /// Dismisses the other admins, so that the founder is alone.
    mutating func leaveAlone() throws {
        for member in [admin, peer] { try dismiss(member, by: asFounder) }
    }

    /// A proof that is signed now.
    func returnProof(
        _ device: SigningKeyPair? = nil, user: SigningKeyPair? = nil, flow: FlowID? = nil, nonce: UInt8 = 1,
        change: (inout Challenge.Fields) -> Void = { _ in }
    ) throws -> ReturnProof {
        let device = device ?? waiting, user = user ?? userPair, credential = CredentialID(founder.id.uuid)
        var fields = Challenge.Fields(
            issuer: "id.example", purpose: .return, flow: (flow ?? returnFlow).uuid,
            nonce: [UInt8](repeating: nonce, count: 32), tenant: history.tenant.uuid,
            subject: try Commitment(bytes: [UInt8](repeating: 3, count: 32)), app: app.app.description,
            employeeKey: try EmployeePublicKey(bytes: device.key.bytes), credential: credential.uuid,
            expires: history.time.adding(.seconds(120)))
        change(&fields)
        let challenge = try Challenge(fields)
        return ReturnProof(
            userID: founder.user, credentialID: credential, userKey: user.key, key: device.key,
            challenge: challenge.bytes, deviceSignature: try device.sign(challenge.bytes).signature,
            userSignature: try user.sign(SignatureTag.validation.line + challenge.bytes).signature)
    }

    /// Asks for the return, with a pending key.
    mutating func requestReturn() throws {
        try history.present(waiting, of: founder)
        try history.append(
            ReturnRequested(
                returnID: comeback, employeeID: founder.id, key: waiting.key, flow: returnFlow,
                expiresAt: history.time.adding(Employee.returnRequestLifetime)), to: stream)
    }

    /// Opens the return; `change` may spoil it.
    mutating func openReturn(
        proof: ReturnProof? = nil, change: (inout ReturnOpened) -> Void = { _ in }
    ) throws {
        if history.state.employees[founder.id]?.returnRequest == nil { try requestReturn() }
        let available = history.time.adding(.seconds(48 * 3_600))
        var event = ReturnOpened(
            returnID: comeback, employeeID: founder.id, proof: try proof ?? returnProof(), availableAt: available,
            expiresAt: available.adding(.seconds(72 * 3_600)))
        change(&event)
        try history.append(event, to: stream)
    }

    /// Completes the return; `change` may spoil it.
    mutating func completeReturn(
        proof: ReturnProof? = nil, change: (inout ReturnCompleted) -> Void = { _ in }
    ) throws {
        let proof = try proof ?? returnProof(flow: FlowID(UUID()), nonce: 2)
        var event = ReturnCompleted(returnID: comeback, employeeID: founder.id, proof: proof)
        change(&event)
        try history.append(event, to: stream)
    }

    /// Lets time pass.
    mutating func wait(hours: Int) { history.time = history.time.adding(.seconds(hours * 3_600)) }

    /// Cancels or undoes the return.
    mutating func cancelReturn(
        by decider: SignedHistory.Decider, change: (inout ReturnStatement) -> Void = { _ in }
    ) throws {
        let state = history.state.employees[founder.id]
        let back = try #require(state?.openedReturn ?? state?.completedReturns.last)
        var statement = ReturnStatement(
            context: try history.context(decider, isOwn: true), user: founder.user.uuid, employee: founder.id.uuid,
            keyHash: back.fingerprint.bytes, followsHash: try #require(history.state.leaf(back.latest)),
            reason: "owner")
        change(&statement)
        let reason = try #require(ReasonCode("owner")), id = comeback, employee = founder.id
        var fingerprint: KeyFingerprint?
        if case .member(_, let pair) = decider { fingerprint = KeyFingerprint(of: pair.key) }
        try history.append(
            { ReturnCancelled(returnID: id, employeeID: employee, reason: reason, fingerprint: fingerprint, by: $0) },
            by: decider, to: stream, statement)
    }

    /// The operator names the founder with the waiting key, and puts it in force by the same statement.
    mutating func bringBack(by decider: SignedHistory.Decider, authorizes: Bool = true) throws {
        let fingerprints = Self.fingerprints([waiting]), id = founder.id
        let succeeded = try history.byOperator(on: .tenant(history.tenant)) {
            SecurityAdminSucceeded(employeeID: id, fingerprints: fingerprints, by: $0)
        }
        try history.append(succeeded, to: .tenant(history.tenant))
        guard authorizes else { return }
        try history.append(
            EmployeeKeyAuthorized(employeeID: id, key: waiting.key, by: succeeded.by), to: stream)
    }
}
