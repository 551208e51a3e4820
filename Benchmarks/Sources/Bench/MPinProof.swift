import Foundation
import MPinCryptography

/// One right proof, as the service receives and stores its parts: to measure what verification computes, without
/// database and use cases.
struct MPinProof: Sendable {
    private let serverKey: MPinServerKey
    private let storedKey: [UInt8]
    private let identityDigest: [UInt8]
    private let commitment: [UInt8]
    private let challenge: [UInt8]
    private let response: [UInt8]

    /// Makes a proof of a new identity, with a PIN of four digits.
    init(_ masters: MPinMasters) throws {
        let tenant = UUID(), pin = try MPinPIN("2741")
        identityDigest = MPinMasters.random(32)
        let identity = try MPinIdentityPoint(digest: identityDigest)
        let token = try masters.clientKey(identityDigest, tenant).token(without: pin, for: identity)
        serverKey = try masters.serverKey(tenant)
        storedKey = serverKey.encoded
        let prover = MPinProver(identity: identity), offered = MPinChallenge()
        commitment = prover.commitment.encoded
        challenge = offered.encoded
        response = try prover.respond(to: offered, token: token, pin: pin).encoded
    }

    /// Milliseconds of processor time for one verification of points that are decoded already, while every core
    /// verifies.
    func verificationMilliseconds() async throws -> Double {
        let serverKey = serverKey, identity = try MPinIdentityPoint(digest: identityDigest)
        let commitment = try MPinCommitment(encoded: commitment), challenge = try MPinChallenge(encoded: challenge)
        let response = try MPinResponse(encoded: response)
        return try await CredentialBench.millisecondsOnEveryCore {
            guard serverKey.accepts(response, to: challenge, after: commitment, from: identity) else {
                throw Self.refused
            }
        }
    }

    /// Milliseconds of processor time for everything that pass 1 and pass 2 compute, while every core computes it.
    func passesMilliseconds() async throws -> Double {
        try await CredentialBench.millisecondsOnEveryCore { try passes() }
    }

    /// Decodes and encodes what `StartMPinProof` and `ProveMPin` decode and encode, and verifies.
    private func passes() throws {
        _ = try MPinCommitment(encoded: commitment).encoded
        _ = MPinChallenge().encoded
        let response = try MPinResponse(encoded: response)
        _ = response.encoded
        let serverKey = try MPinServerKey(encoded: storedKey)
        let challenge = try MPinChallenge(encoded: challenge), commitment = try MPinCommitment(encoded: commitment)
        let identity = try MPinIdentityPoint(digest: identityDigest)
        guard serverKey.accepts(response, to: challenge, after: commitment, from: identity) else { throw Self.refused }
    }

    private static let refused = BenchError("a right proof was refused")
}
