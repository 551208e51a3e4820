import Canonical
import FoundationEssentials
import Identity
import Keys

/// A token of a client's grant: ledger 16 ‖ grant 16 ‖ counter 8 ‖ code 32 bytes, unpadded base64url. An access token
/// with fewer scopes than the grant has a byte with its scopes before the code.
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

    /// The scopes of an access token that has fewer than its grant; `nil` for those of the grant.
    var fewerScopes: Set<OpenIDScope>?

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
            (0...1).contains(bytes.count - Self.bodyByteCount - Self.codeByteCount),
            case let body = bytes.dropLast(Self.codeByteCount),
            ring.isGrantTokenCode(Array(bytes.suffix(Self.codeByteCount)), kind: kind.rawValue, of: Array(body)),
            let tenant = UUID(bytes: bytes[0..<16]), let grant = UUID(bytes: bytes[16..<32])
        else { return nil }
        self.kind = kind
        self.tenant = tenant
        self.grant = grant
        fewerScopes = body.dropFirst(Self.bodyByteCount).first.map(Self.scopes)
        counter = Int64(bitPattern: bytes[32..<Self.bodyByteCount].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    /// The owner of an idempotency key that comes with a token of this grant.
    var scope: String { "grant/\(tenant.lowercased)/\(grant.lowercased)" }

    /// The token as clients get it.
    func text(_ ring: KeyRing) -> String {
        let number = (0..<8).map { UInt8(truncatingIfNeeded: counter >> (56 - 8 * $0)) }
        let body = tenant.bytes + grant.bytes + number + (fewerScopes.map { [Self.byte($0)] } ?? [])
        return Base64URL.encode(body + ring.grantTokenCode(kind: kind.rawValue, body))
    }

    /// A bit for each scope, in the order of ``OpenIDScope``.
    private static func byte(_ scopes: Set<OpenIDScope>) -> UInt8 {
        var byte: UInt8 = 0
        for (place, scope) in OpenIDScope.allCases.enumerated() where scopes.contains(scope) { byte |= 1 << place }
        return byte
    }

    private static func scopes(_ byte: UInt8) -> Set<OpenIDScope> {
        Set(OpenIDScope.allCases.enumerated().filter { byte >> $0.offset & 1 == 1 }.map(\.element))
    }
}
