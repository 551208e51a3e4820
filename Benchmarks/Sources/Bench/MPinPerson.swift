import Canonical
import Foundation
import IdentityService
import MPinCryptography
import TenureAPI
import TenureServer

/// A registered M-Pin identity with the token of its device.
struct MPinPerson: Sendable {
    let company: String
    let mpinID: String
    private let identity: MPinIdentityPoint
    private let token: MPinToken
    private let pin: MPinPIN

    /// Registers a PIN at the company of a person who is registered. The app's activation code verifies the identity,
    /// because the policy of a new company asks for a mail otherwise.
    static func register(_ person: BenchPerson, _ session: BenchSession) async throws -> MPinPerson {
        let started = try await session.startPIN(
            person, activationCode: try await session.issueActivationCode(for: person))
        guard started.active, let mpinID = Hex.decode(started.mpinId) else {
            throw BenchError("an activation code did not verify an identity")
        }
        let offer = try await session.confirmPIN(person, started)
        guard let second = Hex.decode(offer.query) else { throw BenchError("there is no second share") }
        let identity = try MPinIdentityPoint(mpinID: mpinID), pin = try MPinPIN("2741")
        let key = try MPinClientKey(adding: [
            try MPinClientKeyShare(encoded: offer.share), try MPinClientKeyShare(encoded: second),
        ])
        let registered = MPinPerson(
            company: person.company, mpinID: started.mpinId, identity: identity,
            token: key.token(without: pin, for: identity), pin: pin)
        // The first right proof completes the registration.
        try await registered.authenticate(session)
        return registered
    }

    /// Authenticates: pass 1, pass 2, and the redemption by the app.
    ///
    /// - Parameter hashing: What hashes beside the verification and how often, if anything does.
    func authenticate(_ session: BenchSession, hashing: BlindPerson.Hashing? = nil) async throws {
        let prover = MPinProver(identity: identity)
        let offer = try await session.startProof(self, commitment: Hex.encode(prover.commitment.encoded))
        let challenge = try MPinChallenge(encoded: offer.challenge)
        let response = try prover.respond(to: challenge, token: token, pin: pin)
        if let (workers, count) = hashing {
            for _ in 0..<count { try await workers.hash() }
        }
        let proof = try await session.prove(self, response: Hex.encode(response.encoded), handle: offer.handle)
        guard try await session.redeem(self, proof).mpinId == mpinID else {
            throw BenchError("a proof authenticated somebody else")
        }
    }

    /// The processor time of what a device computes for an authentication here, which is not the service's.
    func clientMilliseconds() async throws -> Double {
        let (identity, token, pin) = (identity, token, pin), offered = MPinChallenge().encoded
        return try await CredentialBench.millisecondsOnEveryCore {
            let prover = MPinProver(identity: identity)
            _ = Hex.encode(prover.commitment.encoded)
            let challenge = try MPinChallenge(encoded: offered)
            _ = Hex.encode(try prover.respond(to: challenge, token: token, pin: pin).encoded)
        }
    }
}

extension BenchSession {
    /// The app issues an activation code for a person's address.
    func issueActivationCode(for person: BenchPerson) async throws -> String {
        let issue = IssueMPinActivation(
            MPinActivationRequest(userId: person.email), company: person.company, caller: .app(app))
        guard case .done(_, let code, _, _) = try await run(issue) else {
            throw BenchError("the app was asked to sign an activation")
        }
        return code
    }

    func startPIN(_ person: BenchPerson, activationCode: String) async throws -> MPinRegistrationResponse {
        try await perform(
            StartMPinRegistration(
                company: person.company, userID: person.email, activationCode: activationCode, app: app))
    }

    func confirmPIN(_ person: BenchPerson, _ started: MPinRegistrationResponse) async throws -> MPinClientKeyOffer {
        try await perform(
            ConfirmMPinRegistration(
                company: person.company, mpinID: started.mpinId, token: started.regOTT, app: app))
    }

    func startProof(_ person: MPinPerson, commitment: String) async throws -> MPinChallengeOffer {
        try await perform(
            StartMPinProof(company: person.company, mpinID: person.mpinID, commitment: commitment, app: app))
    }

    func prove(_ person: MPinPerson, response: String, handle: String) async throws -> String {
        try await perform(
            ProveMPin(
                company: person.company, mpinID: person.mpinID, response: response, handle: handle, app: app))
    }

    func redeem(_ person: MPinPerson, _ proof: String) async throws -> MPinAuthenticationResponse {
        try await run(RedeemMPinProof(company: person.company, token: proof, app: app))
    }

    /// Runs a use case whose replies are not kept.
    private func perform<Request: UseCase>(_ request: Request) async throws -> Request.Answer {
        try await service.run(request, call)
    }
}
