import Canonical
import Foundation
import Identity
import Keys
import Testing

@testable import IdentityService

struct TenantTokenTests {
    private let ring = KeyRing.random()
    private let tenant = TenantID(UUID())

    @Test func `a code is read as it was issued, and prints nothing`() throws {
        let code = AuthorizationCode(tenant: tenant)
        let read = try #require(AuthorizationCode(code.text))
        #expect(read.tenant == tenant && read.id == code.id && read.digest(ring) == code.digest(ring))
        #expect("\(code)" == "[redacted]")
        let bytes = try #require(Base64URL.decode(code.text))
        #expect(bytes.count == 64 && Array(bytes.prefix(32)) == tenant.uuid.bytes + code.id.uuid.bytes)
        for wrong in [[], Array(bytes.dropLast()), bytes + [0]] {
            #expect(AuthorizationCode(Base64URL.encode(wrong)) == nil)
        }
        #expect(AuthorizationCode(tenant: tenant, id: code.id).digest(ring) != code.digest(ring))
    }

    @Test func `a row does not take the token of another kind`() throws {
        let text = AuthorizationCode(tenant: tenant).text
        let digests = try [
            #require(AuthorizationCode(text)).digest(ring), #require(BrowserCookie(text)).digest(ring),
            #require(WaitCookie(text)).digest(ring),
        ]
        #expect(Set(digests).count == 3)
    }

    @Test func `the cookie of a form is the same each time`() {
        let cookie = BrowserCookie(tenant: tenant, ofForm: "form", ring)
        #expect(BrowserCookie(tenant: tenant, ofForm: "form", ring).text == cookie.text)
        #expect(BrowserCookie(tenant: tenant, ofForm: "other", ring).text != cookie.text)
        #expect(BrowserCookie(cookie.text)?.id == cookie.id)
    }

    @Test func `a grant's token is of one kind, and keeps its scopes and its counter`() throws {
        let id = GrantID(UUID())
        let access = GrantAccessToken(tenant: tenant, id: id, counter: 7, with: 0, ring)
        let refresh = GrantRefreshToken(tenant: tenant, id: id, counter: 7, ring)
        let read = try #require(GrantAccessToken(access.text, ring))
        #expect(read.tenant == tenant && read.id == id && read.counter == 7 && read.fewerScopes == [])
        #expect(try #require(GrantRefreshToken(refresh.text, ring)).fewerScopes == nil)
        #expect(GrantRefreshToken(access.text, ring) == nil && GrantAccessToken(refresh.text, ring) == nil)
        #expect(RefreshToken(refresh.text, ring) == nil && GrantAccessToken(access.text, .random()) == nil)
        #expect(refresh.owner == "grant/\(tenant.uuid.lowercased)/\(id.uuid.lowercased)")
        var forged = try #require(Base64URL.decode(access.text))
        forged[40] ^= 1
        #expect(GrantAccessToken(Base64URL.encode(forged), ring) == nil)
    }
}
