import BLS12381

/// A token T: a client key without its PIN. The device keeps it, with the number of digits of the PIN.
///
/// A token alone does not help to guess the PIN. Together with the server key it gives the PIN offline.
package struct MPinToken: Sendable, UndisclosedElement {
    let point: G1Point
    /// The number of digits of the PIN that was taken out.
    package let digits: Int

    init(point: G1Point, digits: Int) {
        self.point = point
        self.digits = digits
    }

    /// Reads the 97 bytes 0x04 ‖ x ‖ y and checks that they are a point. `digits` is what was kept beside them.
    ///
    /// - Throws: ``MPinCryptographyError/Code/pointInvalid`` or ``MPinCryptographyError/Code/pinInvalid``.
    package init(encoded bytes: [UInt8], digits: Int) throws(MPinCryptographyError) {
        guard MPinPIN.digitCounts.contains(digits) else { throw MPinCryptographyError(.pinInvalid, field: "digits") }
        self.init(point: try G1Point.decoded(bytes, field: "token"), digits: digits)
    }

    /// The 97 bytes 0x04 ‖ x ‖ y.
    package var encoded: [UInt8] { point.encoded }
}
