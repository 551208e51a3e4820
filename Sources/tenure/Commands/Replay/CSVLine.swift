import Canonical
import FoundationEssentials
import Ledger
import Projections

/// Lines of comma-separated values (RFC 4180): CRLF at the end, and quotes around what needs them.
enum CSVLine {
    static let titles = [
        "position", "time", "ledger", "company", "type", "stream", "streamVersion", "actor", "app", "requestId",
        "eventId", "data",
    ]

    /// The values of an event in the order of ``titles``; `data` is one JSON object.
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

    /// One line.
    static func text(_ cells: [String]) -> String { cells.map(cell).joined(separator: ",") + "\r\n" }

    /// A value; one that a spreadsheet would take for a formula is told to be text by an apostrophe.
    ///
    /// Only names that people chose can begin so: everything else here begins with a letter, a digit or a brace.
    private static func cell(_ value: String) -> String {
        let isFormula = value.utf8.first.map { Array("=+-@\t\r".utf8).contains($0) } ?? false
        let value = isFormula ? "'" + value : value
        guard value.utf8.contains(where: { Array(",\"\r\n".utf8).contains($0) }) else { return value }
        return "\"" + value.replacing("\"", with: "\"\"") + "\""
    }
}
