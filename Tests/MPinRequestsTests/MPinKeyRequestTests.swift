import Canonical
import Crypto
import FoundationEssentials
import Testing

@testable import MPinRequests

@Suite struct MPinKeyRequestTests {
    private let key = MPinSigningKey(SymmetricKey(data: [UInt8](repeating: 7, count: 32)))

    @Test func `the signed lines are those of the documentation`() {
        let request = Sample.request(epoch: 3, at: Timestamp(microseconds: 1_790_000_000_999_999))
        #expect(
            String(decoding: request.message, as: UTF8.self) == """
                clientSecret
                5a5a5a5a-5a5a-5a5a-5a5a-5a5a5a5a5a5a
                000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f

                2026-09-21T14:14:10Z
                3
                """)
        #expect(
            String(decoding: Sample.request(.serverKey).message, as: UTF8.self) == """
                serverSecret
                5a5a5a5a-5a5a-5a5a-5a5a-5a5a5a5a5a5a
                2026-09-21T14:14:10Z
                1
                """)
    }

    /// Computed with: printf 'serverSecret\n5a5a5a5a-5a5a-5a5a-5a5a-5a5a5a5a5a5a\n2026-09-21T14:14:10Z\n1' |
    /// openssl dgst -sha256 -mac HMAC -macopt hexkey:0707…07
    @Test func `the signature is HMAC-SHA-256 in lower-case hexadecimal`() {
        let query = Sample.request(.serverKey).query(signedWith: key)
        #expect(
            query == "app_id=5a5a5a5a-5a5a-5a5a-5a5a-5a5a5a5a5a5a&epoch=1&expires=2026-09-21T14:14:10Z&signature="
                + "b2cdd6a3a21109168f8118a748d3fd50ffffef1c44055a87e55bad9fc91a0e24")
    }

    @Test(arguments: [
        Sample.request(), Sample.request(.serverKey, epoch: .max),
        Sample.request(.clientKey(mpinIDHash: Sample.hash, userIDHash: Sample.hash.reversed())),
    ])
    func `a query is read as it was written`(request: MPinKeyRequest) throws {
        let isClientKey = request.share != .serverKey
        let (read, signature) = try #require(
            MPinKeyRequest.read(clientKey: isClientKey, request.query(signedWith: key)))
        #expect(read == request)
        #expect(key.verifies(signature, of: read.message))
    }

    @Test func `optional members may be absent`() throws {
        let hash = Hex.encode(Sample.hash), signature = String(repeating: "0", count: 64)
        let query =
            "app_id=\(Sample.tenant.lowercased)&expires=2026-09-21T14:14:10Z&hash_mpin_id=\(hash)"
            + "&signature=\(signature)"
        let (read, _) = try #require(MPinKeyRequest.read(clientKey: true, query))
        #expect(read == Sample.request())
    }

    @Test(arguments: [
        ("", ""), ("app_id=5a5a", "app_id=5A5A"), ("app_id=", "app_id=x"), ("app_id", "app"), ("&epoch=1", "&epoch=0"),
        ("&epoch=1", "&epoch=01"), ("&epoch=1", "&epoch=+1"), ("&epoch=1", "&epoch=4294967296"),
        ("&epoch=1", "&epoch=1&epoch=1"), ("&epoch=1", "&epoch=1&other=1"), ("&epoch=1", "&epoch=1&"),
        ("&epoch=1", "&epoch"), ("10Z", "10z"), ("10Z", "10.000000Z"), ("10Z", "60Z"), ("10Z", "10"),
        ("14:14", "14%3A14"), ("mobile=1", "mobile=2"), ("hash_user_id=", "hash_user_id=00"),
        ("0405060708", "040506070"), ("0a0b", "0A0B"), ("signature=", "signature=0"), ("signature=", "sign="),
        ("hash_mpin_id", "hash_mpin"),
    ])
    func `a malformed query is refused`(part: String, replacement: String) {
        let query = Sample.request().query(signedWith: key)
        let changed = part.isEmpty ? "" : query.replacing(part, with: replacement, maxReplacements: 1)
        #expect(changed != query)
        #expect(MPinKeyRequest.read(clientKey: true, changed) == nil)
    }

    @Test func `a query for the other path is refused`() {
        #expect(MPinKeyRequest.read(clientKey: false, Sample.request().query(signedWith: key)) == nil)
        #expect(MPinKeyRequest.read(clientKey: true, Sample.request(.serverKey).query(signedWith: key)) == nil)
    }

    @Test func `a signing key does not print`() {
        #expect("\(key)" == "[redacted]" && String(reflecting: key) == "[redacted]")
        var dumped = ""
        dump(key, to: &dumped)
        #expect(!dumped.contains("7, 7"))
    }
}
