import Crypto

/// A complete record of credentials, `CredentialsSet` version 1, without the encrypted question texts.
///
/// ``bytes`` is the form that travels between client and service and that signatures and hash cover;
/// ``StoredCredentials`` is the form in the log.
public struct CredentialsRecord: Sendable, Hashable {
    /// All fields but the signatures.
    public let content: CredentialsContent
    /// By the record's own user key over ``CredentialsContent/signedMessage``.
    public let selfSignature: Signature
    /// By the employee's device key over the same bytes: always in blind mode, never needed in direct mode.
    public let deviceSignature: Signature?

    init(
        content: CredentialsContent, selfSignature: Signature, deviceSignature: Signature?
    ) throws(CredentialsError) {
        guard deviceSignature != nil || content.mode == .direct else { throw CredentialsError(.recordInvalid) }
        self.content = content
        self.selfSignature = selfSignature
        self.deviceSignature = deviceSignature
    }

    /// Reads the travelling form strictly; no signature is verified yet.
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

    /// The travelling form: content ‖ self-signature 64 ‖ presence byte ‖ device signature 64.
    public var bytes: [UInt8] { content.encoded() + signatureBytes }

    var signatureBytes: [UInt8] {
        var writer = ByteWriter()
        writer.raw(selfSignature.bytes)
        writer.optional(deviceSignature?.bytes)
        return writer.bytes
    }

    /// SHA-256 of `tenure/v1/record`, newline, ``bytes``: what the next record's `previous` holds. A client can compute
    /// it without the encrypted texts.
    public var hash: [UInt8] { Array(SHA256.hash(data: Tag.record + [0x0a] + bytes)) }

    /// Context and copies, for opening.
    public var sealed: SealedCredentials { content.sealed }
}
