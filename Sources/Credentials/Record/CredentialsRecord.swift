import Crypto

/// A complete record of credentials, `CredentialsSet` version 1, without the encrypted question texts.
///
/// Client and service exchange ``bytes``, which signatures and hash cover. ``StoredCredentials`` is the form in the
/// log.
public struct CredentialsRecord: Sendable, Hashable {
    /// All fields except the signatures.
    public let content: CredentialsContent
    /// The signature of the record's own user key over ``CredentialsContent/signedMessage``.
    public let selfSignature: Signature
    /// The signature of the employee's device key over the same bytes. Blind mode always has it; direct mode does not
    /// need it.
    public let deviceSignature: Signature?

    init(
        content: CredentialsContent, selfSignature: Signature, deviceSignature: Signature?
    ) throws(CredentialsError) {
        guard deviceSignature != nil || content.mode == .direct else { throw CredentialsError(.recordInvalid) }
        self.content = content
        self.selfSignature = selfSignature
        self.deviceSignature = deviceSignature
    }

    /// Parses ``bytes`` strictly. Signatures are not verified.
    ///
    /// - Throws: ``CredentialsError/Code/recordInvalid`` for anything but the exact form with accepted values.
    public init(bytes: [UInt8]) throws(CredentialsError) {
        var reader = ByteReader(bytes, refusal: .recordInvalid)
        let content = try CredentialsContent.read(&reader, stored: false).content
        try self.init(content: content, signatures: &reader)
    }

    init(content: CredentialsContent, signatures reader: inout ByteReader) throws(CredentialsError) {
        let own = try Signature(raw: try reader.take(64))
        let device = try reader.optional(64)
        try reader.finish()
        try self.init(
            content: content, selfSignature: own,
            deviceSignature: try device.map { (raw) throws(CredentialsError) in try Signature(raw: raw) })
    }

    /// The exchanged form: content ‖ self-signature 64 ‖ presence byte ‖ device signature 64.
    public var bytes: [UInt8] { content.encoded() + signatureBytes }

    var signatureBytes: [UInt8] {
        var writer = ByteWriter()
        writer.raw(selfSignature.bytes)
        writer.optional(deviceSignature?.bytes)
        return writer.bytes
    }

    /// SHA-256 of `tenure/v1/record`, newline, ``bytes``, which the next record names as `previous`. A client can
    /// compute it without the encrypted texts.
    public var hash: [UInt8] { Array(SHA256.hash(data: Tag.record + [0x0a] + bytes)) }

    /// Context and copies, for opening.
    public var sealed: SealedCredentials { content.sealed }
}

extension CredentialsRecord {
    /// Verifies every signature and link of the record.
    ///
    /// - Parameters:
    ///   - employeeKey: The device key of the flow that made the record.
    ///   - previous: The record before this one, or `nil` for a user's first. It must be exactly the one that is named.
    /// - Throws: ``CredentialsError/Code/recordInvalid`` for every failure.
    public func verify(
        employeeKey: EmployeePublicKey, previous: PreviousCredentials? = nil
    ) throws(CredentialsError) {
        let message = content.signedMessage
        guard content.sealed.context.userPublicKey.isValid(selfSignature, over: message),
            deviceSignature.map({ employeeKey.isValid($0, over: message) }) ?? (content.mode == .direct),
            follows(previous)
        else { throw CredentialsError(.recordInvalid) }
    }

    /// Compares the record with the plan of the flow that made it: ids, keys, cost, mode and predecessor.
    ///
    /// - Throws: ``CredentialsError/Code/recordInvalid``.
    public func require(_ plan: SetUpPlan) throws(CredentialsError) {
        let context = content.sealed.context
        guard context.credentialId == plan.credentialId, context.userId == plan.userId,
            context.oprfAnswers == plan.oprfAnswers,
            context.oprfPassphrase == nil || context.oprfPassphrase == plan.oprfPassphrase, context.kdf == plan.kdf,
            context.flags.contains(.blindOnly) == plan.blindOnly, content.mode == plan.mode, follows(plan.previous)
        else { throw CredentialsError(.recordInvalid) }
    }

    /// Compares the five question plaintexts with the commitments, in the record's order.
    ///
    /// - Throws: ``CredentialsError/Code/questionTextInvalid``.
    public func require(questions: [QuestionText]) throws(CredentialsError) {
        guard questions.map(\.commitment) == content.commitments else {
            throw CredentialsError(.questionTextInvalid)
        }
    }

    private func follows(_ previous: PreviousCredentials?) -> Bool {
        guard let previous else { return content.authority == .initial }
        guard content.previousHash == previous.hash, content.generation == previous.generation &+ 1 else {
            return false
        }
        switch content.authority {
        case .initial: return false
        case .changed(let signature):
            return previous.userPublicKey?.isValid(signature, over: content.changeMessage) ?? false
        case .recovered, .passkey: return true
        }
    }
}

/// A record as stored in the log, with the question texts encrypted under the user's person key.
///
/// After an erasure the texts can no longer be decrypted, but every signature and hash still verifies.
public struct StoredCredentials: Sendable, Hashable {
    /// The record.
    public let record: CredentialsRecord
    /// The five encrypted texts in the record's order, 316 bytes each: nonce 12 ‖ ciphertext 288 ‖ tag 16.
    public let encryptedTexts: [[UInt8]]

    /// A record with its encrypted texts.
    ///
    /// - Throws: ``CredentialsError/Code/questionTextInvalid`` unless there are five of 316 bytes.
    public init(record: CredentialsRecord, encryptedTexts: [[UInt8]]) throws(CredentialsError) {
        guard encryptedTexts.count == 5,
            encryptedTexts.allSatisfy({ $0.count == QuestionText.encryptedByteCount })
        else { throw CredentialsError(.questionTextInvalid) }
        self.record = record
        self.encryptedTexts = encryptedTexts
    }

    /// Parses the stored form strictly. Signatures are not verified.
    ///
    /// - Throws: ``CredentialsError/Code/recordInvalid``.
    public init(bytes: [UInt8]) throws(CredentialsError) { try self.init(bytes, isKept: false) }

    /// Parses a record that was validated before it was appended to the log. It does not check again that its keys are
    /// points, which would take longer than everything else.
    ///
    /// - Throws: ``CredentialsError/Code/recordInvalid``.
    public init(kept bytes: [UInt8]) throws(CredentialsError) { try self.init(bytes, isKept: true) }

    private init(_ bytes: [UInt8], isKept: Bool) throws(CredentialsError) {
        var reader = ByteReader(bytes, refusal: .recordInvalid, isKept: isKept)
        let parts = try CredentialsContent.read(&reader, stored: true)
        try self.init(
            record: try CredentialsRecord(content: parts.content, signatures: &reader),
            encryptedTexts: parts.encryptedTexts)
    }

    /// The stored form; see `docs/credentials.md` for every byte.
    public var bytes: [UInt8] {
        record.content.encoded(encryptedTexts: encryptedTexts) + record.signatureBytes
    }
}
