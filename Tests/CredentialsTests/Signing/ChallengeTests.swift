import Canonical
import Foundation
import Testing

@testable import Credentials

@Suite struct ChallengeTests {
    let device: EmployeeKey
    let fields: Challenge.Fields
    let challenge: Challenge

    init() throws {
        device = try EmployeeKey.generate(.seeded("challenge"))
        fields = try Self.fields(device.publicKey)
        challenge = try Challenge(fields)
    }

    static func fields(_ key: EmployeePublicKey) throws -> Challenge.Fields {
        let random = Randomness.seeded("fields")
        return Challenge.Fields(
            issuer: "id.example", purpose: .login, flow: random.uuid(), nonce: random.bytes(32),
            tenant: random.uuid(),
            subject: .subject(salt: random.bytes(32), company: Array("a".utf8), employee: Array("b".utf8)),
            app: "demo-app", employeeKey: key, credential: random.uuid(),
            expires: try #require(Timestamp("2026-01-02T03:04:05.000006Z")))
    }

    @Test func `a challenge is a tag line and canonical JSON with these names`() throws {
        let lines = String(decoding: challenge.bytes, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 2)
        #expect(lines[0] == "tenure/v1/challenge")
        guard case .object(let members) = try CanonicalJSON.parse(Array(lines[1].utf8)) else {
            Issue.record("no object")
            return
        }
        #expect(
            members.keys.sorted() == [
                "app", "credential", "employeeKey", "expires", "flow", "issuer", "nonce", "purpose", "subject",
                "tenant",
            ])
        #expect(members["expires"] == .string("2026-01-02T03:04:05.000006Z"))
        #expect(members["purpose"] == .string("login"))
        #expect(try Challenge(parsing: challenge.bytes) == challenge)
    }

    @Test func `the credential is left out until it is known`() throws {
        var unknown = fields
        unknown.credential = nil
        let read = try Challenge(parsing: Challenge(unknown).bytes)
        #expect(read.fields.credential == nil)
        #expect(!String(decoding: read.bytes, as: UTF8.self).contains("credential"))
    }

    @Test func `any other spelling of a challenge is refused`() throws {
        let json = String(decoding: challenge.bytes.dropFirst(20), as: UTF8.self)
        let tag = "tenure/v1/challenge\n"
        let spellings = [
            json, "tenure/v1/challenge" + json, "tenure/v1/validation\n" + json, tag + " " + json,
            tag + json + "\n", tag + json.replacingOccurrences(of: "\":\"", with: "\": \""), tag + tag + json,
            tag + json.replacingOccurrences(of: "\"login\"", with: "\"logout\""),
            tag + json.replacingOccurrences(of: "\"login\"", with: "\"\\u006cogin\""),
            tag + json.replacingOccurrences(of: "{\"app\"", with: "{\"aaa\":1,\"app\""),
            tag + json.replacingOccurrences(of: "demo-app", with: "demo app"),
            tag + json.replacingOccurrences(of: "id.example", with: ""),
            tag + json.replacingOccurrences(of: ".000006Z", with: "Z"),
            tag + "{}", tag + "null", tag, "",
            tag + json.replacingOccurrences(of: "id.example", with: String(repeating: "i", count: 3_000)),
        ]
        for spelling in spellings {
            do {
                _ = try Challenge(parsing: Array(spelling.utf8))
                Issue.record("accepted: \(spelling)")
            } catch {
                #expect([.challengeInvalid, .unexpectedTag].contains(error.code))
            }
        }
    }

    @Test func `changed bytes are refused or read as another challenge`() throws {
        let stream = SeededStream("challenges")
        var others = 0
        for _ in 0..<2_000 {
            var crafted = challenge.bytes
            switch stream.below(3) {
            case 0: crafted[stream.below(crafted.count)] = stream.bytes(1)[0]
            case 1: crafted.remove(at: stream.below(crafted.count))
            default: crafted.insert(stream.bytes(1)[0], at: stream.below(crafted.count))
            }
            guard crafted != challenge.bytes, let read = try? Challenge(parsing: crafted) else { continue }
            others += 1
            #expect(read.fields != challenge.fields)
            #expect(read.bytes == crafted)
        }
        #expect(others > 50)
    }

