import Canonical
import Crypto

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The secret from which everything about unknown employees follows; made once and never rotated.
///
/// Rotating it would change the questions of every unknown employee at once and so tell them from the known ones.
public struct DecoyKey: Sendable, Redacted {
    private let secret: SecretBytes

    /// Takes the stored key.
    ///
    /// - Throws: ``CredentialsError/Code/secretInvalid`` unless there are 32 bytes.
    public init(bytes: [UInt8]) throws(CredentialsError) {
        guard bytes.count == 32 else { throw CredentialsError(.secretInvalid) }
        secret = SecretBytes(bytes)
    }

    /// The id by which an unknown company goes: the same for all its unknown employees, of UUID version 4 to the eye.
    ///
    /// - Parameter company: The canonical name in UTF-8.
    public func tenantId(company: [UInt8]) -> UUID {
        var message = ByteWriter()
        message.raw(Tag.decoyTenant)
        message.framed(company)
        return UUID(randomBytes: Array(mac(message.bytes).prefix(16)))
    }

    /// What an unknown employee's credential looks like; the same every time, and of the same shape as a real one.
    ///
    /// - Parameters:
    ///   - company: The canonical company name in UTF-8.
    ///   - employee: The canonical employee id in UTF-8.
    ///   - app: The app that the company is hidden from; to each such app everybody there is another decoy. So two apps
    ///     cannot find out together, by comparing, whom only one of them is shown.
    ///   - kdf: The cost that real credentials have.
    ///   - blindOnlyShare: How many of 256 decoys insist on the blind mode.
    ///   - keys: The public keys of this very decoy, when they are known from before.
    ///   - parts: What is needed of it.
    ///   - generator: What makes its VOPRF public keys; whichever it is, the decoy is the same.
    public func decoy(
        company: [UInt8], employee: [UInt8], hiddenFrom app: UUID? = nil, kdf: ScryptParameters = .standard,
        blindOnlyShare: Int = Decoy.blindOnlyShare, keys: DecoyPublicKeys? = nil,
        parts: Decoy.Parts = .all, generator: any GeneratorMultiplication = CryptoMultiplication()
    ) throws(CredentialsError) -> Decoy {
        var message = ByteWriter()
        message.raw(Tag.decoy)
        message.framed(company)
        message.framed(employee)
        if let app { message.framed(app.bytes) }
        return try Decoy(
            root: SecretBytes(mac(message.bytes)), kdf: kdf, blindOnlyShare: blindOnlyShare, keys: keys, parts,
            generator: generator)
    }

    private func mac(_ message: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: message, using: secret.key))
    }
}
