import FoundationEssentials
import Ledger
import Projections

/// Which events a replay shows, beside those that company, employee and range choose.
///
/// It is asked about every event that was read, so a filter moves no cursor and no page can skip an event.
struct ReplayFilter: Sendable, Equatable {
    /// Only these types; all when there is none.
    var types: Set<String> = []
    /// Only what came through this app.
    var app: UUID?
    /// Only what this employee did.
    var actor: UUID?
    /// Only what this request led to.
    var request: String?

    /// The types for the database to choose, nil for all.
    var typeList: [String]? { types.isEmpty ? nil : types.sorted() }

    /// Whether an event is shown.
    func includes(_ event: RecordedEvent) -> Bool {
        (types.isEmpty || types.contains(event.type)) && (app == nil || event.app == app)
            && (actor == nil || event.actor == actor) && (request == nil || event.requestId == request)
    }
}
