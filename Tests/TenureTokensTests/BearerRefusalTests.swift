import AccessTokens
import Testing

@testable import TenureTokens

@Suite struct BearerRefusalTests {
    let issuer = PublishedIssuer()

    private func refusal(_ value: String?) async throws -> BearerRefusal? {
        do {
            _ = try await issuer.verifier().verify(authorization: value)
            return nil
        } catch let refusal as BearerRefusal {
            return refusal
        }
    }

    @Test func `a bearer token is read in every spelling of the scheme`() async throws {
        let token = try issuer.token()
        for value in ["Bearer \(token)", "bearer \(token)", "BEARER \(token)", "Bearer   \(token)"] {
            #expect(try await refusal(value) == nil)
        }
    }

    @Test func `a request without a bearer token is asked for one, without an error`() async throws {
        for value in [nil, "", " ", "Basic YTpi", "DPoP abc", "Bearerabc", "Token abc", "Bearer\u{A0}abc"] {
            let refusal = try #require(try await refusal(value))
            #expect(refusal.reason == .missing)
            #expect(refusal.status == 401)
            #expect(refusal.challenge == "Bearer realm=\"https://api.example\"")
        }
        #expect(issuer.fetched() == [])
    }

    @Test func `a header that is not readable is an invalid request`() async throws {
        let token = try issuer.token()
        for value in [
            "Bearer", "Bearer ", "Bearer \(token) x", "Bearer \(token),\(token)", "Bearer \"\(token)\"",
            "Bearer \(token)\n",
            "Bearer \(token)\u{301}",
        ] {
            let refusal = try #require(try await refusal(value))
            #expect(refusal.reason == .unreadable)
            #expect(refusal.status == 400)
            #expect(
                refusal.challenge?.hasPrefix("Bearer realm=\"https://api.example\", error=\"invalid_request\"") == true)
        }
        #expect(issuer.fetched() == [])
    }

    @Test func `a refused token is named invalid, with the reason`() async throws {
        let refusal = try #require(try await refusal("Bearer \(try issuer.token(audience: "urn:other"))"))
        #expect(refusal.status == 401)
        #expect(
            refusal.challenge
                == "Bearer realm=\"https://api.example\", error=\"invalid_token\", error_description=\"The token is meant "
                + "for another audience. Obtain one for this app or resource.\"")
        #expect("\(refusal)" == refusal.description)
    }

    @Test func `every challenge is a header value of RFC 6750`() async throws {
        var challenges: Set<String> = []
        let expired = try issuer.token()
        issuer.advance(301)
        for value in [
            "Bearer", "Bearer a", "Bearer a.b.c", "Bearer \(expired)", "Bearer " + String(repeating: "a", count: 5_000),
            "Bearer \(try issuer.token(by: TokenSigningKey()))", "Bearer \(try issuer.token(issuer: "urn:x"))",
            "Bearer \(String(try issuer.token().dropLast(2)))",
        ] {
            let challenge = try #require(try await refusal(value)?.challenge)
            challenges.insert(challenge)
            let description = try #require(challenge.split(separator: "error_description=\"").last?.dropLast())
            // RFC 6750 §3: %x20-21 / %x23-5B / %x5D-7E.
            #expect(description.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
        }
        #expect(challenges.count == 7)
    }

    @Test func `keys that cannot be had are no fault of the token`() async throws {
        issuer.change { $0.isAway = true }
        let refusal = try #require(try await refusal("Bearer \(try issuer.token())"))
        #expect(refusal.status == 503)
        #expect(refusal.challenge == nil)
        #expect(refusal.description.contains(issuer.metadata))
    }
}
