import Canonical
import FoundationEssentials
import Identity
import Keys

/// The value of a browser's cookie: tenant 16 ‖ browser session 16 ‖ secret 32 bytes, unpadded base64url.
struct BrowserCookie: Sendable {
    let tenant: TenantID
    let id: BrowserSessionID
    private let bytes: [UInt8]

    /// The cookie of a log-in that ends with a form, see ``LogInBrowser``. Only the service can derive it.
    init(tenant: TenantID, ofForm key: String, _ ring: KeyRing) {
        let origin = tenant.uuid.bytes + Array(key.utf8)
        let id = Array(ring.sessionTokenDigest(kind: "browser-id", origin).prefix(16))
        self.tenant = tenant
        self.id = BrowserSessionID(UUID(bytes: id) ?? tenant.uuid)
        bytes = tenant.uuid.bytes + id + ring.sessionTokenDigest(kind: "browser-secret", origin)
    }

    /// Parses a cookie; `nil` for a text of another form.
    init?(_ text: String) {
        guard text.utf8.count <= 128, let bytes = Base64URL.decode(text), bytes.count == 64,
            let tenant = UUID(bytes: bytes[0..<16]), let id = UUID(bytes: bytes[16..<32])
        else { return nil }
        self.tenant = TenantID(tenant)
        self.id = BrowserSessionID(id)
        self.bytes = bytes
    }

    /// The value as browsers get it.
    var text: String { Base64URL.encode(bytes) }

    /// The 32 bytes by which the row knows the cookie.
    func digest(_ ring: KeyRing) -> [UInt8] { ring.sessionTokenDigest(kind: "browser", bytes) }
}
