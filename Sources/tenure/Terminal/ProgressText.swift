import Foundation

/// The words of a progress report.
enum ProgressText {
    /// One line for a terminal: title, bar, share, count, rate and time left, at most `width` columns.
    static func bar(_ title: String, _ meter: ProgressMeter, width: Int) -> String {
        let words = facts(meter).joined(separator: "  ")
        guard let fraction = meter.fraction else { return clipped("\(title)  \(words)", to: width) }
        let room = width - DisplayWidth.of(title) - DisplayWidth.of(words) - 6
        guard room >= 8 else { return clipped("\(title)  \(words)", to: width) }
        let cells = min(room, 30)
        let full = Int(fraction * Double(cells))
        let bar = String(repeating: "#", count: full) + String(repeating: ".", count: cells - full)
        return "\(title)  [\(bar)]  \(words)"
    }

    /// One line for a log.
    static func line(_ title: String, _ meter: ProgressMeter) -> String {
        "\(title): " + facts(meter).joined(separator: ", ")
    }

    /// The last line of a piece of work.
    static func summary(_ title: String, _ meter: ProgressMeter) -> String {
        let seconds = meter.elapsed.seconds
        let rate = seconds > 0 ? ", \(count(Int64(Double(meter.done) / seconds)))/s" : ""
        return "\(title): \(count(meter.done)) \(meter.unit) in \(time(meter.elapsed))\(rate)"
    }

    private static func facts(_ meter: ProgressMeter) -> [String] {
        var facts: [String] = []
        if let fraction = meter.fraction { facts.append("\(Int(fraction * 100)) %") }
        facts.append(
            meter.total.map { "\(count(meter.done)) of \(count($0)) \(meter.unit)" }
                ?? "\(count(meter.done)) \(meter.unit)")
        if let rate = meter.rate { facts.append("\(count(Int64(rate)))/s") }
        if let remaining = meter.remaining { facts.append("\(time(remaining)) left") }
        return facts
    }

    /// A number with thousands apart, the same in every locale.
    static func count(_ number: Int64) -> String {
        let digits = Array(String(number.magnitude))
        var result = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { result.append(",") }
            result.append(digit)
        }
        return result
    }

    /// A duration in its two largest units.
    static func time(_ duration: Duration) -> String {
        let tenths = Int((duration.seconds * 10).rounded())
        if tenths < 100 { return "\(tenths / 10).\(tenths % 10) s" }
        let seconds = tenths / 10
        if seconds < 60 { return "\(seconds) s" }
        if seconds < 3600 { return "\(seconds / 60) min \(seconds % 60) s" }
        return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
    }

    private static func clipped(_ text: String, to width: Int) -> String {
        DisplayWidth.of(text) <= width ? text : String(text.prefix(max(0, width)))
    }
}
