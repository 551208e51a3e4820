import Canonical
import FoundationEssentials
import Identity
import Keys

/// A code with which somebody founds one tenant on the hosted pages, while the rule is `code`.
///
/// The operator makes it for a name. Nothing is stored: the code proves the name and the expiry, and the tenant exists
/// once it was used. So it works once.
struct FoundingCode: Sendable, Redacted {
    private static let kind = "founding"
    private static let secondsLength = 8, codeLength = 32

    /// When the code expires, in seconds since 1970.
    private let expires: Int64
    private let code: [UInt8]

    /// Makes the code for a tenant's name.
    init(for tenant: TenantID, until end: Timestamp, ring: KeyRing) {
        expires = end.microseconds / 1_000_000
        code = ring.mailLinkCode(kind: Self.kind, recipient: tenant.uuid, expires: expires)
    }

    /// Parses a code as typed, ignoring white space; `nil` if it is malformed.
    init?(text: String) {
        guard text.utf8.count <= 128, let bytes = Base64URL.decode(text.filter { !$0.isWhitespace }),
            bytes.count == Self.secondsLength + Self.codeLength
        else { return nil }
        expires = bytes.prefix(Self.secondsLength).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        code = Array(bytes.dropFirst(Self.secondsLength))
    }

    /// The code as 54 characters of base64url.
    var text: String {
        let seconds = (0..<Self.secondsLength).map { UInt8(truncatingIfNeeded: expires >> (56 - 8 * $0)) }
        return Base64URL.encode(seconds + code)
    }

    /// Whether the code is for a tenant's name, and still in time.
    func permits(_ tenant: TenantID, at time: Timestamp, ring: KeyRing) -> Bool {
        let isRight = ring.isMailLinkCode(code, kind: Self.kind, recipient: tenant.uuid, expires: expires)
        return isRight && time.microseconds / 1_000_000 < expires
    }
}
