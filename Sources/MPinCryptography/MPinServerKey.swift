import BLS12381

/// The share sᵢQ of a tenant's server key, as one D-TA issues it.
package struct MPinServerKeyShare: Sendable, UndisclosedElement {
    let point: G2Point

    init(point: G2Point) { self.point = point }

    /// Reads the 192 bytes xa ‖ xb ‖ ya ‖ yb and checks that they are a point.
    ///
    /// - Throws: ``MPinCryptographyError/Code/pointInvalid``.
    package init(encoded bytes: [UInt8]) throws(MPinCryptographyError) {
        point = try G2Point.decoded(bytes, field: "serverKeyShare")
    }

    /// The 192 bytes xa ‖ xb ‖ ya ‖ yb, the real part of each coordinate first.
    package var encoded: [UInt8] { point.encoded }
}

/// A tenant's server key sQ: the sum of the shares of all D-TAs. It verifies proofs and cannot make them.
///
/// Keep it secret all the same: with a token it gives the PIN offline. The value holds 20 kB of prepared lines, which take
/// about 0.3 ms to compute.
package struct MPinServerKey: Sendable, UndisclosedElement {
    private let point: G2Point
    private let lines: PairingLines

    private static let generatorLines = PairingLines(.generator)

    private init(point: G2Point) {
        self.point = point
        lines = PairingLines(point)
    }

    /// Adds the shares.
    ///
    /// - Throws: ``MPinCryptographyError/Code/sharesInvalid`` if there is no share or the sum is infinity.
    package init(adding shares: [MPinServerKeyShare]) throws(MPinCryptographyError) {
        guard let first = shares.first else { throw MPinCryptographyError(.sharesInvalid) }
        let sum = shares.dropFirst().reduce(first.point) { $0 + $1.point }
        guard !sum.isInfinity else { throw MPinCryptographyError(.sharesInvalid) }
        self.init(point: sum)
    }

    /// Reads the 192 bytes xa ‖ xb ‖ ya ‖ yb and checks that they are a point.
    ///
    /// - Throws: ``MPinCryptographyError/Code/pointInvalid``.
    package init(encoded bytes: [UInt8]) throws(MPinCryptographyError) {
        self.init(point: try G2Point.decoded(bytes, field: "serverKey"))
    }

    /// The 192 bytes xa ‖ xb ‖ ya ‖ yb, the real part of each coordinate first.
    package var encoded: [UInt8] { point.encoded }

    /// Returns whether a response proves the token and the PIN of an identity: e(V, Q)·e(U + yA, sQ) = 1.
    ///
    /// `false` covers a wrong PIN, a wrong token and U + yA = infinity alike. The caller must have received the commitment
    /// before it drew the challenge, must use a challenge once, and must count failures.
    package func accepts(
        _ response: MPinResponse, to challenge: MPinChallenge, after commitment: MPinCommitment,
        from identity: MPinIdentityPoint
    ) -> Bool {
        let sum = commitment.point + identity.point.multiplied(by: challenge.scalar)
        guard !sum.isInfinity, !response.point.isInfinity else { return false }
        return Pairing.productIsOne([(response.point, Self.generatorLines), (sum, lines)])
    }
}

extension G2Point {
    /// The point in 192 bytes, or the one error that all broken rules share.
    fileprivate static func decoded(_ bytes: [UInt8], field: String) throws(MPinCryptographyError) -> G2Point {
        do throws(BLS12381Error) {
            return try G2Point(encoded: bytes)
        } catch {
            throw MPinCryptographyError(.pointInvalid, field: field)
        }
    }
}
