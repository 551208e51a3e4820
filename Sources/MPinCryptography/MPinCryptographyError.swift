/// A refusal by this module: a stable code and, if it helps, the name of the refused value.
///
/// The description is safe to show to anyone: it holds no secret, and it does not say which rule a point broke. A wrong
/// PIN is no error; ``MPinServerKey/accepts(_:to:after:from:)`` returns `false`.
package struct MPinCryptographyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of refusal. The raw value is permanent and may be shown.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        package let rawValue: String

        package var description: String { rawValue }

        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The M-Pin ID is empty, or the digest is not 32 bytes or maps to infinity.
        package static let identityInvalid = Code("mpin.identity_invalid")
        /// The PIN is not 4 to 8 ASCII digits, or has another number of digits than the PIN of the token.
        package static let pinInvalid = Code("mpin.pin_invalid")
        /// The bytes are not a point: wrong length or prefix, a coordinate not below p, off the curve, outside the
        /// subgroup, or infinity.
        package static let pointInvalid = Code("mpin.point_invalid")
        /// The challenge is not 32 bytes, is not below r, or is zero.
        package static let challengeInvalid = Code("mpin.challenge_invalid")
        /// There is no share to add, or the shares add up to infinity.
        package static let sharesInvalid = Code("mpin.shares_invalid")
        /// The master secret of a D-TA is not 32 bytes, or the tenant's id is not 16 bytes.
        package static let masterInvalid = Code("mpin.master_invalid")
    }

    package let code: Code
    /// The documented name of the refused value, if there is one.
    package let field: String?

    /// An error. `field` must be a documented name, never a value.
    package init(_ code: Code, field: String? = nil) {
        self.code = code
        self.field = field
    }

    /// The code, with the field in parentheses if there is one.
    package var description: String { field.map { "\(code.rawValue) (\($0))" } ?? code.rawValue }
}
