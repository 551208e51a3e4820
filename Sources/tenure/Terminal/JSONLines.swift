import Canonical

/// Data for programs: one JSON value per line (NDJSON), members in a fixed order.
enum JSONLines {
    /// The line of one value, with its line feed. JSON has no line feed inside: control characters are escaped.
    static func line(_ value: JSONValue) -> String {
        String(decoding: value.canonicalBytes(), as: UTF8.self) + "\n"
    }
}
