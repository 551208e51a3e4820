import BLS12381

/// The share sᵢA of a client key, as one D-TA issues it. It is secret.
package struct MPinClientKeyShare: Sendable, UndisclosedElement {
    let point: G1Point

    init(point: G1Point) { self.point = point }

    /// Reads the 97 bytes 0x04 ‖ x ‖ y and checks that they are a point.
    ///
    /// - Throws: ``MPinCryptographyError/Code/pointInvalid``.
    package init(encoded bytes: [UInt8]) throws(MPinCryptographyError) {
        point = try G1Point.decoded(bytes, field: "clientKeyShare")
    }

    /// The 97 bytes 0x04 ‖ x ‖ y.
    package var encoded: [UInt8] { point.encoded }
}

/// A client key sA: the sum of the shares of all D-TAs. It is secret and lives until the PIN is taken out of it.
package struct MPinClientKey: Sendable, UndisclosedElement {
    let point: G1Point

    /// Adds the shares. There is one branch on their sum: whether it is infinity. The token of such a key would be −αA,
    /// which gives the PIN to whoever finds it.
    ///
    /// - Throws: ``MPinCryptographyError/Code/sharesInvalid`` if there is no share or the sum is infinity.
    package init(adding shares: [MPinClientKeyShare]) throws(MPinCryptographyError) {
        guard let first = shares.first else { throw MPinCryptographyError(.sharesInvalid) }
        point = shares.dropFirst().reduce(first.point) { $0 + $1.point }
        guard !point.isInfinity else { throw MPinCryptographyError(.sharesInvalid) }
    }

    /// The 97 bytes 0x04 ‖ x ‖ y.
    var encoded: [UInt8] { point.encoded }

    /// Takes a PIN out of the key: T = sA − αA. The key and the PIN must be forgotten afterwards.
    package func token(without pin: MPinPIN, for identity: MPinIdentityPoint) -> MPinToken {
        MPinToken(point: point + -identity.point.multiplied(by: pin.scalar), digits: pin.digits)
    }
}

extension G1Point {
    /// The point in 97 bytes, or the one error that all broken rules share.
    static func decoded(_ bytes: [UInt8], field: String) throws(MPinCryptographyError) -> G1Point {
        do throws(BLS12381Error) {
            return try G1Point(encoded: bytes)
        } catch {
            throw MPinCryptographyError(.pointInvalid, field: field)
        }
    }
}
