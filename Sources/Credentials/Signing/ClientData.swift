import Canonical

/// What a browser says of a ceremony (WebAuthn §5.8.1), as one strict JSON object whose exact bytes are kept.
///
/// Members may stand in any order and unknown ones are permitted, because browsers add some. No name may stand twice.
public struct ClientData: Sendable, Hashable {
    /// The greatest number of bytes.
    public static let maximumByteCount = 2_048

    /// The ceremony.
    public enum Ceremony: String, Sendable, Hashable, CaseIterable {
        /// A new credential.
        case create = "webauthn.create"
        /// An assertion.
        case get = "webauthn.get"
    }

    /// The exact bytes.
    public let bytes: [UInt8]
    /// The ceremony.
    public let ceremony: Ceremony
    /// The challenge, in unpadded base64url.
    public let challenge: String
    /// The origin of the page, such as `https://id.example.com`.
    public let origin: String

    /// Parses client data.
    ///
    /// - Throws: ``CredentialsError/Code/evidenceInvalid`` with the name of the member, if one is to blame.
    public init(bytes: [UInt8]) throws(CredentialsError) {
        let limits = StrictJSON.Limits(bytes: Self.maximumByteCount, depth: 16)
        guard let json = try? StrictJSON.parse(bytes, limits: limits), case .object(let members) = json else {
            throw CredentialsError(.evidenceInvalid, field: "clientData")
        }
        guard case .string(let type)? = members["type"], let ceremony = Ceremony(rawValue: type) else {
            throw CredentialsError(.evidenceInvalid, field: "type")
        }
        guard case .string(let challenge)? = members["challenge"] else {
            throw CredentialsError(.evidenceInvalid, field: "challenge")
        }
        guard case .string(let origin)? = members["origin"] else {
            throw CredentialsError(.evidenceInvalid, field: "origin")
        }
        guard members["crossOrigin"] == nil || members["crossOrigin"] == .bool(false) else {
            throw CredentialsError(.evidenceInvalid, field: "crossOrigin")
        }
        guard members["topOrigin"] == nil else { throw CredentialsError(.evidenceInvalid, field: "topOrigin") }
        self.bytes = bytes
        (self.ceremony, self.challenge, self.origin) = (ceremony, challenge, origin)
    }

    func require(_ ceremony: Ceremony, challenge: [UInt8]) throws(CredentialsError) {
        guard self.ceremony == ceremony else { throw CredentialsError(.evidenceInvalid, field: "type") }
        guard self.challenge.utf8.elementsEqual(Base64URL.encode(challenge).utf8) else {
            throw CredentialsError(.evidenceInvalid, field: "challenge")
        }
    }

    /// Compares the origin byte for byte, because Swift's `==` treats different Unicode forms as equal.
    func require(origins: [String]) throws(CredentialsError) {
        guard origins.contains(where: { $0.utf8.elementsEqual(origin.utf8) }) else {
            throw CredentialsError(.originUnknown)
        }
    }
}
