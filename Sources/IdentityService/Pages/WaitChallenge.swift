import Canonical
import Credentials
import ErrorCodes
import Identity
import Keys
import TenureAPI

/// The challenge of purpose `wait`, with which a device opens the session that it waited for.
///
/// Nothing is stored for it. Its nonce is a code over the flow, the account's commitment and the expiry, so the service
/// knows its own.
struct WaitChallenge: Sendable {
    /// The device's signature as it is recorded, and the last moment for it.
    struct Proof: Sendable {
        let signature: SignatureBytes
        let expires: Timestamp
    }

    let scene: WaitScene
    let context: ServiceContext

    /// A fresh challenge.
    ///
    /// - Throws: `flow.expired` if the account was erased.
    func bytes(at time: Timestamp) async throws -> [UInt8] {
        let summary = try await context.summary(of: scene.employee, in: scene.tenant)
        guard let name = summary.companyEmployeeId else { throw ServiceError(.flowExpired) }
        let subject = Commitment.subject(
            salt: randomBytes(Commitment.saltByteCount),
            company: try CompanyName(recorded: summary.companyName).canonical,
            employee: try CompanyEmployeeID(recorded: name).canonical)
        let expires = min(time.adding(FlowState.challengeLifetime), scene.row.expiresAt)
        return try Challenge(fields(subject, expires)).bytes
    }

    private func fields(_ subject: Commitment, _ expires: Timestamp) throws -> Challenge.Fields {
        Challenge.Fields(
            issuer: context.settings.issuer, purpose: .wait, flow: scene.row.flow, nonce: nonce(subject, expires),
            tenant: scene.row.tenant, subject: subject, app: scene.row.app.lowercased,
            employeeKey: try EmployeePublicKey(kept: scene.key.key.bytes), credential: nil, expires: expires)
    }

    private func nonce(_ subject: Commitment, _ expires: Timestamp) -> [UInt8] {
        context.ring.sessionTokenDigest(
            kind: "wait-challenge",
            scene.row.tenant.bytes + scene.row.flow.bytes + subject.bytes + Array(expires.description.utf8))
    }

    /// Checks a challenge that a browser sends back, and the device's signature over it.
    ///
    /// - Throws: `flow.expired` for a challenge that is too old, or another one than this service made for the wait;
    ///   `employee.key_invalid` for a wrong signature.
    func verified(_ bytes: [UInt8], _ proof: [UInt8], at time: Timestamp) async throws -> Proof {
        guard let challenge = try? Challenge(parsing: bytes), (try? challenge.checkExpiry(at: time)) != nil,
            challenge.fields == (try fields(challenge.fields.subject, challenge.fields.expires))
        else { throw ServiceError(.flowExpired) }
        let passkey = scene.key.passkey?.facts.identity
        let rules = passkey == nil ? nil : try await context.passkeyRules()
        guard let signature = try? challenge.verifyKeyProof(proof),
            (try? signature.check(passkey, origins: rules?.origins.map(\.text) ?? [])) != nil,
            let recorded = SignatureBytes(signature.bytes)
        else {
            throw ServiceError(.employeeKeyInvalid, members: [KeyFault.signatureInvalid.member])
        }
        return Proof(signature: recorded, expires: challenge.fields.expires)
    }
}
