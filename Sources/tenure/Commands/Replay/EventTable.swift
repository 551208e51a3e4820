import Canonical
import FoundationEssentials
import Ledger
import Projections

/// Prints events in aligned columns, line by line, so that a log of any length needs no memory.
struct EventTable: Sendable {
    private static let typeWidth = 23
    private static let whoWidth = 18
    private static let agoWidth = 5

    let output: Output
    /// The digits of the greatest position.
    let positionWidth: Int

    init(output: Output, size: Int64) {
        self.output = output
        positionWidth = max(3, String(size).count)
    }

    /// The titles of the columns.
    func head() {
        let position = String(repeating: " ", count: positionWidth - 1) + "#"
        let titles = [
            position, fitted("TIME", 19) + (output.terminal.isInteractive ? fitted("  AGO", Self.agoWidth + 2) : ""),
            fitted("EVENT", Self.typeWidth), fitted("WHO", Self.whoWidth), "WHAT",
        ]
        output.line(Style.quiet.apply(titles.joined(separator: "  "), on: output.terminal))
    }

    /// The line above the events of one ledger.
    func heading(_ title: String) { output.line(Style.strong.apply(Printable.text(title), on: output.terminal)) }

    /// One event.
    func line(_ event: OpenedEvent, names: [UUID: String]) {
        let terminal = output.terminal
        let position = String(event.recorded.position)
        let cells = [
            String(repeating: " ", count: max(0, positionWidth - position.count)) + position,
            Style.quiet.apply(TimeText.short(event.recorded.time) + ago(event), on: terminal),
            coloured(event.recorded.type, fitted(event.recorded.type, Self.typeWidth)),
            fitted(Printable.text(EventWords.who(event, names: names)), Self.whoWidth),
        ]
        var summary = Printable.text(EventWords.summary(event, names: names))
        if terminal.isInteractive {
            let room = terminal.width - positionWidth - 19 - Self.agoWidth - 2 - Self.typeWidth - Self.whoWidth - 8
            summary = clipped(summary, max(room, 20))
        }
        var line = (cells + [summary]).joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        output.line(line)
    }

    /// How long ago, for a person at a terminal: what is stored and compared has the time alone.
    private func ago(_ event: OpenedEvent) -> String {
        guard output.terminal.isInteractive else { return "" }
        let text = TimeText.ago(event.recorded.time, now: .now())
        return "  " + String(repeating: " ", count: max(0, Self.agoWidth - text.count)) + text
    }

    private func coloured(_ type: String, _ text: String) -> String {
        let bad = ["Cancelled", "Reclaimed", "Refused", "Revoked", "Locked", "Erased", "Unlinked"]
        let good = ["Registered", "Authorized", "Approved", "Reinstated", "Validated", "Confirmed"]
        if bad.contains(where: type.hasSuffix) { return Style.bad.apply(text, on: output.terminal) }
        return good.contains(where: type.hasSuffix) ? Style.good.apply(text, on: output.terminal) : text
    }

    private func fitted(_ text: String, _ width: Int) -> String {
        let text = clipped(text, width)
        return text + String(repeating: " ", count: max(0, width - DisplayWidth.of(text)))
    }

    private func clipped(_ text: String, _ width: Int) -> String {
        guard DisplayWidth.of(text) > width else { return text }
        var result = "", used = 0
        for character in text {
            used += DisplayWidth.of(String(character))
            if used > width - 1 { break }
            result.append(character)
        }
        return result + "…"
    }
}
