import Canonical

/// Parses and formats times as people type them: a day, a second or a microsecond in UTC, or an age.
enum TimeText {
    /// Parses `2026-11-21`, `2026-11-21T08:30:00Z`, `2026-11-21T08:30:00.000000Z`, `now`, `today`, `yesterday`, or an
    /// age: `90s`, `15m`, `2h`, `7d`, `4w`.
    static func parse(_ text: String, now: Timestamp = .now()) throws -> Timestamp {
        if let time = relative(text, now) { return time }
        let candidates = [text, text + "T00:00:00.000000Z", String(text.dropLast()) + ".000000Z"]
        for candidate in candidates {
            if candidate == candidates[2], text.last != "Z" { continue }
            if let time = Timestamp(candidate) { return time }
        }
        throw CommandFailure(
            .usage, "\(text) is not a time",
            remedy: "Write 2026-11-21, 2026-11-21T08:30:00Z, yesterday, or how long ago: 90s, 15m, 2h, 7d.")
    }

    private static let units: [(letter: Character, seconds: Int64)] = [
        ("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400), ("w", 604_800),
    ]

    private static func relative(_ text: String, _ now: Timestamp) -> Timestamp? {
        let day: Int64 = 86_400_000_000
        let midnight = Timestamp(microseconds: now.microseconds - now.microseconds % day)
        switch text {
        case "now": return now
        case "today": return midnight
        case "yesterday": return Timestamp(microseconds: midnight.microseconds - day)
        default: break
        }
        guard let unit = units.first(where: { $0.letter == text.last }), let count = Int64(text.dropLast()),
            text.first?.isNumber == true, count <= 1_000_000
        else { return nil }
        return now.adding(.seconds(-count * unit.seconds))
    }

    /// Formats the age of a time in its largest unit: `4m`, `3d`. A time that is not in the past is `now`.
    static func ago(_ time: Timestamp, now: Timestamp) -> String {
        let seconds = (now.microseconds - time.microseconds) / 1_000_000
        guard seconds > 0, let unit = units.last(where: { $0.seconds <= seconds }) else { return "now" }
        return "\(seconds / unit.seconds)\(unit.letter)"
    }

    /// Formats a time to the second, without letters: `2026-11-21 08:30:00`.
    static func short(_ time: Timestamp) -> String {
        let text = time.description
        return text.prefix(10) + " " + text.dropFirst(11).prefix(8)
    }
}
