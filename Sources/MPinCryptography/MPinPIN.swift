import BLS12381

/// A PIN: 4 to 8 decimal digits, which count as the number α.
///
/// PINs of different lengths can have one number ("0330" and "00330"), so the length is kept beside the number and
/// compared with that of the token.
package struct MPinPIN: Sendable, UndisclosedElement {
    /// How many digits a PIN may have.
    package static let digitCounts = 4...8

    let scalar: Scalar
    package let digits: Int

    /// A PIN of 4 to 8 ASCII digits, without anything around them. Reading branches on whether a byte is a digit, not on
    /// which one.
    ///
    /// - Throws: ``MPinCryptographyError/Code/pinInvalid``.
    package init(_ text: String) throws(MPinCryptographyError) {
        let bytes = Array(text.utf8)
        guard Self.digitCounts.contains(bytes.count), bytes.allSatisfy({ (48...57).contains($0) }) else {
            throw MPinCryptographyError(.pinInvalid)
        }
        scalar = Scalar(bytes.reduce(0) { $0 * 10 + UInt64($1 - 48) })
        digits = bytes.count
    }
}
