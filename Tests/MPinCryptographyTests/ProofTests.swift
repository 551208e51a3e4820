import BLS12381
import Testing
@testable import MPinCryptography

@Suite struct ProofTests {
    @Test(arguments: ["0000", "0330", "4711", "99999", "012345", "1234567", "99999999"])
    func `the right PIN is accepted, and its neighbours are not`(pin: String) throws {
        let scene = try Scene()
        let shares = scene.masters.map { $0.clientKeyShare(for: scene.identity) }
        let token = try MPinClientKey(adding: shares).token(without: MPinPIN(pin), for: scene.identity)
        #expect(try scene.accepts(scene.exchange(pin: pin, token: token)))
        let number = try #require(Int(pin))
        for wrong in [number + 1, number - 1, number + 1000] where wrong >= 0 {
            let digits = String(wrong)
            guard digits.count <= pin.count else { continue }
            let text = String(repeating: "0", count: pin.count - digits.count) + digits
            #expect(try scene.accepts(scene.exchange(pin: text, token: token)) == false)
        }
    }

    @Test func `a proof counts for its identity, tenant, epoch and set of authorities only`() throws {
        let scene = try Scene()
        let exchange = try scene.exchange()
        #expect(scene.accepts(exchange))
        let others = try [
            Scene(mpinID: "eve@example.org"), Scene(epoch: 8), Scene(tenant: Array(0..<16)), Scene(authorities: 1),
            Scene(authorities: 3),
        ]
        for other in others {
            #expect(other.accepts(exchange) == false)
            #expect(try scene.accepts(scene.exchange(token: other.token)) == false)
            #expect(try other.accepts(other.exchange()))
        }
    }

    @Test func `a proof counts for its commitment and challenge only`() throws {
        let scene = try Scene()
        let (first, second) = (try scene.exchange(), try scene.exchange())
        var mixed = first
        mixed.challenge = second.challenge
        #expect(scene.accepts(mixed) == false)
        mixed = first
        mixed.commitment = second.commitment
        #expect(scene.accepts(mixed) == false)
        mixed = first
        mixed.response = second.response
        #expect(scene.accepts(mixed) == false)
        mixed.response = MPinResponse(point: -first.response.point)
        #expect(scene.accepts(mixed) == false)
    }

    @Test func `points that cancel the challenge or are infinity are refused`() throws {
        let scene = try Scene()
        let challenge = MPinChallenge()
        let cancelling = -scene.identity.point.multiplied(by: challenge.scalar)
        let infinity = cancelling + -cancelling
        let some = try scene.exchange().response.point
        for (commitment, response) in [
            (cancelling, infinity), (cancelling, some), (infinity, infinity), (some, infinity),
        ] {
            let exchange = Exchange(
                commitment: MPinCommitment(point: commitment), challenge: challenge,
                response: MPinResponse(point: response))
            #expect(scene.accepts(exchange) == false)
        }
    }

    @Test func `two answers of one random number would reveal the key, which is why a prover is consumed`() throws {
        let scene = try Scene()
        let x = Scalar(12345)
        let challenges = try [1, 2].map { last in
            try MPinChallenge(encoded: [UInt8](repeating: 0, count: 31) + [last])
        }
        let responses = try challenges.map { challenge in
            try MPinProver(identity: scene.identity, scalar: x).respond(
                to: challenge, token: scene.token, pin: MPinPIN(Scene.pin))
        }
        let key = try MPinClientKey(adding: scene.masters.map { $0.clientKeyShare(for: scene.identity) })
        #expect(responses[0].point + -responses[1].point == key.point)
    }

    @Test func `the token and the server key together give the PIN offline`() throws {
        let scene = try Scene()
        var found: [Int] = []
        for guess in 4700..<4720 where try scene.accepts(scene.exchange(pin: String(guess))) { found.append(guess) }
        #expect(found == [4711])
    }

    @Test func `random numbers differ from call to call`() throws {
        let scene = try Scene()
        #expect(MPinChallenge().encoded != MPinChallenge().encoded)
        #expect(try scene.exchange().commitment != scene.exchange().commitment)
    }
}
