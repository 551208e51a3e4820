import ErrorCodes

/// The name that somebody wants to be seen by: 1 to 128 bytes without markup, quotation marks and invisible characters.
///
/// It proves nothing. Whoever decides about a person sees address and user name before it, and a name that no admin has
/// approved with its person in quotation marks: so it contains none.
package struct DisplayName: Sendable, Hashable {
    /// The largest number of bytes, in UTF-8.
    package static let maximumBytes = 128
    /// The most code points of one character, so that a name stays in its line.
    private static let mostMarks = 8
    private static let refused: Set<Character> = ["<", ">", "@", "\"", "“", "”", "„", "‟", "«", "»", "‹", "›", "＂"]

    /// The name, with single spaces between words and none around it.
    package let text: String

    /// Checks a name.
    ///
    /// - Throws: ``ValueError`` with `request.invalid` and the member `name`.
    package init(_ entered: String) throws(ValueError) {
        func refusal(_ reason: String) -> ValueError { ValueError(.requestInvalid, field: "name", reason: reason) }
        guard entered.utf8.count <= 4 * Self.maximumBytes else { throw refusal("the name is too long") }
        try checkEntered(entered, field: "name")
        let text = entered.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard !text.isEmpty else { throw refusal("a value is required") }
        guard text.utf8.count <= Self.maximumBytes else { throw refusal("the name is too long") }
        guard text.allSatisfy({ !Self.refused.contains($0) && $0.unicodeScalars.count <= Self.mostMarks }),
            !text.unicodeScalars.contains(where: { Self.refused.contains(Character($0)) })
        else { throw refusal("a name has no @, no quotation marks and no angle brackets") }
        self.text = text
    }
}
