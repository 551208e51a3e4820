/// A record as it stands in the log: with the question texts encrypted under the person's key.
///
/// After the person was erased the texts can no longer be decrypted, and every signature and hash still verifies.
public struct StoredCredentials: Sendable, Hashable {
    /// The record.
    public let record: CredentialsRecord
    /// The five encrypted texts in the record's order, 316 bytes each: nonce 12 ‖ cipher text 288 ‖ tag 16.
    public let encryptedTexts: [[UInt8]]

    /// Joins a record and its encrypted texts.
    ///
    /// - Throws: ``CredentialsError/Code/questionTextInvalid`` unless there are five of 316 bytes.
    public init(record: CredentialsRecord, encryptedTexts: [[UInt8]]) throws(CredentialsError) {
        guard encryptedTexts.count == 5,
            encryptedTexts.allSatisfy({ $0.count == QuestionText.encryptedByteCount })
        else { throw CredentialsError(.questionTextInvalid) }
        self.record = record
        self.encryptedTexts = encryptedTexts
    }

    /// Reads the stored form strictly; no signature is verified yet.
    ///
    /// - Throws: ``CredentialsError/Code/recordInvalid``.
    public init(bytes: [UInt8]) throws(CredentialsError) { try self.init(bytes, isKept: false) }

    /// Reads what was checked before it was appended to the log: that its keys are points is not looked at again, because
    /// that takes longer than everything else.
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
