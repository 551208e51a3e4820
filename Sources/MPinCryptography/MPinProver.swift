import BLS12381

/// The client's side of one authentication: it holds the random x between pass 1 and pass 2.
///
/// ```swift
/// let prover = MPinProver(identity: identity)
/// let challenge = try MPinChallenge(encoded: try await send(prover.commitment.encoded))
/// let response = try prover.respond(to: challenge, token: token, pin: pin)
/// ```
///
/// A prover responds once: two responses of one x to different challenges reveal the client key. The type cannot be
/// copied, and ``respond(to:token:pin:)`` consumes it. After a lost answer send the same response again, or begin anew.
package struct MPinProver: ~Copyable, Sendable {
    private let identity: MPinIdentityPoint
    private let scalar: Scalar
    /// What pass 1 sends: U = xA.
    package let commitment: MPinCommitment

    /// Draws x from the system's generator and computes the commitment.
    package init(identity: MPinIdentityPoint) {
        var generator = SystemRandomNumberGenerator()
        self.init(identity: identity, using: &generator)
    }

    /// Draws x from `generator`, which must be unpredictable in production.
    package init(identity: MPinIdentityPoint, using generator: inout some RandomNumberGenerator) {
        self.init(identity: identity, scalar: Scalar.random(using: &generator))
    }

    init(identity: MPinIdentityPoint, scalar: Scalar) {
        self.identity = identity
        self.scalar = scalar
        commitment = MPinCommitment(point: identity.point.multiplied(by: scalar))
    }

    /// Computes what pass 2 sends: V = −(x + y)(T + α′A).
    ///
    /// A wrong PIN is not noticed here; only the server can tell. A PIN with another number of digits than that of the
    /// token is refused.
    ///
    /// - Throws: ``MPinCryptographyError/Code/pinInvalid``.
    package consuming func respond(
        to challenge: MPinChallenge, token: MPinToken, pin: MPinPIN
    ) throws(MPinCryptographyError) -> MPinResponse {
        guard pin.digits == token.digits else { throw MPinCryptographyError(.pinInvalid) }
        let key = token.point + identity.point.multiplied(by: pin.scalar)
        return MPinResponse(point: -key.multiplied(by: scalar + challenge.scalar))
    }
}