    @Test func `every expected field is compared`() throws {
        let right = ChallengeExpectation(
            purpose: .login, employeeKey: device.publicKey, issuer: fields.issuer, flow: fields.flow,
            nonce: fields.nonce, tenant: fields.tenant, subject: fields.subject, app: fields.app,
            credential: fields.credential, now: fields.expires.adding(.seconds(-60)))
        try challenge.require(right)
        let otherKey = try EmployeeKey.generate(.seeded("x")).publicKey
        let changes: [(String, (inout ChallengeExpectation) -> Void)] = [
            ("issuer", { $0.issuer = "id.example.evil" }), ("purpose", { $0.purpose = .registration }),
            ("flow", { $0.flow = UUID() }), ("nonce", { $0.nonce = [UInt8](repeating: 0, count: 32) }),
            ("tenant", { $0.tenant = UUID() }),
            ("subject", { $0.subject = .subject(salt: [], company: [], employee: []) }),
            ("app", { $0.app = "other" }), ("employeeKey", { $0.employeeKey = otherKey }),
            ("credential", { $0.credential = UUID() }),
        ]
        for (name, change) in changes {
            var wrong = right
            change(&wrong)
            let expectation = wrong
            expect(.challengeMismatch, field: name) { try challenge.require(expectation) }
        }
        var unknown = fields
        unknown.credential = nil
        let without = try Challenge(unknown)
        expect(.challengeMismatch, field: "credential") { try without.require(right) }
    }

    @Test func `the issuer is compared byte by byte`() throws {
        var composed = fields
        composed.issuer = "caf\u{e9}"
        let challenge = try Challenge(composed)
        let expected = ChallengeExpectation(
            purpose: .login, employeeKey: device.publicKey, issuer: "cafe\u{301}")
        expect(.challengeMismatch, field: "issuer") { try challenge.require(expected) }
    }

    @Test func `an expiry in the past or more than 120 seconds ahead is refused`() throws {
        for seconds in [0, 1, 120] { try challenge.checkExpiry(at: fields.expires.adding(.seconds(-seconds))) }
        expect(.expired) { try challenge.checkExpiry(at: fields.expires.adding(.microseconds(1))) }
        expect(.expired) { try challenge.checkExpiry(at: fields.expires.adding(.microseconds(-120_000_001))) }
        expect(.expired) { try challenge.checkExpiry(at: .earliest) }
        expect(.expired) { try challenge.checkExpiry(at: .latest) }
    }

    @Test func `fields out of range are refused when a challenge is made`() {
        let changes: [(String, (inout Challenge.Fields) -> Void)] = [
            ("issuer", { $0.issuer = "" }), ("issuer", { $0.issuer = String(repeating: "i", count: 256) }),
            ("nonce", { $0.nonce.removeLast() }), ("app", { $0.app = "" }), ("app", { $0.app = "a/b" }),
            ("app", { $0.app = String(repeating: "a", count: 65) }),
        ]
        for (name, change) in changes {
            var wrong = fields
            change(&wrong)
            let bad = wrong
            expect(.challengeInvalid, field: name) { _ = try Challenge(bad) }
        }
    }

    @Test func `both signatures over a challenge verify, and swapped ones are refused`() throws {
        let fixture = try Fixture.both.get()
        let deviceSignature = try challenge.verifyKeyProof(device.sign(challenge).bytes)
        let userSignature = try fixture.new.userKey.sign(validationOf: challenge)
        let userKey = fixture.context.userPublicKey
        try ValidatedChallenge(
            challenge: challenge, deviceSignature: deviceSignature, userSignature: userSignature
        ).verify(userKey: userKey)
        let other = try Challenge(
            {
                var other = fields
                other.nonce[0] ^= 1
                return other
            }())
        let swapped = (challenge, DeviceEvidence.signature(userSignature), try Signature(raw: deviceSignature.bytes))
        let wrong: [(Challenge, DeviceEvidence, Signature)] = try [
            swapped, (other, deviceSignature, userSignature),
            (challenge, deviceSignature, fixture.new.userKey.sign(challenge.bytes)),
            (challenge, deviceSignature, UserKey.generate(.system).sign(validationOf: challenge)),
        ]
        for (challenge, device, user) in wrong {
            expect(.signatureInvalid) {
                try ValidatedChallenge(challenge: challenge, deviceSignature: device, userSignature: user)
                    .verify(userKey: userKey)
            }
        }
    }
}
