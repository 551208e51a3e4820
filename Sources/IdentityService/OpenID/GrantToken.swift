import Canonical
import FoundationEssentials
import Keys

/// A token of a client's grant: ledger 16 ‖ grant 16 ‖ counter 8 ‖ code 32 bytes, unpadded base64url.
///
/// It is no JWT, so nothing that verifies access tokens takes it for one. Only the newest access token of a grant is
/// accepted.
struct GrantToken: Sendable, Equatable {
    /// What the token is for.
    enum Kind: String, Sendable {
        case access
        case refresh
    }

    private static let bodyByteCount = 40
    private static let codeByteCount = 32

    let kind: Kind
    let tenant: UUID
    let grant: UUID
    /// The number of refreshes when the token was issued.
    let counter: Int64

    init(_ kind: Kind, of row: GrantRow) {
        self.kind = kind
        tenant = row.tenant
        grant = row.id
        counter = row.counter
    }

    /// Parses a token; `nil` if the service did not issue it as one of this kind.
    init?(_ kind: Kind, _ text: String, _ ring: KeyRing) {
        guard text.utf8.count <= 128, let bytes = Base64URL.decode(text),
            bytes.count == Self.bodyByteCount + Self.codeByteCount,
            ring.isGrantTokenCode(
                Array(bytes[Self.bodyByteCount...]), kind: kind.rawValue, of: Array(bytes[..<Self.bodyByteCount])),
            let tenant = UUID(bytes: bytes[0..<16]), let grant = UUID(bytes: bytes[16..<32])
        else { return nil }
        self.kind = kind
        self.tenant = tenant
        self.grant = grant
        counter = Int64(bitPattern: bytes[32..<Self.bodyByteCount].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    /// The owner of an idempotency key that comes with a token of this grant.
    var scope: String { "grant/\(tenant.lowercased)/\(grant.lowercased)" }

    /// The token as clients get it.
    func text(_ ring: KeyRing) -> String {
        let number = (0..<8).map { UInt8(truncatingIfNeeded: counter >> (56 - 8 * $0)) }
        let body = tenant.bytes + grant.bytes + number
        return Base64URL.encode(body + ring.grantTokenCode(kind: kind.rawValue, body))
    }
}
