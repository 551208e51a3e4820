import Canonical

/// What an `Authorization` header holds.
enum PresentedCredentials: Sendable {
    /// There is no such header.
    case missing
    /// There is one, and it cannot be read; `bearer` tells which scheme it names.
    case garbled(bearer: Bool)
    /// An app's id and secret (RFC 7617).
    case basic(appId: String, secret: String)
    /// An access token (RFC 6750).
    case bearer(String)

    /// Reads the header.
    init(_ headers: RequestHeaders) {
        let values = headers.all("Authorization")
        guard let value = values.first else {
            self = .missing
            return
        }
        let parts = value.split(separator: " ", maxSplits: 1).map(String.init)
        let isBearer = parts.first?.lowercased() == "bearer"
        self = .garbled(bearer: isBearer)
        guard values.count == 1, parts.count == 2 else { return }
        if isBearer {
            if let token = Self.token(parts[1]) { self = .bearer(token) }
        } else if parts[0].lowercased() == "basic", let pair = Self.pair(parts[1]) {
            self = .basic(appId: pair.appId, secret: pair.secret)
        }
    }

    private static func token(_ text: String) -> String? {
        let allowed = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        return allowed && (1...512).contains(text.utf8.count) ? text : nil
    }

    /// The id ends at the first colon; the secret may hold more of them. Control characters are refused (RFC 7617 §2).
    private static func pair(_ text: String) -> (appId: String, secret: String)? {
        guard text.utf8.count <= 2048, let bytes = Base64.decode(text),
            let pair = String(validating: bytes, as: UTF8.self),
            pair.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }), let colon = pair.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let appId = String(pair[..<colon])
        let secret = String(pair[pair.utf8.index(after: colon)...])
        return appId.isEmpty || secret.isEmpty ? nil : (appId, secret)
    }
}
