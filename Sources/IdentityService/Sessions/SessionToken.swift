import Canonical
import Crypto
import FoundationEssentials

/// The opaque form of both tokens: ledger 16 ‖ session 16 ‖ secret 32 bytes, unpadded base64url.
///
/// The two ids let one indexed read find the row under row-level security; the secret is what counts, and only its
/// keyed digest is stored.
struct SessionToken: Sendable {
    static let secretByteCount = 32
    let tenant: UUID
    let session: UUID
    let secret: [UInt8]

    /// Draws a new secret.
    init(tenant: UUID, session: UUID) {
        self.tenant = tenant
        self.session = session
        secret = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
    }

    /// Reads a token; nil for anything that could not have been issued.
    init?(_ text: String) {
        guard let bytes = Base64URL.decode(text), bytes.count == 32 + Self.secretByteCount,
            let tenant = UUID(bytes: bytes[0..<16]), let session = UUID(bytes: bytes[16..<32])
        else { return nil }
        self.tenant = tenant
        self.session = session
        secret = Array(bytes[32...])
    }

    /// Who an idempotency key belongs to that comes with a token of this session.
    var scope: String { "session/\(tenant.lowercased)/\(session.lowercased)" }
    /// The whole token.
    var bytes: [UInt8] { tenant.bytes + session.bytes + secret }
    /// The token as it is handed out.
    var text: String { Base64URL.encode(bytes) }
}
