import Canonical
import Foundation
import Testing

@testable import Credentials

@Suite struct PasskeyChallengeTests {
    private static let fields = PasskeyChallenge.Fields(
        issuer: "tenure", rpID: "id.example", flow: UUID(), nonce: [UInt8](repeating: 7, count: 32),
        app: UUID().lowercased, expires: Timestamp(microseconds: 1_800_000_000_000_000))

    @Test func `a challenge is read as it is written, and names neither account nor key`() throws {
        let challenge = try PasskeyChallenge(Self.fields)
        #expect(try PasskeyChallenge(parsing: challenge.bytes) == challenge)
        let text = String(decoding: challenge.bytes, as: UTF8.self)
        #expect(text.hasPrefix("tenure/v2/challenge\n{") && text.contains(#""purpose":"login-passkey""#))
        #expect(!text.contains("employee") && !text.contains("tenant") && !text.contains("credential"))
    }

    @Test func `a challenge to join names both accounts with their companies, and the new key`() throws {
        var fields = Self.fields
        (fields.tenant, fields.employee) = (UUID(), UUID())
        (fields.joinedTenant, fields.joinedEmployee, fields.joinedKey) = (
            UUID(), UUID(), [UInt8](repeating: 8, count: 32)
        )
        let challenge = try PasskeyChallenge(fields)
        #expect(challenge.fields.purpose == .joinCompany)
        #expect(try PasskeyChallenge(parsing: challenge.bytes) == challenge)
        #expect(String(decoding: challenge.bytes, as: UTF8.self).contains(#""purpose":"join-company""#))
        func refused(_ change: (inout PasskeyChallenge.Fields) -> Void) {
            var fields = fields
            change(&fields)
            #expect(throws: CredentialsError.self) { try PasskeyChallenge(fields) }
        }
        refused { $0.joinedKey = nil }
        refused { $0.joinedKey = [1] }
        refused { $0.joinedEmployee = nil }
        refused { $0.joinedTenant = nil }
        refused { ($0.tenant, $0.employee) = (nil, nil) }
        refused { $0.joinedTenant = $0.tenant }
    }

    @Test(arguments: ["", "1.2.3.4", "UPPER.example", "a..b", "-a.example", "[::1]", "ex ample.com"])
    func `a challenge for a site that is no host name is refused`(rpID: String) {
        var fields = Self.fields
        fields.rpID = rpID
        #expect(throws: CredentialsError(.challengeInvalid, field: "rpId")) { try PasskeyChallenge(fields) }
    }
}
