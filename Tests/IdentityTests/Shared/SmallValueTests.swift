import Canonical
@testable import Identity
import Testing

@Suite struct `Small values` {
    @Test func `a key has 65 bytes and starts with 4`() {
        #expect(PublicKeyBytes([4] + [UInt8](repeating: 0, count: 64)) != nil)
        for wrong in [[], [4], [UInt8](repeating: 4, count: 64), [UInt8](repeating: 4, count: 66)] {
            #expect(PublicKeyBytes(wrong) == nil)
        }
        for first: UInt8 in [0, 2, 3, 5, 6, 255] {
            #expect(PublicKeyBytes([first] + [UInt8](repeating: 0, count: 64)) == nil)
        }
    }

    @Test(arguments: [0, 1, 31, 32, 33, 63, 64, 65])
    func `signatures, digests and fingerprints have one size`(count: Int) {
        let bytes = [UInt8](repeating: 9, count: count)
        #expect((SignatureBytes(bytes) != nil) == (count == 64))
        #expect((Bytes32(bytes) != nil) == (count == 32))
        #expect((KeyFingerprint(bytes) != nil) == (count == 32))
    }

    @Test func `a fingerprint has one spelling`() throws {
        let text = String(repeating: "0af9", count: 16)
        #expect(try #require(KeyFingerprint(hex: text)).description == text)
        for wrong in ["", text.uppercased(), String(text.dropLast()), text + "00", String(repeating: "0g", count: 32)] {
            #expect(KeyFingerprint(hex: wrong) == nil)
        }
    }

    @Test func `an identifier has one spelling`() throws {
        let text = "00112233-4455-4677-8899-aabbccddeeff"
        #expect(try #require(EmployeeID(text: text)).description == text)
        #expect(EmployeeID(text: text.uppercased()) == nil)
        #expect(EmployeeID(text: "{\(text)}") == nil)
    }

    @Test(arguments: [
        ("a", true), ("lost_device.2-b", true), ("A", false), ("", false), ("a b", false), ("a/b", false),
        ("é", false), ("a\n", false), (String(repeating: "a", count: 64), true),
        (String(repeating: "a", count: 65), false),
    ])
    func `reason codes accept few characters`(text: String, isReason: Bool) {
        #expect((ReasonCode(text) != nil) == isReason)
    }

    @Test func `free text has 1 to 1024 bytes and no NUL`() throws {
        #expect(try FreeText("Left.\nGone.").text == "Left.\nGone.")
        _ = try FreeText(String(repeating: "é", count: 512))
        for wrong in ["", "a\0", String(repeating: "é", count: 513)] {
            #expect(throws: ValueError.self) { try FreeText(wrong) }
        }
    }

    @Test func `roles are written and read in sorted order only`() {
        #expect(RoleSet.usual.names == ["access", "authorization", "creation"])
        #expect(RoleSet(names: ["access", "creation"]) == RoleSet(.creation, .access))
        for wrong in [[], ["creation", "access"], ["access", "access"], ["access", "root"], ["ACCESS"]] {
            #expect(RoleSet(names: wrong) == nil)
        }
    }

    @Test func `the default policy is the documented one`() {
        let policy = TenantPolicy.initial
        #expect(policy.keyAuthorization == .application && policy.approval == .automatic)
        #expect(!policy.blindOnly && policy.questionsWithPassphrase)
        #expect(policy.permits(.direct) && policy.permits(.blind))
        let strict = TenantPolicy(blindOnly: true)
        #expect(!strict.permits(.direct) && strict.permits(.blind))
    }

    @Test func `personal texts are compared by their bytes`() {
        let owner = EventSamples.employee
        #expect(Personal(owner, "é") != Personal(owner, "e\u{301}"))
        #expect(Personal(owner, "é") == Personal(owner, "é"))
        #expect(Personal(owner, nil) != Personal(owner, ""))
        #expect(Personal(owner, "a") != Personal(EventSamples.admin, "a"))
    }
}
