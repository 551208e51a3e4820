import Canonical
import Crypto
import FoundationEssentials
import MPinCryptography
import MPinRequests
import Testing

@testable import MPinAuthority

@Suite struct MPinKeyIssuerTests {
    @Test func `two D-TAs issue keys with which the right PIN is accepted and a wrong one is not`() throws {
        var clientShares: [MPinClientKeyShare] = [], serverShares: [MPinServerKeyShare] = []
        for _ in 0..<2 {
            let authority = try TemporaryAuthority(), key = try authority.signingKey(), clock = SettableClock()
            let issuer = try authority.directory.open(now: { clock.now })
            let client = issuer.answer(Sample.request(), key)
            #expect(client.status == 200 && client.text("message") == "OK")
            let server = issuer.answer(Sample.request(.serverKey), key)
            #expect(server.status == 200 && server.text("message") == "OK")
            clientShares.append(try MPinClientKeyShare(encoded: try decoded(client.text("clientSecret"))))
            serverShares.append(try MPinServerKeyShare(encoded: try decoded(server.text("serverSecret"))))
        }
        let identity = try MPinIdentityPoint(digest: Sample.hash), right = try MPinPIN("2741")
        let token = try MPinClientKey(adding: clientShares).token(without: right, for: identity)
        let serverKey = try MPinServerKey(adding: serverShares)
        for (pin, isRight) in [(right, true), (try MPinPIN("2742"), false)] {
            let prover = MPinProver(identity: identity), challenge = MPinChallenge()
            let commitment = prover.commitment
            let response = try prover.respond(to: challenge, token: token, pin: pin)
            #expect(serverKey.accepts(response, to: challenge, after: commitment, from: identity) == isRight)
        }
    }

