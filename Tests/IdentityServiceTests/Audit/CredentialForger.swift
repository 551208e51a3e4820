import Canonical
import EventCoding
import Foundation
@testable import Identity
import Keys
import Ledger

@testable import Credentials
@testable import IdentityService

/// A user with a device, and the events of their credentials, each signed as it should be or as a forger would.
struct CredentialForger {
    static let tenant = TenantID(SealedLog.ledger.uuid)

    /// Credentials that were made, and the user key that opens with them.
    struct Made {
        let id: UUID
        let record: CredentialsRecord
        let userKey: UserKey

        var previous: PreviousCredentials { PreviousCredentials(record) }
    }

    let user = UserID(UUID())
    let device: EmployeeKey
    private let personKey: PersonKey

    init() throws {
        device = try EmployeeKey.generate()
        personKey = PersonKey(id: user.uuid, key: SecretKey())
    }

    /// Makes credentials with a passphrase: one copy, at the cheapest cost.
    ///
    /// - Parameters:
    ///   - previous: What the record says it follows.
    ///   - signer: The key that signs the change.
    func make(
        id: UUID = UUID(), user: UserID? = nil, following previous: PreviousCredentials? = nil,
        by signer: UserKey? = nil, authority: SetUpAuthority? = nil
    ) throws -> Made {
        let seed = try OPRFSeed.generate()
        let plan = try SetUpPlan(
            credentialId: id, userId: (user ?? self.user).uuid, mode: .direct, seed: seed, previous: previous,
            kdf: ScryptParameters(log2N: 14))
        let made = try CredentialSetUp(
            plan: plan, questions: (1...5).map { QuestionAndAnswer(question: "Q\($0)?", answer: "answer \($0)") },
            passphrase: "a passphrase"
        ).complete(seed: seed, authority: authority ?? signer.map { .changed(oldKey: $0) } ?? .initial)
        return Made(
            id: id, record: try made.record(deviceSignature: nil, employeeKey: device.publicKey),
            userKey: made.userKey)
    }

    /// Credentials that follow others as they should.
    func change(_ before: Made) throws -> Made { try make(following: before.previous, by: before.userKey) }

    func set(_ made: Made) throws -> NewEvent {
        let signed = try challenge(.registration, made.id, by: made.userKey)
        return try event(
            CredentialsSet(
                userID: user, credentialID: CredentialID(made.id), record: try Self.stored(made.record),
                email: Personal(owner: user.uuid, text: "a@b.example"), challenge: signed.challenge,
                deviceSignature: signed.device, userSignature: signed.user))
    }

    /// The event that replaces `before`.
    ///
    /// - Parameters:
    ///   - user: Whose it says it is.
    ///   - stream: In whose stream it is.
    ///   - named: The credential that the challenge names.
    func changed(
        _ made: Made, from before: Made, user: UserID? = nil, in stream: UserID? = nil, naming named: UUID? = nil
    ) throws -> NewEvent {
        let signed = try challenge(.change, named ?? before.id, by: made.userKey)
        return try event(
            CredentialsChanged(
                userID: user ?? self.user, credentialID: CredentialID(made.id),
                previousCredentialID: CredentialID(before.id), record: try Self.stored(made.record),
                challenge: signed.challenge, deviceSignature: signed.device, userSignature: signed.user),
            in: stream)
    }

    func erased() throws -> NewEvent { try event(UserErased(userID: user, by: .operator(nil))) }

    /// A right passphrase at a log-in to the company, in the company's ledger.
    func validated(_ made: Made) throws -> NewEvent {
        let flow = UUID(), signed = try challenge(.login, made.id, by: made.userKey, flow: flow)
        guard let userKey = PublicKeyBytes(made.userKey.publicKey.bytes),
            let deviceKey = PublicKeyBytes(device.publicKey.bytes)
        else { throw CredentialsError(.secretInvalid) }
        let payload = PassphraseValidated(
            validation: CredentialValidation(
                employeeID: EmployeeID(UUID()), userID: user, credentialID: CredentialID(made.id), userKey: userKey,
                employeeKey: deviceKey, purpose: .login, mode: .direct, challenge: signed.challenge,
                deviceSignature: signed.device, userSignature: signed.user,
                subjectSalt: Personal(owner: user.uuid, text: "salt")))
        return try event(payload, stream: .flow(flow, in: Self.tenant))
    }

    private func event(_ payload: any EventPayload, in user: UserID? = nil, stream: StreamID? = nil) throws -> NewEvent
    {
        try EventCodec.encode(
            payload, id: UUID(), stream: stream ?? .user(user ?? self.user), keys: [personKey.id: personKey],
            metadata: EventMetadata())
    }

    static func stored(_ record: CredentialsRecord) throws -> [UInt8] {
        let texts = [[UInt8]](repeating: Array(repeating: 1, count: QuestionText.encryptedByteCount), count: 5)
        return try StoredCredentials(record: record, encryptedTexts: texts).bytes
    }

    private func challenge(
        _ purpose: Challenge.Purpose, _ credential: UUID, by key: UserKey, flow: UUID = UUID()
    ) throws -> (challenge: [UInt8], device: SignatureBytes, user: SignatureBytes) {
        let challenge = try Challenge(
            .init(
                issuer: "tenure", purpose: purpose, flow: flow, nonce: Array(repeating: 7, count: 32),
                tenant: Self.tenant.uuid,
                subject: try Commitment.subject(
                    salt: Array(repeating: 5, count: 32), companyName: "acme.example", companyEmployeeId: "7"),
                app: "app", employeeKey: device.publicKey, credential: credential,
                expires: Timestamp.now().adding(.seconds(60))))
        guard let own = SignatureBytes(try device.sign(challenge).bytes),
            let users = SignatureBytes(try key.sign(validationOf: challenge).bytes)
        else { throw CredentialsError(.signatureInvalid) }
        return (challenge.bytes, own, users)
    }
}
