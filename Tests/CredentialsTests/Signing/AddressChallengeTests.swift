import Canonical
import Foundation
import Testing

@testable import Credentials

@Suite struct AddressChallengeTests {
    private let device: EmployeeKey
    private let fields: AddressChallenge.Fields
    private let challenge: AddressChallenge

    init() throws {
        device = try EmployeeKey.generate(.seeded("address"))
        let random = Randomness.seeded("fields")
        fields = AddressChallenge.Fields(
            issuer: "id.example", flow: random.uuid(), nonce: random.bytes(32),
            subject: .address(salt: random.bytes(32), Array("zoe@example.test".utf8)), app: "demo-app",
            employeeKey: device.publicKey, credential: random.uuid(),
            expires: try #require(Timestamp("2026-01-02T03:04:05.000006Z")))
        challenge = try AddressChallenge(fields)
    }

    @Test func `a challenge of an address names no tenant`() throws {
        let lines = String(decoding: challenge.bytes, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 2 && lines[0] == "tenure/v2/challenge")
        guard case .object(let members) = try CanonicalJSON.parse(Array(lines[1].utf8)) else {
            Issue.record("no object")
            return
        }
        #expect(
            members.keys.sorted() == [
                "app", "credential", "employeeKey", "expires", "flow", "issuer", "nonce", "purpose", "subject",
            ])
        #expect(members["purpose"] == .string("login-address"))
        #expect(try AddressChallenge(parsing: challenge.bytes) == challenge)
    }

    @Test func `any other spelling is refused`() throws {
        let tag = "tenure/v2/challenge\n"
        let json = String(decoding: challenge.bytes.dropFirst(tag.utf8.count), as: UTF8.self)
        let spellings = [
            json, "tenure/v1/challenge\n" + json, "tenure/v2/challenge" + json, tag + " " + json, tag + json + "\n",
            tag + json.replacingOccurrences(of: "\"login-address\"", with: "\"login\""),
            tag + json.replacingOccurrences(of: "\"subject\"", with: "\"tenant\":1,\"subject\""),
            tag + json.replacingOccurrences(of: "demo-app", with: "demo app"),
            tag + json.replacingOccurrences(of: "id.example", with: ""), tag + "{}", tag, "",
            tag + json.replacingOccurrences(of: "id.example", with: String(repeating: "i", count: 3_000)),
        ]
        for spelling in spellings {
            #expect(throws: CredentialsError.self, "\(spelling)") {
                try AddressChallenge(parsing: Array(spelling.utf8))
            }
        }
    }

    @Test func `only the device that it names signs it, and only in time`() throws {
        let signature = try device.sign(challenge)
        #expect(try challenge.verifyKeyProof(signature.bytes) == .signature(signature))
        let other = try EmployeeKey.generate(.seeded("other"))
        #expect(throws: CredentialsError.self) { try challenge.verifyKeyProof(try other.sign(challenge).bytes) }
        try challenge.checkExpiry(at: fields.expires)
        #expect(throws: CredentialsError.self) { try challenge.checkExpiry(at: fields.expires.adding(.seconds(1))) }
        #expect(throws: CredentialsError.self) { try challenge.checkExpiry(at: fields.expires.adding(.seconds(-121))) }
    }

    @Test func `an address has another commitment than the same text as an account`() {
        let salt = [UInt8](repeating: 1, count: 32), text = Array("a@b.test".utf8)
        #expect(Commitment.address(salt: salt, text) != .subject(salt: salt, company: text, employee: []))
        #expect(Commitment.address(salt: salt, text) != .address(salt: [UInt8](repeating: 2, count: 32), text))
    }
}
