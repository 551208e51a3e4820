import BLS12381
import Testing
@testable import MPinCryptography

@Suite struct KeyTests {
    /// HKDF by Python's `hmac`, the multiplication by py_ecc.
    static let expectedServerShare =
        "19b22f62ed1c3f11633c82aab94d11a35f83e23a2864dc46c1f25e8658fa6a7ade31a0f86c834f6eb8fbc5a1e10b493a"
        + "061db6f0f9309983f2f5db6985d7fd492ae67006e88d9cfc710f339b02f33275cb6890d147159ccf84fda557d20b2be2"
        + "0e92e9ba06e2db352280c2d51a17e331fee888ca9b7fdec273e56a484cc0de7a557cb071357807d3df36224a7add0b2e"
        + "0f56016194c48491ca6cf396bc975dccf731bc5b8e5e9d5bc7bc7d30a097ed34c8095a78cbe860dddb2a8b9d2a2b609e"

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    private static func code(_ work: () throws(MPinCryptographyError) -> Void) -> String? {
        do throws(MPinCryptographyError) {
            try work()
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `the scalar of a tenant is derived as an independent calculation says`() throws {
        let share = try MPinMasterSecret(bytes: Array(0..<32)).share(tenantID: Array(16..<32), epoch: 7)
        #expect(Self.hex(share.serverKeyShare().encoded) == Self.expectedServerShare)
    }

    @Test func `master, tenant and epoch each change the scalar`() throws {
        var shares: Set<[UInt8]> = []
        for master in UInt8(0)..<2 {
            for tenant in UInt8(0)..<2 {
                for epoch in [UInt32(0), 1, 256, 65_536, 16_777_216, .max] {
                    let secret = try MPinMasterSecret(bytes: [UInt8](repeating: master, count: 32))
                    let share = try secret.share(tenantID: [UInt8](repeating: tenant, count: 16), epoch: epoch)
                    shares.insert(share.serverKeyShare().encoded)
                }
            }
        }
        #expect(shares.count == 24)
    }

    @Test func `masters and tenants of the wrong size are refused`() throws {
        for count in [0, 31, 33] {
            let refusal = Self.code { () throws(MPinCryptographyError) in
                _ = try MPinMasterSecret(bytes: [UInt8](repeating: 1, count: count))
            }
            #expect(refusal == "mpin.master_invalid (master)")
        }
        let secret = try MPinMasterSecret(bytes: [UInt8](repeating: 1, count: 32))
        for count in [0, 15, 17] {
            let refusal = Self.code { () throws(MPinCryptographyError) in
                _ = try secret.share(tenantID: [UInt8](repeating: 1, count: count), epoch: 1)
            }
            #expect(refusal == "mpin.master_invalid (tenant)")
        }
    }

    @Test func `a PIN is 4 to 8 ASCII digits`() {
        for right in ["0000", "1234", "99999999"] {
            #expect(Self.code { () throws(MPinCryptographyError) in _ = try MPinPIN(right) } == nil)
        }
        let wrong = [
            "", "123", "123456789", " 1234", "1234 ", "12a4", "+123", "-123", "12.4", "１２３４", "١٢٣٤", "1234\n",
            "12\u{301}34",
            "/234", ":234",
        ]
        for text in wrong {
            #expect(Self.code { () throws(MPinCryptographyError) in _ = try MPinPIN(text) } == "mpin.pin_invalid")
        }
    }

    @Test func `a PIN of another length than the token's is refused before anything is sent`() throws {
        let scene = try Scene()
        for pin in ["04711", "47110"] {
            #expect(throws: MPinCryptographyError(.pinInvalid)) { try scene.exchange(pin: pin) }
        }
        let kept = try MPinToken(encoded: scene.token.encoded, digits: scene.token.digits)
        #expect(try scene.accepts(scene.exchange(token: kept)))
        for digits in [-1, 0, 3, 9] {
            #expect(throws: MPinCryptographyError(.pinInvalid, field: "digits")) {
                try MPinToken(encoded: scene.token.encoded, digits: digits)
            }
        }
    }

    @Test func `keys are sums of at least one share`() throws {
        #expect(throws: MPinCryptographyError(.sharesInvalid)) { try MPinClientKey(adding: []) }
        #expect(throws: MPinCryptographyError(.sharesInvalid)) { try MPinServerKey(adding: []) }
        let scene = try Scene()
        let share = scene.masters[0].serverKeyShare()
        let cancelling = MPinServerKeyShare(point: -share.point)
        #expect(throws: MPinCryptographyError(.sharesInvalid)) { try MPinServerKey(adding: [share, cancelling]) }
        let order = try MPinServerKey(adding: scene.masters.reversed().map { $0.serverKeyShare() })
        #expect(order.encoded == scene.serverKey.encoded)
    }

    @Test func `client shares that cancel are refused, because the token would be the PIN`() throws {
        let scene = try Scene()
        let share = scene.masters[0].clientKeyShare(for: scene.identity)
        let cancelling = MPinClientKeyShare(point: -share.point)
        #expect(throws: MPinCryptographyError(.sharesInvalid)) { try MPinClientKey(adding: [share, cancelling]) }
    }

    @Test func `a digest that the map sends to infinity is no identity`() throws {
        // (0, 2) is on the curve and has order 3, which the cofactor clears.
        let zeros = [UInt8](repeating: 0, count: 32)
        #expect(try G1Point(digest: zeros).isInfinity)
        #expect(throws: MPinCryptographyError(.identityInvalid)) { try MPinIdentityPoint(digest: zeros) }
    }

    @Test func `digests that count up to one point are one identity, and their bytes show it`() throws {
        let digests = (2...5).map { [UInt8](repeating: 0, count: 31) + [UInt8($0)] }
        let identities = try digests.map { try MPinIdentityPoint(digest: $0) }
        #expect(identities[0].encoded == identities[2].encoded && identities[1].encoded == identities[2].encoded)
        #expect(identities[3].encoded != identities[2].encoded)
        #expect(try G1Point(encoded: identities[0].encoded) == identities[0].point)
    }

    @Test func `an identity is the digest of its bytes`() throws {
        let bytes = Array("ana@example.org".utf8)
        #expect(try MPinIdentityPoint(mpinID: bytes) == Scene().identity)
        #expect(try MPinIdentityPoint(mpinID: bytes) != MPinIdentityPoint(mpinID: bytes + [0]))
        #expect(throws: MPinCryptographyError(.identityInvalid)) { try MPinIdentityPoint(mpinID: []) }
        #expect(throws: MPinCryptographyError(.identityInvalid)) { try MPinIdentityPoint(digest: [1]) }
    }

    @Test func `secrets show nothing`() throws {
        let scene = try Scene()
        let share = scene.masters[0].clientKeyShare(for: scene.identity)
        let values: [Any] = [
            try MPinMasterSecret(bytes: Array(0..<32)), scene.masters[0], share, try MPinClientKey(adding: [share]),
            scene.token, try MPinPIN("4711"), scene.serverKey, scene.masters[0].serverKeyShare(),
        ]
        for value in values {
            #expect("\(value)" == "[undisclosed]" && Mirror(reflecting: value).children.isEmpty)
        }
        #expect(MPinSuite.bls12381AMCL3SHA256.rawValue == "BLS12381-AMCL3-SHA256")
    }
}
