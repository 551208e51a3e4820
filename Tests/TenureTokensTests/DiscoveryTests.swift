import AccessTokens
import Canonical
import Testing

@testable import TenureTokens

@Suite struct DiscoveryTests {
    @Test func `the first token finds the keys by discovery`() async throws {
        let issuer = PublishedIssuer()
        let verifier = try issuer.verifier()
        #expect(issuer.fetched() == [])
        let claims = try await verifier.verify(issuer.token())
        #expect(claims.audience == PublishedIssuer.audience)
        #expect(issuer.fetched() == [issuer.metadata, issuer.jwks])
    }

    @Test(arguments: [
        ("https://id.example/a", "https://id.example/.well-known/oauth-authorization-server/a"),
        ("https://id.example:8443/a/b", "https://id.example:8443/.well-known/oauth-authorization-server/a/b"),
        ("https://id.example/a%20b", "https://id.example/.well-known/oauth-authorization-server/a%20b"),
        ("http://localhost:8080", "http://localhost:8080/.well-known/oauth-authorization-server"),
        ("http://127.0.0.1:8080/t", "http://127.0.0.1:8080/.well-known/oauth-authorization-server/t"),
        ("http://[::1]:8080", "http://[::1]:8080/.well-known/oauth-authorization-server"),
    ])
    func `the well-known part stands between the host and the path`(issuer: String, metadata: String) async throws {
        let issuer = PublishedIssuer(issuer: issuer, metadata: metadata)
        #expect(try await issuer.verifier().reason(issuer.token()) == nil)
        #expect(issuer.fetched() == [metadata, issuer.jwks])
    }

    @Test(arguments: [
        "", "id.example", "https://", "https:///a", "https://id.example/", "https://id.example/a/",
        "http://id.example", "http://127.0.0.1.example", "http://localhost.example", "ftp://id.example",
        "https://user@id.example", "https://user:secret@id.example", "https://id.example?a=b", "https://id.example?",
        "https://id.example#a", "https://id.example/a b", "https://caf\u{E9}.example", "https://id.example\n",
        "file:///etc/passwd",
    ])
    func `an issuer that is no https URL is refused`(issuer: String) {
        #expect {
            try TokenVerifier(issuer: issuer, audience: PublishedIssuer.audience)
        } throws: {
            ($0 as? TokenIssuerError)?.code == .configuration
        }
    }

    @Test(arguments: ["", "a b", "a\"b", "a\\b", "a\r\nb", "caf\u{E9}"])
    func `an audience that no header can name is refused`(audience: String) {
        #expect { try PublishedIssuer().verifier(audience: audience) } throws: {
            ($0 as? TokenIssuerError)?.code == .configuration
        }
    }

    @Test func `metadata of another issuer is refused`() async throws {
        for other: JSONValue? in [
            "https://id.example/", "https://evil.example", "https://ID.example", "https://id.example/a", nil, .null,
        ] {
            let issuer = PublishedIssuer()
            issuer.publish(["issuer": other])
            #expect(try await issuer.verifier().unavailable(issuer.token()) == .document)
            #expect(issuer.fetched() == [issuer.metadata])
        }
    }

    @Test func `keys are fetched from the issuer's origin only`() async throws {
        for other: JSONValue? in [
            "https://evil.example/jwks.json", "http://id.example/jwks.json", "https://id.example:8443/jwks.json",
            "https://id.example.evil.example/jwks.json", "https://id.example@evil.example/jwks.json",
            "https://evil@id.example/jwks.json", "//id.example/jwks.json", "/jwks.json", "jwks.json", "", nil, 1,
            "http://127.0.0.1/jwks.json", "file:///etc/passwd",
        ] {
            let issuer = PublishedIssuer()
            issuer.publish(["jwks_uri": other])
            #expect(try await issuer.verifier().unavailable(issuer.token()) == .document)
            #expect(issuer.fetched() == [issuer.metadata])
        }
        let issuer = PublishedIssuer()
        issuer.publish(["jwks_uri": "https://ID.example:443/keys/jwks.json"])
        let keys = IssuerDocument(status: 500, body: [])
        issuer.change { $0.documents["https://ID.example:443/keys/jwks.json"] = keys }
        #expect(try await issuer.verifier().unavailable(issuer.token()) == .unreachable)
    }

    @Test func `an answer that is no document is refused`() async throws {
        let long = [UInt8](repeating: 0x20, count: 65_537)
        for (body, code) in [
            ([], TokenIssuerError.Code.document), (Array("<html>".utf8), .document), (Array("{}".utf8), .document),
            (Array("{\"keys\":[],\"keys\":[]}".utf8), .document), (long, .document),
        ] {
            for isMetadata in [true, false] {
                let issuer = PublishedIssuer()
                issuer.change { $0.documents[isMetadata ? issuer.metadata : issuer.jwks] = IssuerDocument(body: body) }
                #expect(try await issuer.verifier().unavailable(issuer.token()) == code)
            }
        }
        for status in [204, 301, 304, 404, 500, 503] {
            let issuer = PublishedIssuer()
            issuer.change { $0.documents[issuer.jwks] = IssuerDocument(status: status, body: []) }
            #expect(try await issuer.verifier().unavailable(issuer.token()) == .unreachable)
        }
    }

    @Test func `an empty key set verifies nothing`() async throws {
        let issuer = PublishedIssuer()
        let token = try issuer.token()
        issuer.change { $0.keys = [] }
        #expect(try await issuer.verifier().invalid(token) == .keyUnknown)
    }
}
