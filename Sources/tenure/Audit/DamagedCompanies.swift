import ArgumentParser
import Canonical
import Identity
import Projections

/// The companies whose log holds an event that cannot be read or applied.
///
/// A command that goes through all companies does the others first and then fails with their names.
struct DamagedCompanies {
    /// An event that stops the work on its company.
    private struct Event {
        let tenant: TenantID
        let position: Int64
        let reason: String
        /// The projections that it stops; none if the whole company could not be read.
        var views: [ProjectionName] = []
    }

    /// How many companies the message names.
    private static let named = 20

    private var events: [Event] = []

    init() {}

    /// The companies of projections that could not be rebuilt.
    init(_ stops: [ProjectionLag.Stop]) {
        for stop in stops {
            let known = events.firstIndex {
                $0.tenant == stop.tenant && $0.position == stop.position && $0.reason == stop.reason
            }
            if let known {
                events[known].views.append(stop.view)
            } else {
                events.append(
                    Event(tenant: stop.tenant, position: stop.position, reason: stop.reason, views: [stop.view]))
            }
        }
    }

    /// Adds a company and its first damaged event.
    mutating func add(_ tenant: TenantID, _ obstacle: (position: Int64, reason: String)) {
        events.append(Event(tenant: tenant, position: obstacle.position, reason: obstacle.reason))
    }

    var count: Int { Set(events.map(\.tenant)).count }

    /// One JSON object for each damaged event.
    var lines: [JSONValue] {
        events.map { event in
            var members: [String: JSONValue] = [
                "kind": "damaged", "companyId": event.tenant.json, "position": .integer(event.position),
                "reason": .string(event.reason),
            ]
            if !event.views.isEmpty { members["views"] = .array(event.views.map { .string($0.rawValue) }) }
            return .object(members)
        }
    }

    /// The same as one array.
    var json: JSONValue { .array(lines) }

    /// The failure of the command; `nil` if there is no such company.
    ///
    /// - Parameter verb: What was not done with them, as in "compared".
    func failure(_ verb: String) -> CommandFailure? {
        guard !events.isEmpty else { return nil }
        var places = events.prefix(Self.named).map { event in
            let views = event.views.isEmpty ? "" : " (\(event.views.map(\.rawValue).joined(separator: ", ")))"
            return "company \(event.tenant) at position \(event.position)\(views): \(Printable.text(event.reason))"
        }
        if events.count > Self.named { places.append("and \(events.count - Self.named) more") }
        return CommandFailure(
            .failure, "\(Noun.company.counted(count)) could not be \(verb): \(places.joined(separator: "; "))",
            remedy: "tenure verify tells whether the event was changed. Restore it, then run tenure rebuild again.")
    }
}
