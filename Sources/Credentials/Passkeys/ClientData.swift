import Canonical

/// What a browser says about a ceremony (Web Authentication, "client data"): one strict JSON object.
///
/// Members may stand in any order, and unknown ones are allowed. A name that stands twice is refused.
public struct ClientData: Sendable, Hashable {
    /// The ceremony.
    public enum Ceremony: String, Sendable, Hashable {
        /// A key was made.
        case create = "webauthn.create"
        /// A key signed.
        case get = "webauthn.get"
    }

    /// The greatest size in bytes.
    public static let maximumByteCount = 2_048

    /// The exact bytes.
    public let bytes: [UInt8]
    /// The ceremony.
    public let type: Ceremony
    /// The decoded challenge.
    public let challenge: [UInt8]
    /// The origin of the page, as the browser spells it.
    public let origin: String

    /// Reads client data.
    ///
    /// - Throws: ``CredentialsError/Code/evidenceInvalid`` with the name of the member that is refused. A page inside a
    ///   page of another origin is refused too.
    public init(bytes: [UInt8]) throws(CredentialsError) {
        guard let json = try? StrictJSON.parse(bytes, limits: .init(bytes: Self.maximumByteCount, depth: 8)),
            case .object = json
        else { throw CredentialsError(.evidenceInvalid, field: "clientDataJSON") }
        guard case .string(let name)? = json["type"], let type = Ceremony(exactly: name) else {
            throw CredentialsError(.evidenceInvalid, field: "type")
        }
        guard case .string(let text)? = json["challenge"], let challenge = Base64URL.decode(text) else {
            throw CredentialsError(.evidenceInvalid, field: "challenge")
        }
        guard case .string(let origin)? = json["origin"] else {
            throw CredentialsError(.evidenceInvalid, field: "origin")
        }
        switch json["crossOrigin"] {
        case nil, .bool(false): break
        default: throw CredentialsError(.evidenceInvalid, field: "crossOrigin")
        }
        guard json["topOrigin"] == nil else { throw CredentialsError(.evidenceInvalid, field: "topOrigin") }
        (self.bytes, self.type, self.challenge, self.origin) = (bytes, type, challenge, origin)
    }

    /// Refuses another ceremony.
    func require(_ ceremony: Ceremony) throws(CredentialsError) {
        guard type == ceremony else { throw CredentialsError(.evidenceInvalid, field: "type") }
    }

    /// Refuses a page of another origin. Spellings are compared byte by byte.
    func require(oneOf origins: [String]) throws(CredentialsError) {
        guard origins.contains(where: { $0.utf8.elementsEqual(origin.utf8) }) else {
            throw CredentialsError(.originUnknown, field: "origin")
        }
    }
}

extension ClientData.Ceremony {
    /// The ceremony with exactly these bytes as its name.
    fileprivate init?(exactly name: String) {
        guard let ceremony = Self(rawValue: name), ceremony.rawValue.utf8.elementsEqual(name.utf8) else { return nil }
        self = ceremony
    }
}
