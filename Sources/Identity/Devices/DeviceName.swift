import ErrorCodes

/// The name that the owner of an account gives a device: 1 to 128 bytes without invisible characters.
package struct DeviceName: Sendable, Hashable {
    /// The largest number of bytes, in UTF-8.
    package static let maximumBytes = 128
    /// The name without spaces around it.
    package let text: String

    /// Checks a name.
    ///
    /// - Throws: ``ValueError`` with `request.invalid` and the member `name`.
    package init(_ entered: String) throws(ValueError) {
        try checkEntered(entered, field: "name")
        let start = entered.drop { $0.isWhitespace }
        let text = String(String(start.reversed().drop { $0.isWhitespace }).reversed())
        guard !text.isEmpty else { throw ValueError(.requestInvalid, field: "name", reason: "a value is required") }
        guard text.utf8.count <= Self.maximumBytes else {
            throw ValueError(.requestInvalid, field: "name", reason: "the name is too long")
        }
        self.text = text
    }
}
