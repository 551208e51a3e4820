import Canonical
import FoundationEssentials
import Identity
import Keys

/// The value of the cookie of a browser that waits for the decision about its device key: tenant 16 ‖ flow 16 ‖ secret
/// 32 bytes, unpadded base64url. It opens no session without the device key.
struct WaitCookie: Sendable {
    let tenant: TenantID
    let flow: FlowID
    private let bytes: [UInt8]

    /// A cookie with a new secret.
    init(tenant: TenantID, flow: FlowID) {
        self.tenant = tenant
        self.flow = flow
        bytes = tenant.uuid.bytes + flow.uuid.bytes + randomBytes(32)
    }

    /// Parses a cookie; `nil` for a text of another form.
    init?(_ text: String) {
        guard text.utf8.count <= 128, let bytes = Base64URL.decode(text), bytes.count == 64,
            let tenant = UUID(bytes: bytes[0..<16]), let flow = UUID(bytes: bytes[16..<32])
        else { return nil }
        self.tenant = TenantID(tenant)
        self.flow = FlowID(flow)
        self.bytes = bytes
    }

    /// The value as browsers get it.
    var text: String { Base64URL.encode(bytes) }

    /// The 32 bytes by which the row knows the cookie.
    func digest(_ ring: KeyRing) -> [UInt8] { ring.sessionTokenDigest(kind: "wait", bytes) }

    /// Seals the handle of a stored request, so that only this cookie opens it.
    func seal(_ handle: String, _ ring: KeyRing) throws -> [UInt8] {
        try ring.sealFlow(Array(handle.utf8), id: flow.uuid, secret: Self.label + bytes)
    }

    /// Opens what ``seal(_:_:)`` sealed; `nil` if another cookie sealed it.
    func open(_ sealed: [UInt8], _ ring: KeyRing) -> String? {
        guard let clear = try? ring.openFlow(sealed, id: flow.uuid, secret: Self.label + bytes) else { return nil }
        return String(decoding: clear, as: UTF8.self)
    }

    /// Keeps what is sealed from opening as a flow.
    private static let label = Array("wait".utf8)
}