    /// Half of all digests have the point of the next one.
    @Test func `a neighbouring digest with the same point is closed with the first one`() throws {
        let pairs = (0..<200 as Range<UInt8>).map { number in
            let digest = [UInt8](repeating: 7, count: 31)
            return (digest + [number], digest + [number + 1])
        }
        let pair = try #require(
            try pairs.first { try MPinIdentityPoint(digest: $0.0) == MPinIdentityPoint(digest: $0.1) })
        let authority = try TemporaryAuthority(), key = try authority.signingKey(), clock = SettableClock()
        let issuer = try authority.directory.open(now: { clock.now })
        #expect(issuer.answer(Sample.request(.clientKey(mpinIDHash: pair.0)), key).status == 200)
        clock.advance(.seconds(86_401))
        let later = Sample.request(.clientKey(mpinIDHash: pair.1), at: clock.now)
        #expect(issuer.answer(later, key).status == 410)
    }

    @Test func `tenants and epochs have different keys`() throws {
        let authority = try TemporaryAuthority(), key = try authority.signingKey(), clock = SettableClock()
        let issuer = try authority.directory.open(now: { clock.now })
        let other = UUID(bytes: [UInt8](repeating: 1, count: 16)) ?? .random()
        let requests = [
            Sample.request(.serverKey), Sample.request(.serverKey, tenant: other),
            Sample.request(.serverKey, epoch: 2),
        ]
        let shares = Set(requests.map { issuer.answer($0, key).text("serverSecret") })
        #expect(shares.count == 3 && !shares.contains(nil))
    }

    @Test func `a forged request is refused and records nothing`() throws {
        let authority = try TemporaryAuthority(), key = try authority.signingKey(), clock = SettableClock()
        let issuer = try authority.directory.open(now: { clock.now })
        let foreign = MPinSigningKey(SymmetricKey(size: .bits256))
        for request in [Sample.request(), Sample.request(.serverKey)] {
            let forged = issuer.answer(request, foreign)
            #expect(forged.status == 403 && forged.isBare && forged.text("message") == "SIGNATURE_INVALID")
        }
        // Each signed member, changed after the signature.
        let query = Sample.request().query(signedWith: key)
        let changes = [
            ("app_id=5a", "app_id=5b"), ("hash_mpin_id=00", "hash_mpin_id=01"), ("epoch=1", "epoch=2"),
            (":10Z", ":11Z"),
            ("hash_user_id=", "hash_user_id=\(Hex.encode(Sample.hash))"),
        ]
        for (part, changed) in changes {
            let target = "/clientSecret?" + query.replacing(part, with: changed)
            #expect(issuer.answer(method: "GET", target: target) == .signatureInvalid, "\(part)")
        }
        #expect(try authority.read("issued").isEmpty)
    }

    @Test(arguments: [-1, 0, 1, 60, 61, 3_600])
    func `a request is accepted only in the 60 seconds before it expires`(seconds: Int) throws {
        let authority = try TemporaryAuthority(), key = try authority.signingKey()
        // A whole second, as the time on the wire.
        let clock = SettableClock(Timestamp(microseconds: 1_790_000_000_000_000))
        let issuer = try authority.directory.open(now: { clock.now })
        let request = Sample.request(at: clock.now, lifetime: .seconds(seconds))
        let answer = issuer.answer(request, key)
        if (1...60).contains(seconds) {
            #expect(answer.status == 200)
        } else {
            #expect(answer.status == 408 && answer.isBare && answer.text("message") == "REQUEST_EXPIRED")
            #expect(try authority.read("issued").isEmpty)
        }
    }

    @Test func `other paths, other methods and malformed queries get nothing`() throws {
        let authority = try TemporaryAuthority(), key = try authority.signingKey(), clock = SettableClock()
        let issuer = try authority.directory.open(now: { clock.now })
        let query = Sample.request().query(signedWith: key)
        let cases = [
            ("POST", "/clientSecret?\(query)", 405), ("HEAD", "/serverSecret", 405), ("GET", "/clientSecret", 400),
            ("GET", "/clientSecret?\(query)&x=1", 400), ("GET", "/serverSecret?\(query)", 400),
            ("GET", "/clientsecret?\(query)", 404), ("GET", "/clientSecret/?\(query)", 404), ("GET", "/", 404),
            ("GET", "", 404), ("GET", "/healthz?x", 404), ("DELETE", "/healthz", 405),
        ]
        for (method, target, status) in cases {
            let answer = issuer.answer(method: method, target: target)
            #expect(answer.status == status && answer.isBare, "\(method) \(target)")
        }
        #expect(try authority.read("issued").isEmpty)
        let health = issuer.answer(method: "GET", target: "/healthz")
        #expect(health.status == 200 && health.text("status") == "ok")
    }

    @Test func `an identity gets the same share for 24 hours and then none`() throws {
        let authority = try TemporaryAuthority(), key = try authority.signingKey(), clock = SettableClock()
        try authority.opened(clock) { issuer in
            let first = issuer.answer(Sample.request(), key)
            #expect(first.status == 200)
            clock.advance(.seconds(86_400))
            #expect(issuer.answer(Sample.request(at: clock.now), key) == first)
            clock.advance(.microseconds(1))
            let refused = issuer.answer(Sample.request(at: clock.now), key)
            #expect(refused.status == 410 && refused.isBare && refused.text("message") == "IDENTITY_CLOSED")
        }
        // The list outlives the process, and another epoch or tenant is no way around it.
        try authority.opened(clock) { issuer in
            #expect(issuer.answer(Sample.request(at: clock.now), key) == .closed)
            #expect(issuer.answer(Sample.request(epoch: 2, at: clock.now), key) == .closed)
            #expect(issuer.answer(Sample.request(tenant: .random(), at: clock.now), key) == .closed)
            let other = Sample.request(.clientKey(mpinIDHash: Sample.hash.reversed()), at: clock.now)
            #expect(issuer.answer(other, key).status == 200)
        }
    }

    @Test func `a reopened D-TA gives the same shares`() throws {
        let authority = try TemporaryAuthority(), key = try authority.signingKey(), clock = SettableClock()
        let answers = try (0..<2).map { _ in
            try authority.opened(clock) { issuer in
                [Sample.request(), Sample.request(.serverKey)].map { issuer.answer($0, key) }
            }
        }
        #expect(answers[0] == answers[1] && answers[0].allSatisfy { $0.status == 200 })
        #expect(try authority.read("issued").split(separator: UInt8(ascii: "\n")).count == 1)
    }

    private func decoded(_ text: String?) throws -> [UInt8] { try #require(text.flatMap(Hex.decode)) }
}
