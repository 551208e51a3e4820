import Canonical
import EventCoding
import FoundationEssentials
import Ledger

/// Prints events in aligned columns, line by line, in constant memory.
struct EventTable: Sendable {
    private static let typeWidth = 25
    private static let whoWidth = 18
    private static let agoWidth = 5

    let output: Output
    /// The number of digits of the largest position.
    let positionWidth: Int

    init(output: Output, size: Int64) {
        self.output = output
        positionWidth = max(3, String(size).count)
    }

    /// Prints the titles of the columns.
    func head() throws {
        let position = String(repeating: " ", count: positionWidth - 1) + "#"
        let titles = [
            position, fitted("TIME", 19) + (output.terminal.isInteractive ? fitted("  AGO", Self.agoWidth + 2) : ""),
            fitted("EVENT", Self.typeWidth), fitted("WHO", Self.whoWidth), "WHAT",
        ]
        try output.line(Style.quiet.apply(titles.joined(separator: "  "), on: output.terminal))
    }

    /// Prints the line above the events of one ledger.
    func heading(_ title: String) throws {
        try output.line(Style.strong.apply(Printable.text(title), on: output.terminal))
    }

    /// Prints one event.
    func line(_ event: OpenedEvent, names: [UUID: String]) throws {
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
        try output.line(line)
    }

    /// The age of the event for a person at a terminal. Output that is stored or compared contains the time only.
    private func ago(_ event: OpenedEvent) -> String {
        guard output.terminal.isInteractive else { return "" }
        let text = TimeText.ago(event.recorded.time, now: .now())
        return "  " + String(repeating: " ", count: max(0, Self.agoWidth - text.count)) + text
    }

    private func coloured(_ type: String, _ text: String) -> String {
        let bad = [
            "Cancelled", "Reclaimed", "Refused", "Revoked", "Locked", "Erased", "Unlinked", "Removed", "Blocked",
        ]
        let good = ["Registered", "Authorized", "Approved", "Reinstated", "Validated", "Confirmed", "Verified"]
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

/// Renders events as lines for programs.
struct EventLines: Sendable {
    let format: ReplayFormat

    /// The text before the first event.
    var head: String { format == .csv ? CSVLine.text(CSVLine.titles) : "" }

    /// Renders the line of an event.
    ///
    /// - Parameter tenant: The name of the tenant whose ledger it is in, if known.
    func line(_ event: OpenedEvent, company: String?) -> String {
        switch format {
        case .csv: CSVLine.text(CSVLine.cells(event, company: company))
        case .cloudevents: JSONLines.line(CloudEvent.json(event))
        case .ndjson, .table: JSONLines.line(event.json)
        }
    }
}

/// Lines of comma-separated values (RFC 4180): CRLF line ends, and quotes around cells that need them.
enum CSVLine {
    static let titles = [
        "position", "time", "ledger", "company", "type", "stream", "streamVersion", "actor", "app", "requestId",
        "eventId", "data",
    ]

    /// The cells of an event in the order of ``titles``. `data` is one JSON object.
    static func cells(_ event: OpenedEvent, company: String?) -> [String] {
        let recorded = event.recorded
        return [
            String(recorded.position), recorded.time.description, recorded.ledger.uuid.lowercased,
            Printable.text(company ?? ""),
            recorded.type, recorded.stream.text, String(recorded.streamVersion), recorded.actor?.lowercased ?? "",
            recorded.app?.lowercased ?? "", recorded.requestId ?? "", recorded.id.lowercased,
            JSONLines.text(event.data),
        ]
    }

    /// Renders one line.
    static func text(_ cells: [String]) -> String { cells.map(cell).joined(separator: ",") + "\r\n" }

    /// Renders a cell. An apostrophe marks a cell as text if a spreadsheet would take it for a formula.
    ///
    /// Only names that users chose can begin like a formula. All other cells begin with a letter, a digit or a brace.
    private static func cell(_ value: String) -> String {
        let isFormula = value.utf8.first.map { Array("=+-@\t\r".utf8).contains($0) } ?? false
        let value = isFormula ? "'" + value : value
        guard value.utf8.contains(where: { Array(",\"\r\n".utf8).contains($0) }) else { return value }
        return "\"" + value.replacing("\"", with: "\"\"") + "\""
    }
}

/// An event as CloudEvents 1.0 JSON.
///
/// `sequence` is the extension attribute of that name in its text form, because CloudEvents integers have 32 bits and a
/// position has more.
enum CloudEvent {
    static func json(_ event: OpenedEvent) -> JSONValue {
        let recorded = event.recorded
        return .objectOmittingNil([
            "specversion": "1.0", "id": .uuid(recorded.id),
            "source": .string("urn:tenure:ledger:\(recorded.ledger.uuid.lowercased)"),
            "type": .string("tenure.\(recorded.type).v\(recorded.schema)"), "subject": .string(recorded.stream.text),
            "time": .timestamp(recorded.time), "datacontenttype": "application/json",
            "sequence": .string(String(recorded.position)), "streamversion": .integer(Int64(recorded.streamVersion)),
            "actor": recorded.actor.map(JSONValue.uuid), "app": recorded.app.map(JSONValue.uuid),
            "requestid": recorded.requestId.map(JSONValue.string),
            "causes": recorded.causes.isEmpty
                ? nil : .string(recorded.causes.map(\.lowercased).joined(separator: " ")),
            "data": event.data,
        ])
    }
}
