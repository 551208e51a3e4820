import Canonical

/// A moment as people type it: a day, a second or a microsecond, always in UTC.
enum TimeText {
    /// Reads `2026-11-21`, `2026-11-21T08:30:00Z` or `2026-11-21T08:30:00.000000Z`.
    static func parse(_ text: String) throws -> Timestamp {
        let candidates = [text, text + "T00:00:00.000000Z", String(text.dropLast()) + ".000000Z"]
        for candidate in candidates {
            if candidate == candidates[2], text.last != "Z" { continue }
            if let time = Timestamp(candidate) { return time }
        }
        throw CommandFailure(
            .usage, "\(text) is not a time",
            remedy: "Write 2026-11-21, 2026-11-21T08:30:00Z or 2026-11-21T08:30:00.000000Z.")
    }

    /// The time to the second, without the letters: `2026-11-21 08:30:00`.
    static func short(_ time: Timestamp) -> String {
        let text = time.description
        return text.prefix(10) + " " + text.dropFirst(11).prefix(8)
    }
}
