import BLS12381

/// The point U = xA of pass 1.
package struct MPinCommitment: Sendable, Equatable {
    let point: G1Point

    init(point: G1Point) { self.point = point }

    /// Reads the 97 bytes 0x04 ‖ x ‖ y and checks that they are a point.
    ///
    /// - Throws: ``MPinCryptographyError/Code/pointInvalid``.
    package init(encoded bytes: [UInt8]) throws(MPinCryptographyError) {
        point = try G1Point.decoded(bytes, field: "U")
    }

    /// The 97 bytes 0x04 ‖ x ‖ y.
    package var encoded: [UInt8] { point.encoded }
}

/// The random number y with which the server answers a commitment. It must be used once.
package struct MPinChallenge: Sendable {
    let scalar: Scalar

    /// Draws a challenge from the system's generator.
    package init() {
        var generator = SystemRandomNumberGenerator()
        self.init(using: &generator)
    }

    /// Draws a challenge from `generator`, which must be unpredictable in production.
    package init(using generator: inout some RandomNumberGenerator) {
        var drawn = Scalar.random(using: &generator)
        while drawn.isZero { drawn = Scalar.random(using: &generator) }
        scalar = drawn
    }

    /// Reads 32 big-endian bytes that hold a number from 1 to r − 1.
    ///
    /// - Throws: ``MPinCryptographyError/Code/challengeInvalid``.
    package init(encoded bytes: [UInt8]) throws(MPinCryptographyError) {
        do throws(BLS12381Error) {
            scalar = try Scalar(encoded: bytes)
        } catch {
            throw MPinCryptographyError(.challengeInvalid)
        }
        if scalar.isZero { throw MPinCryptographyError(.challengeInvalid) }
    }

    /// 32 big-endian bytes.
    package var encoded: [UInt8] { scalar.encoded }
}

/// The point V = −(x + y)(T + α′A) of pass 2.
package struct MPinResponse: Sendable, Equatable {
    let point: G1Point

    init(point: G1Point) { self.point = point }

    /// Reads the 97 bytes 0x04 ‖ x ‖ y and checks that they are a point.
    ///
    /// - Throws: ``MPinCryptographyError/Code/pointInvalid``.
    package init(encoded bytes: [UInt8]) throws(MPinCryptographyError) {
        point = try G1Point.decoded(bytes, field: "V")
    }

    /// The 97 bytes 0x04 ‖ x ‖ y.
    package var encoded: [UInt8] { point.encoded }
}
