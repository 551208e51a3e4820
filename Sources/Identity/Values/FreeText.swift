/// A reason in a person's own words: 1 to 1,024 bytes without NUL; sealed in the log.
public struct FreeText: Sendable, Hashable {
    /// The most bytes it may have, in UTF-8.
    public static let maximumBytes = 1_024
    /// The text as entered.
    public let text: String

    /// Reads a text.
    ///
    /// - Throws: ``ValueError`` with `request.invalid` and the name of the member given.
    public init(_ text: String, field: String = "reason") throws(ValueError) {
        guard !text.isEmpty else { throw ValueError(.requestInvalid, field: field, reason: "a value is needed") }
        guard text.utf8.count <= Self.maximumBytes else {
            throw ValueError(.requestInvalid, field: field, reason: "the text is too long")
        }
        guard !text.utf8.contains(0) else {
            throw ValueError(.requestInvalid, field: field, reason: "the text holds a character that is not accepted")
        }
        self.text = text
    }
}
