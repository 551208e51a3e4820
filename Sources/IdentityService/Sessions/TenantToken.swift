import Canonical
import FoundationEssentials
import Identity
import Keys

/// A token that names a tenant and an id in it: tenant 16 ‖ id 16 ‖ secret, unpadded base64url.
struct TenantToken<Kind: TenantTokenKind>: Sendable, Redacted {
    let tenant: TenantID
    let id: Identifier<Kind.Subject>
    fileprivate let secret: [UInt8]

    fileprivate init(tenant: TenantID, id: Identifier<Kind.Subject>, secret: [UInt8]) {
        (self.tenant, self.id, self.secret) = (tenant, id, secret)
    }

    /// Parses a token; `nil` for a text of another form.
    fileprivate init?(form text: String) {
        guard text.utf8.count <= 128, let bytes = Base64URL.decode(text),
            Kind.secretByteCount.contains(bytes.count - 32), let tenant = UUID(bytes: bytes[0..<16]),
            let id = UUID(bytes: bytes[16..<32])
        else { return nil }
        self.init(tenant: TenantID(tenant), id: Identifier(id), secret: Array(bytes[32...]))
    }

    /// The token as its holder gets it.
    var text: String { Base64URL.encode(bytes) }

    fileprivate var bytes: [UInt8] { tenant.uuid.bytes + id.uuid.bytes + secret }
}

/// What a token is for.
protocol TenantTokenKind: Sendable {
    /// What the id names.
    associatedtype Subject
    /// The word that separates the digests or the codes of this kind from those of others.
    static var name: String { get }
    /// The number of bytes after the two ids.
    static var secretByteCount: ClosedRange<Int> { get }
}

/// A kind of token that has a row. The row knows it by a digest.
protocol KeptTokenKind: TenantTokenKind {}

/// The kind of authorization codes. The id is that of the code and of the grant that it opens.
enum AuthorizationCodeKind: KeptTokenKind {
    typealias Subject = GrantSubject
    static let name = "code"
}

/// The kind of the cookies of browser sessions.
enum BrowserCookieKind: KeptTokenKind {
    typealias Subject = BrowserSessionSubject
    static let name = "browser"
}

/// The kind of the cookies of browsers that wait for the decision about their device key. Without the device key such a
/// cookie opens no session.
enum WaitCookieKind: KeptTokenKind {
    typealias Subject = FlowSubject
    static let name = "wait"
}

typealias AuthorizationCode = TenantToken<AuthorizationCodeKind>
typealias BrowserCookie = TenantToken<BrowserCookieKind>
typealias WaitCookie = TenantToken<WaitCookieKind>

extension KeptTokenKind {
    static var secretByteCount: ClosedRange<Int> { 32...32 }
}

extension TenantToken where Kind: KeptTokenKind {
    /// A token with a new secret.
    init(tenant: TenantID, id: Identifier<Kind.Subject> = Identifier(UUID.random())) {
        self.init(tenant: tenant, id: id, secret: randomBytes(32))
    }

    /// Parses a token; `nil` for a text of another form.
    init?(_ text: String) { self.init(form: text) }

    /// The 32 bytes by which the row knows the token.
    func digest(_ ring: KeyRing) -> [UInt8] { ring.sessionTokenDigest(kind: Kind.name, bytes) }
}

extension AuthorizationCode {
    /// The time for which a code may be redeemed.
    static var lifetime: Duration { .seconds(60) }
    /// The time after its end for which a second use is noticed.
    static var memory: Duration { .seconds(600) }
}

extension BrowserCookie {
    /// The cookie of a log-in that ends with a form, see ``LogInBrowser``. Only the service can derive it.
    init(tenant: TenantID, ofForm key: String, _ ring: KeyRing) {
        let origin = tenant.uuid.bytes + Array(key.utf8)
        let id = UUID(bytes: ring.sessionTokenDigest(kind: "browser-id", origin).prefix(16))
        self.init(
            tenant: tenant, id: Identifier(id ?? tenant.uuid),
            secret: ring.sessionTokenDigest(kind: "browser-secret", origin))
    }
}

extension WaitCookie {
    /// Seals the handle of a stored request, so that only this cookie opens it.
    func seal(_ handle: String, _ ring: KeyRing) throws -> [UInt8] {
        try ring.sealFlow(Array(handle.utf8), id: id.uuid, secret: Self.label + bytes)
    }

    /// Opens what ``seal(_:_:)`` sealed; `nil` if another cookie sealed it.
    func open(_ sealed: [UInt8], _ ring: KeyRing) -> String? {
        guard let clear: [UInt8] = try? ring.openFlow(sealed, id: id.uuid, secret: Self.label + bytes) else {
            return nil
        }
        return String(decoding: clear, as: UTF8.self)
    }

