import Canonical
import Ledger
import Projections

/// Events as lines for programs.
struct EventLines: Sendable {
    let format: ReplayFormat

    /// What stands before the first event.
    var head: String { format == .csv ? CSVLine.text(CSVLine.titles) : "" }

    /// The line of an event.
    ///
    /// - Parameter company: The name of the company whose ledger it is in, where that is known.
    func line(_ event: OpenedEvent, company: String?) -> String {
        switch format {
        case .csv: CSVLine.text(CSVLine.cells(event, company: company))
        case .cloudevents: JSONLines.line(CloudEvent.json(event))
        case .ndjson, .table: JSONLines.line(event.json)
        }
    }
}
