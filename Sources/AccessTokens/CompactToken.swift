import Canonical

/// A JWS in compact form (RFC 7515 §7.1), taken apart and not verified.
struct CompactToken {
    /// The greatest size of a token, in bytes.
    static let byteLimit = 4_096

    let header: [UInt8]
    let payload: [UInt8]
    let signature: [UInt8]
    /// The bytes that the signature covers: both encoded parts and the dot between them.
    let signed: [UInt8]

    /// Splits and decodes a token. Each part has exactly one accepted spelling.
    init(_ token: String) throws(AccessTokenError) {
        // The size is checked first, so that a long text costs nothing.
        guard token.utf8.count <= Self.byteLimit else { throw .tooLarge }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(String(parts[0])),
            let payload = Base64URL.decode(String(parts[1])), let signature = Base64URL.decode(String(parts[2]))
        else { throw .notCompact }
        self.header = header
        self.payload = payload
        self.signature = signature
        signed = Array(token.utf8.prefix(parts[0].utf8.count + 1 + parts[1].utf8.count))
    }

    /// Checks the header and returns its `kid`.
    ///
    /// Nothing in the header chooses an algorithm or names a key's place: `alg` and `typ` have one value each, and
    /// `jku`, `jwk`, `x5u`, `x5c`, `crit`, `b64` and every other member are refused (RFC 8725 §3.1, §3.10, §3.11).
    func keyID() throws(AccessTokenError) -> String {
        guard let json = try? StrictJSON.parse(header, limits: StrictJSON.Limits(bytes: 1_024, depth: 4)),
            case .object(let members) = json
        else { throw .header }
        guard json["alg"] == "ES256" else { throw .algorithm }
        guard case .string(let type) = json["typ"], Self.isAccessToken(type) else { throw .type }
        guard members.count == 3, case .string(let keyID) = json["kid"] else { throw .header }
        return keyID
    }

    /// The payload as JSON without duplicate members.
    func json() throws(AccessTokenError) -> JSONValue {
        do {
            return try StrictJSON.parse(payload, limits: StrictJSON.Limits(bytes: Self.byteLimit, depth: 8))
        } catch {
            throw .claims
        }
    }

    /// Whether `typ` is one of the two of RFC 9068 §4. Media types ignore the case of ASCII (RFC 7515 §4.1.9).
    private static func isAccessToken(_ type: String) -> Bool {
        let folded = type.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        return folded == Array("at+jwt".utf8) || folded == Array("application/at+jwt".utf8)
    }
}
