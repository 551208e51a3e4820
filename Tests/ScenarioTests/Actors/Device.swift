import Canonical
import Crypto
import Foundation
import Testing

/// A device with its own key pair.
struct Device: Sendable {
    /// The form in which a signature is handed in.
    enum Form: Sendable, CaseIterable {
        case der
        case raw
    }

    private let privateKey = P256.Signing.PrivateKey()

    /// The 65-byte X9.63 point.
    var point: [UInt8] { Array(privateKey.publicKey.x963Representation) }
    /// The point as it goes over the wire.
    var publicKey: String { Base64.encode(point) }
    /// Lower-case hex SHA-256 of the point.
    var fingerprint: String { Hex.encode(Array(SHA256.hash(data: point))) }

    /// A signature over bytes, in base64.
    func sign(_ bytes: [UInt8], _ form: Form = .der) throws -> String {
        let signature = try privateKey.signature(for: bytes)
        return Base64.encode(Array(form == .der ? signature.derRepresentation : signature.rawRepresentation))
    }

    /// A signature over the decoded bytes of a challenge or a statement.
    func sign(base64 text: String?, _ form: Form = .der) throws -> String {
        try sign(try bytes(base64: text), form)
    }
}
