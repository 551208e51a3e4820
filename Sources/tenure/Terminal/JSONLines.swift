import Canonical

/// Data for programs: one JSON value per line (NDJSON), members in a fixed order.
enum JSONLines {
    /// The line of one value, with its line feed. JSON has no line feed inside: control characters are escaped.
    static func line(_ value: JSONValue) -> String { text(value) + "\n" }

    /// The value as JSON that a terminal may be shown: what it would obey or turn around is written as `\u…`.
    static func text(_ value: JSONValue) -> String {
        let bytes = value.canonicalBytes()
        let text = String(decoding: bytes, as: UTF8.self)
        guard bytes.contains(where: { $0 >= 0x7F }) else { return text }
        // Only strings hold anything but ASCII, so every one of these may be an escape.
        var result = ""
        for scalar in text.unicodeScalars {
            if Printable.isUnsafe(scalar) {
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
