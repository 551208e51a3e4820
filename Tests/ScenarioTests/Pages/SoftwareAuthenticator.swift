import Canonical
import Crypto
import CryptoExtras
import Foundation

/// A passkey in a test, with its authenticator and browser: it makes and signs what `passkey.js` sends.
struct SoftwareAuthenticator: Sendable {
    /// The flags of authenticator data.
    enum Flags {
        static let present: UInt8 = 0x01
        static let verified: UInt8 = 0x04
        static let backupEligible: UInt8 = 0x08
        static let credential: UInt8 = 0x40
    }

    let privateKey = P256.Signing.PrivateKey()
    /// The key of an authenticator that makes RS256 alone, as that of Windows does.
    var rsa: _RSA.Signing.PrivateKey?
    let id = (0..<16).map { _ in UInt8.random(in: 0...255) }
    let rpID: String
    let origin: String
    /// What the authenticator says of person and backup.
    var flags = Flags.present | Flags.verified
    /// The number of signatures that it counted, below 256.
    var counter: UInt8 = 0
    /// The handle of the account.
    var handle: [UInt8] = []

    init(rpID: String, origin: String) { (self.rpID, self.origin) = (rpID, origin) }

    /// The point of 65 bytes, or the modulus of 256.
    var publicKey: [UInt8] {
        rsa == nil ? Array(privateKey.publicKey.x963Representation) : Array(spki.suffix(261).prefix(256))
    }
    /// Lower-case hex SHA-256 of the key.
    var fingerprint: String { Hex.encode(Array(SHA256.hash(data: publicKey))) }
    /// What `getPublicKey()` of a browser answers.
    var spki: [UInt8] {
        Array(rsa.map(\.publicKey.derRepresentation) ?? privateKey.publicKey.derRepresentation)
    }
    /// The key as an authenticator writes it (RFC 9052 §7).
    var cose: [UInt8] {
        rsa == nil
            ? [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + publicKey[1..<33] + [0x22, 0x58, 0x20]
                + publicKey[33...]
            : [0xA4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20, 0x59, 0x01, 0x00] + publicKey
                + [0x21, 0x43, 0x01, 0x00, 0x01]
    }

    /// What the form of the account page sends of a creation.
    ///
    /// - Parameter challenge: What the creation is about; random bytes without it.
    func creation(_ challenge: [UInt8]? = nil) -> [String: String?] {
        let random = challenge ?? (0..<32).map { _ in UInt8.random(in: 0...255) }
        let credential = [UInt8](repeating: 0, count: 16) + [0, UInt8(id.count)] + id + cose
        return [
            "random": Base64URL.encode(random), "spki": Base64URL.encode(spki),
            "authenticator": Base64URL.encode(authenticatorData(flags | Flags.credential) + credential),
            "client": Base64URL.encode(clientData("webauthn.create", random)),
        ]
    }

    /// The evidence over the SHA-256 of bytes, in base64url.
    func evidence(over bytes: [UInt8], type: String = "webauthn.get") throws -> String {
        let authenticator = authenticatorData(flags), client = clientData(type, Array(SHA256.hash(data: bytes)))
        return Self.framed(
            authenticator, client, try signature(over: authenticator + Array(SHA256.hash(data: client))))
    }

    /// What the authenticator signs with.
    ///
    /// - Parameter other: Another key that signs.
    func signature(over bytes: [UInt8], by other: P256.Signing.PrivateKey? = nil) throws -> [UInt8] {
        guard let rsa, other == nil else {
            return Array(try (other ?? privateKey).signature(for: bytes).rawRepresentation)
        }
        return Array(try rsa.signature(for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5).rawRepresentation)
    }

    /// The stored form of an assertion, in base64url.
    static func framed(_ authenticator: [UInt8], _ client: [UInt8], _ signature: [UInt8]) -> String {
        func framed(_ part: [UInt8]) -> [UInt8] { [UInt8(part.count >> 8), UInt8(part.count & 255)] + part }
        let head: [UInt8] = [2, signature.count == 64 ? 1 : 2]
        return Base64URL.encode(head + framed(authenticator) + framed(client) + signature)
    }

    private func authenticatorData(_ flags: UInt8) -> [UInt8] {
        Array(SHA256.hash(data: Array(rpID.utf8))) + [flags, 0, 0, 0, counter]
    }

    private func clientData(_ type: String, _ challenge: [UInt8]) -> [UInt8] {
        Array(
            #"{"type":"\#(type)","challenge":"\#(Base64URL.encode(challenge))","origin":"\#(origin)","crossOrigin":false}"#
                .utf8)
    }
}