    /// Keeps what is sealed from opening as a flow.
    private static var label: [UInt8] { Array("wait".utf8) }
}

/// A kind of token that no row knows: the secret is a counter of 8 bytes and a code of 32 bytes, which authenticates
/// all bytes before it. So the service recognises every token that it issued. An authentic token with another counter
/// than the row's shows that two parties hold it.
protocol CountedTokenKind: TenantTokenKind {
    /// The kind of owner of an idempotency key that comes with a token.
    static var owner: String { get }
    static func code(of body: [UInt8], _ ring: KeyRing) -> [UInt8]
    static func isCode(_ code: [UInt8], of body: [UInt8], _ ring: KeyRing) -> Bool
}

extension TenantToken where Kind: CountedTokenKind {
    /// The token after `counter` refreshes, perhaps with a byte before the code.
    init(tenant: TenantID, id: Identifier<Kind.Subject>, counter: Int64, with byte: UInt8? = nil, _ ring: KeyRing) {
        let number = (0..<8).map { UInt8(truncatingIfNeeded: counter >> (56 - 8 * $0)) } + (byte.map { [$0] } ?? [])
        let code = Kind.code(of: tenant.uuid.bytes + id.uuid.bytes + number, ring)
        self.init(tenant: tenant, id: id, secret: number + code)
    }

    /// Parses a token; `nil` if the service did not issue it as one of this kind.
    init?(_ text: String, _ ring: KeyRing) {
        self.init(form: text)
        guard Kind.isCode(Array(secret.suffix(32)), of: bytes.dropLast(32), ring) else { return nil }
    }

    /// The number of refreshes when the token was issued.
    var counter: Int64 { Int64(bitPattern: secret.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }) }
    /// The byte before the code.
    fileprivate var byte: UInt8? { secret.count > 40 ? secret[8] : nil }
    /// The owner of an idempotency key that comes with a token of this id.
    var owner: String { "\(Kind.owner)/\(tenant)/\(id)" }
}

/// The kind of the refresh tokens of sessions.
enum RefreshTokenKind: CountedTokenKind {
    typealias Subject = SessionSubject
    static let name = "refresh", owner = "session", secretByteCount = 40...40

    static func code(of body: [UInt8], _ ring: KeyRing) -> [UInt8] { ring.refreshTokenCode(body) }
    static func isCode(_ code: [UInt8], of body: [UInt8], _ ring: KeyRing) -> Bool {
        ring.isRefreshTokenCode(code, of: body)
    }
}

/// A kind of token of a client's grant. It is no JWT, so nothing that verifies access tokens takes it for one. Only the
/// newest access token of a grant is accepted.
protocol GrantTokenKind: CountedTokenKind where Subject == GrantSubject {}

/// The kind of access tokens of grants. One with fewer scopes than the grant has a byte with its scopes.
enum GrantAccessTokenKind: GrantTokenKind { static let name = "access" }
/// The kind of refresh tokens of grants.
enum GrantRefreshTokenKind: GrantTokenKind { static let name = "refresh" }

typealias RefreshToken = TenantToken<RefreshTokenKind>
typealias GrantAccessToken = TenantToken<GrantAccessTokenKind>
typealias GrantRefreshToken = TenantToken<GrantRefreshTokenKind>

extension GrantTokenKind {
    static var owner: String { "grant" }
    static var secretByteCount: ClosedRange<Int> { 40...41 }

    static func code(of body: [UInt8], _ ring: KeyRing) -> [UInt8] { ring.grantTokenCode(kind: name, body) }
    static func isCode(_ code: [UInt8], of body: [UInt8], _ ring: KeyRing) -> Bool {
        ring.isGrantTokenCode(code, kind: name, of: body)
    }
}

extension TenantToken where Kind: GrantTokenKind {
    /// The token of a grant as it is.
    ///
    /// - Parameter scopes: The scopes of an access token that has fewer than its grant; `nil` for those of the grant.
    init(of row: GrantRow, fewerScopes scopes: Set<OpenIDScope>? = nil, _ ring: KeyRing) {
        // A bit for each scope, in the order of `OpenIDScope`.
        let byte = scopes.map { scopes in
            OpenIDScope.allCases.enumerated().reduce(UInt8(0)) { byte, scope in
                scopes.contains(scope.element) ? byte | 1 << scope.offset : byte
            }
        }
        self.init(tenant: TenantID(row.tenant), id: GrantID(row.id), counter: row.counter, with: byte, ring)
    }

    /// The scopes of an access token that has fewer than its grant; `nil` for those of the grant.
    var fewerScopes: Set<OpenIDScope>? {
        byte.map { byte in
            Set(OpenIDScope.allCases.enumerated().filter { byte >> $0.offset & 1 == 1 }.map(\.element))
        }
    }
}
