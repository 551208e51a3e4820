import Canonical
import Crypto
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

    var point: [UInt8] { Array(privateKey.publicKey.x963Representation) }
    /// Lower-case hex SHA-256 of the point.
    var fingerprint: String { Hex.encode(Array(SHA256.hash(data: point))) }

    /// What the form of the account page sends of a creation.
    ///
    /// - Parameter challenge: What the creation is about; random bytes without it.
    func creation(_ challenge: [UInt8]? = nil) -> [String: String?] {
        let random = challenge ?? (0..<32).map { _ in UInt8.random(in: 0...255) }
        let cose: [UInt8] =
            [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + point[1..<33] + [0x22, 0x58, 0x20]
            + point[33...]
        let credential = [UInt8](repeating: 0, count: 16) + [0, UInt8(id.count)] + id + cose
        return [
            "random": Base64URL.encode(random), "spki": Base64URL.encode(Array(privateKey.publicKey.derRepresentation)),
            "authenticator": Base64URL.encode(authenticatorData(flags | Flags.credential) + credential),
            "client": Base64URL.encode(clientData("webauthn.create", random)),
        ]
    }

    /// The evidence over the SHA-256 of bytes, in base64url.
    func evidence(over bytes: [UInt8], type: String = "webauthn.get") throws -> String {
        let authenticator = authenticatorData(flags), client = clientData(type, Array(SHA256.hash(data: bytes)))
        let signature = try privateKey.signature(for: authenticator + Array(SHA256.hash(data: client)))
        func framed(_ part: [UInt8]) -> [UInt8] { [UInt8(part.count >> 8), UInt8(part.count & 255)] + part }
        return Base64URL.encode(
            [2, 1] + framed(authenticator) + framed(client) + Array(signature.rawRepresentation))
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
