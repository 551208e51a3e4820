@testable import MPinCryptography

/// Two D-TAs, a tenant, an identity and its token with the PIN 4711.
struct Scene {
    static let tenant: [UInt8] = Array(16..<32)
    static let pin = "4711"

    let masters: [MPinMasterShare]
    let serverKey: MPinServerKey
    let identity: MPinIdentityPoint
    let token: MPinToken

    init(mpinID: String = "ana@example.org", epoch: UInt32 = 7, tenant: [UInt8] = Self.tenant, authorities: UInt8 = 2)
        throws
    {
        masters = try (0..<authorities).map { index in
            try MPinMasterSecret(bytes: (0..<32).map { $0 + index }).share(tenantID: tenant, epoch: epoch)
        }
        serverKey = try MPinServerKey(adding: masters.map { $0.serverKeyShare() })
        let identity = try MPinIdentityPoint(mpinID: Array(mpinID.utf8))
        self.identity = identity
        token = try MPinClientKey(adding: masters.map { $0.clientKeyShare(for: identity) })
            .token(without: MPinPIN(Self.pin), for: identity)
    }

    /// What the client sends for a challenge, and the challenge.
    func exchange(pin: String = Self.pin, token: MPinToken? = nil) throws -> Exchange {
        let prover = MPinProver(identity: identity)
        let commitment = prover.commitment
        let challenge = MPinChallenge()
        let response = try prover.respond(to: challenge, token: token ?? self.token, pin: MPinPIN(pin))
        return Exchange(commitment: commitment, challenge: challenge, response: response)
    }

    func accepts(_ exchange: Exchange) -> Bool {
        serverKey.accepts(exchange.response, to: exchange.challenge, after: exchange.commitment, from: identity)
    }
}

/// The three messages of one authentication.
struct Exchange {
    var commitment: MPinCommitment
    var challenge: MPinChallenge
    var response: MPinResponse
}
