import Canonical
import Crypto
import Testing

@testable import Keys

@Suite struct KeyRingTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func `a ring needs a key for every purpose`() throws {
        for missing in KeyPurpose.allCases {
            var keys: [KeyPurpose: SecretKey] = [:]
            for purpose in KeyPurpose.allCases where purpose != missing { keys[purpose] = SecretKey() }
            let error = #expect(throws: KeysError.self) { try KeyRing(keys) }
            #expect(error?.code == .purposeKeyMissing)
            #expect(error?.reason.contains(missing.rawValue) == true)
        }
    }

    @Test func `digests never change`() throws {
        let (ring, ledger) = (try Sample.ring, try Sample.ledger)
        let digests = [
            ring.lookupDigest(kind: "email", bytes("zoe@example.com")),
            ring.lookupDigest(kind: "employee", bytes("e-1"), scope: ledger),
            ring.decoyDigest("oprf/answers", [bytes("acme"), bytes("e-1")]).bytes,
            ring.sessionTokenDigest(kind: "access", bytes("token")),
            ring.idempotencyDigest(key: bytes("key-1"), scope: bytes("app")),
            ring.idempotencyFingerprint([bytes("POST"), bytes("/v1/x"), bytes("{}")]),
        ]
        #expect(
            digests.map { Hex.encode($0) } == [
                "c9a40b6e627806b979c6bddedd2525aed055a822c9f8e7304fd323e0b2cf8f9f",
                "3010b3d8730b2a00eaba7b0248a2c0c7a662fc8019f48593c747e419e5606a2f",
                "33bbf6c27b6b96269c5a5c033e317f9335d5346a26b50378af6c99875c40e105",
                "b7951ac9c05db9446fe203b80542275b76d2610dc21ca9a16d6e5e97a7b11ad8",
                "d9a82dabe828d350cae166702b9edbe18c05023ab281431975fa8e6baaf2d045",
                "f25ea73f6ead5d9b703248e79ed87dbd95956a13777b557ad1a0f7ab75679826",
            ])
    }

    @Test func `a tenant's id never changes and depends on name and key`() throws {
        let ring = try Sample.ring
        let id = ring.tenantID(companyName: bytes("bayunsystems.com"))
        #expect(id.lowercased == "e2aba5b9-d136-846d-a8b6-792bd89b3573")
        #expect(ring.tenantID(companyName: bytes("bayunsystems.con")) != id)
        #expect(KeyRing.random().tenantID(companyName: bytes("bayunsystems.com")) != id)
    }

    @Test func `every input changes the digest`() throws {
        let ring = try Sample.ring
        let digests = [
            ring.lookupDigest(kind: "email", bytes("a")), ring.lookupDigest(kind: "emai", bytes("la")),
            ring.lookupDigest(kind: "email", bytes("a"), scope: try Sample.ledger),
            ring.lookupDigest(kind: "email", bytes("a"), scope: try Sample.person),
            ring.lookupDigest(kind: "company", bytes("a")), ring.lookupDigest(kind: "email", bytes("b")),
            KeyRing.random().lookupDigest(kind: "email", bytes("a")),
            ring.sessionTokenDigest(kind: "access", bytes("a")), ring.sessionTokenDigest(kind: "refresh", bytes("a")),
            ring.refreshTokenCode(bytes("a")), ring.refreshTokenCode(bytes("b")),
            ring.idempotencyDigest(key: bytes("a"), scope: bytes("x")),
            ring.idempotencyDigest(key: bytes("a"), scope: bytes("y")),
            ring.idempotencyFingerprint([bytes("x"), bytes("a")]), ring.idempotencyFingerprint([bytes("xa")]),
            ring.decoyDigest("x", [bytes("a"), bytes("b")]).bytes, ring.decoyDigest("x", [bytes("ab")]).bytes,
            ring.decoyDigest("y", [bytes("a"), bytes("b")]).bytes,
        ]
        #expect(Set(digests).count == digests.count)
        #expect(digests.allSatisfy { $0.count == 32 })
    }

    @Test func `a refresh token's authentication code verifies for that token only`() throws {
        let ring = try Sample.ring
        let code = ring.refreshTokenCode(bytes("a"))
        #expect(ring.isRefreshTokenCode(code, of: bytes("a")))
        #expect(!ring.isRefreshTokenCode(code, of: bytes("b")))
        #expect(!ring.isRefreshTokenCode(Array(code.dropLast()), of: bytes("a")))
        #expect(!ring.isRefreshTokenCode([], of: bytes("a")))
        #expect(!KeyRing.random().isRefreshTokenCode(code, of: bytes("a")))
    }

    @Test func `checkpoints are signed by the Ed25519 key of the seed`() throws {
        let key = try Sample.ring.checkpointSigningKey()
        #expect(
            Hex.encode(key.publicKey.rawRepresentation)
                == "8a875fff1eb38451577acd5afee405456568dd7c89e090863a0557bc7af49f17")
    }

    @Test func `a flow's row opens only as that flow's`() throws {
        let (ring, id) = (try Sample.ring, try Sample.ledger)
        let golden = try #require(Hex.decode("a0a1a2a3a4a5a6a7a8a9aaaba68709104ea044a23db46e74d67bdb8bc5cedd"))
        #expect(try ring.openFlow(golden, id: id) == bytes("row"))
        let sealed = try ring.sealFlow(bytes("row"), id: id)
        #expect(sealed.count == 3 + 28)
        #expect(try ring.openFlow(sealed, id: id) == bytes("row"))
        #expect(throws: KeysError.self) { try ring.openFlow(sealed, id: try Sample.person) }
        #expect(throws: KeysError.self) { try KeyRing.random().openFlow(sealed, id: id) }
        #expect(throws: KeysError.self) { try ring.openFlow(Array(sealed.dropLast()), id: id) }
        #expect(throws: KeysError.self) { try ring.openFlow([], id: id) }
        let secret = bytes("sixteen bytes ..")
        let kept = try ring.sealFlow(bytes("row"), id: id, secret: secret)
        #expect(try ring.openFlow(kept, id: id, secret: secret) == bytes("row"))
        for other in [[], bytes("sixteen bytes .!")] {
            #expect(throws: KeysError.self) { try ring.openFlow(kept, id: id, secret: other) }
        }
    }

    @Test func `a stored response opens only for its caller and key`() throws {
        let (ring, key, scope) = (try Sample.ring, bytes("key-1"), bytes("app"))
        let golden = try #require(
            Hex.decode("a0a1a2a3a4a5a6a7a8a9aaaba10cbe643223b3b6ab50a17e635f042996a00ae67520"))
        #expect(try ring.openAnswer(golden, key: key, scope: scope) == bytes("answer"))
        let sealed = try ring.sealAnswer(bytes("answer"), key: key, scope: scope)
        #expect(try ring.openAnswer(sealed, key: key, scope: scope) == bytes("answer"))
        #expect(throws: KeysError.self) { try ring.openAnswer(sealed, key: bytes("key-2"), scope: scope) }
        #expect(throws: KeysError.self) { try ring.openAnswer(sealed, key: key, scope: bytes("apq")) }
        #expect(throws: KeysError.self) { try KeyRing.random().openAnswer(sealed, key: key, scope: scope) }
    }
}
