import Canonical
import Foundation
import Testing

@testable import AccessTokens

/// Claims that are wrong although the issuer's key signed them.
@Suite struct ClaimAttackTests {
    let tokens = Tokens()

    @Test func `only the exact issuer is accepted`() throws {
        let token = try tokens.token(claims: [:])
        #expect(tokens.refusal(of: token) == nil)
        for issuer in [
            "https://id.example/tenure/", "https://id.example", "http://id.example/tenure", "https://ID.example/tenure",
            "https://id.example/tenure/evil", "",
        ] {
            #expect(tokens.refusal(of: token, issuer: issuer) == .issuer)
        }
        #expect(tokens.refusal(of: try tokens.token(claims: ["iss": "https://evil.example"])) == .issuer)
    }

    @Test func `names that are only canonically equivalent are other names`() throws {
        let token = try tokens.token(claims: ["iss": "https://caf\u{E9}.example", "aud": "urn:caf\u{E9}"])
        let (composed, decomposed) = ("https://caf\u{E9}.example", "https://cafe\u{301}.example")
        #expect(tokens.refusal(of: token, issuer: composed, audiences: ["urn:caf\u{E9}"]) == nil)
        #expect(tokens.refusal(of: token, issuer: decomposed, audiences: ["urn:caf\u{E9}"]) == .issuer)
        #expect(tokens.refusal(of: token, issuer: composed, audiences: ["urn:cafe\u{301}"]) == .audience)
    }

    @Test func `only one of the audiences is accepted`() throws {
        let token = try tokens.token(claims: [:])
        #expect(tokens.refusal(of: token, audiences: ["urn:other", Tokens.audience]) == nil)
        for audiences: Set<String> in [
            [], ["urn:other"], [Tokens.audience + "/"], [String(Tokens.audience.dropLast())],
        ] {
            #expect(tokens.refusal(of: token, audiences: audiences) == .audience)
        }
    }

    @Test func `an audience is one string, also in an array`() throws {
        let own = JSONValue.string(Tokens.audience)
        #expect(tokens.refusal(of: try tokens.token(claims: ["aud": .array([own])])) == nil)
        for value: JSONValue? in [
            nil, .null, 1, [], "", [""], .array([own, own]), .array([own, "urn:other"]), [1], [:],
        ] {
            #expect(tokens.refusal(of: try tokens.token(claims: ["aud": value])) == .claims)
        }
    }

    @Test func `a token ends at exp, and the leeway is bounded`() throws {
        let token = try tokens.token(claims: [:])
        let end = Tokens.now + 300
        #expect(tokens.refusal(of: token, at: end - 1) == nil)
        #expect(tokens.refusal(of: token, at: end) == .expired)
        #expect(tokens.refusal(of: token, leeway: 10, at: end + 9) == nil)
        #expect(tokens.refusal(of: token, leeway: 10, at: end + 10) == .expired)
        #expect(tokens.refusal(of: token, leeway: -10, at: end - 1) == nil)
        #expect(tokens.refusal(of: token, leeway: .max, at: end + 299) == nil)
        #expect(tokens.refusal(of: token, leeway: .max, at: end + 300) == .expired)
        #expect(tokens.refusal(of: token, at: .max) == .expired)
        #expect(tokens.refusal(of: token, at: .min) == .notYetValid)
    }

    @Test func `a token from the future is refused beyond five seconds and the leeway`() throws {
        for name in ["iat", "nbf"] {
            func refusal(_ ahead: Int64, leeway: Int64 = 0) throws -> AccessTokenError.Code? {
                tokens.refusal(of: try tokens.token(claims: [name: .integer(Tokens.now + ahead)]), leeway: leeway)
            }
            #expect(try refusal(5) == nil)
            #expect(try refusal(6) == .notYetValid)
            #expect(try refusal(15, leeway: 10) == nil)
            #expect(try refusal(16, leeway: 10) == .notYetValid)
        }
        for value: JSONValue in [.null, "0", [], true] {
            #expect(tokens.refusal(of: try tokens.token(claims: ["nbf": value])) == .claims)
        }
    }

    @Test func `every claim is required and has its type`() throws {
        guard case .object(let members) = tokens.claims.json else { throw AccessTokenError.claims }
        #expect(members.count == 12)
        for name in members.keys {
            for value: JSONValue? in [nil, .null, true, [:], -1, "", [1]] {
                #expect(tokens.refusal(of: try tokens.token(claims: [name: value])) == .claims, "\(name)")
            }
        }
        for name in ["exp", "iat", "auth_time"] {
            #expect(tokens.refusal(of: try tokens.token(claims: [name: "1800000100"])) == .claims)
        }
    }

    @Test func `times are integers that every reader has exactly`() throws {
        let claims = String(decoding: tokens.claims.json.canonicalBytes(), as: UTF8.self)
        for time in ["1.8e9", "1800000300.0", "9007199254740992", "99999999999999999999", "-0", "01800000300"] {
            let changed = claims.replacing("\"exp\":\(Tokens.now + 300)", with: "\"exp\":\(time)")
            #expect(changed != claims)
            #expect(tokens.refusal(of: try tokens.token(claims: changed)) == .claims)
        }
    }

    @Test func `identifiers have one spelling`() throws {
        let text = tokens.claims.subject.lowercased
        for name in ["sub", "jti", "client_id", "sid", "tenant"] {
            for spelling in [
                text.uppercased(), text.replacing("-", with: ""), "{\(text)}", "urn:uuid:\(text)", text + " ",
                String(text.dropLast()),
            ] where spelling != text {
                #expect(tokens.refusal(of: try tokens.token(claims: [name: .string(spelling)])) == .claims)
            }
        }
    }

    @Test func `claims given twice are refused, also when escaped`() throws {
        let claims = String(decoding: tokens.claims.json.canonicalBytes(), as: UTF8.self).dropLast()
        #expect(tokens.refusal(of: try tokens.token(claims: "\(claims),\"nonce\":1}")) == nil)
        for twice in [
            "\"role\":\"admin\"", "\"role\":\"employee\"", "\"exp\":9007199254740991", "\"\\u0073ub\":\"x\"",
            "\"aud\":\"\(Tokens.audience)\"",
        ] {
            #expect(tokens.refusal(of: try tokens.token(claims: "\(claims),\(twice)}")) == .claims)
        }
    }

    @Test func `claims that are no JSON object are refused`() throws {
        for claims in ["", "[]", "null", "{", "{}{}", "{\"a\":[[[[[[[[[[1]]]]]]]]]]}", "\u{0}"] {
            #expect(tokens.refusal(of: try tokens.token(claims: claims)) == .claims)
        }
    }
}
