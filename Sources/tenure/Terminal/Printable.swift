/// Makes text that somebody else chose safe to print: a company's name must not move the cursor.
enum Printable {
    /// The text with control characters and characters that reorder a line written as `\u{…}`.
    ///
    /// Line feed and tab are control characters too: where a name is printed, one line stays one line.
    static func text(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isUnsafe(scalar) {
                result += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Whether a terminal would obey the character or turn the line around with it; none is beyond U+FFFF.
    static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F: true
        // Bidirectional embeddings, overrides, isolates and marks; line and paragraph separator.
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
