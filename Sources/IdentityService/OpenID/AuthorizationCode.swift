import Canonical
import FoundationEssentials
import Identity
import Keys

/// An authorization code: tenant 16 ‖ code 16 ‖ secret 32 bytes, unpadded base64url.
struct AuthorizationCode: Sendable {
    /// The time for which a code may be redeemed.
    static let lifetime: Duration = .seconds(60)
    /// The time after its end for which a second use is noticed.
    static let memory: Duration = .seconds(600)

    let tenant: TenantID
    /// The id of the code and of the grant that it opens.
    let id: GrantID
    private let bytes: [UInt8]

    /// A new code.
    init(tenant: TenantID) {
        self.tenant = tenant
        id = GrantID(UUID.random())
        bytes = tenant.uuid.bytes + id.uuid.bytes + randomBytes(32)
    }

    /// Parses a code; `nil` for a text of another form.
    init?(_ text: String) {
        guard text.utf8.count <= 128, let bytes = Base64URL.decode(text), bytes.count == 64,
            let tenant = UUID(bytes: bytes[0..<16]), let id = UUID(bytes: bytes[16..<32])
        else { return nil }
        self.tenant = TenantID(tenant)
        self.id = GrantID(id)
        self.bytes = bytes
    }

    /// The code as clients get it.
    var text: String { Base64URL.encode(bytes) }

    /// The 32 bytes by which the row knows the code.
    func digest(_ ring: KeyRing) -> [UInt8] { ring.sessionTokenDigest(kind: "code", bytes) }
}
